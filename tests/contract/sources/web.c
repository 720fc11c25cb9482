#include "contract/sources/web.h"

#include "adapters/http/http.h"
#include "base/num.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

const char *web_url(struct world *w, uint16_t port, const char *path) {
    return arena_printf(&w->arena, "http://127.0.0.1:%u%s", (unsigned)port, path).data;
}

int64_t web_count_hits(struct world *w, uint16_t port, const char *path) {
    sv query = arena_printf(&w->arena, "/hits?%s", path);
    struct http_request r = {.url = sv_from_cstr(web_url(w, port, query.data)), .timeout_ms = 5000, .body_max = 100};
    int64_t count = -1;
    assert_int_equal(http_get(&w->arena, &r), HTTP_OK);
    assert_int_equal(num_parse_i64(r.body, 10, &count), NUM_OK);
    return count;
}
