/* From one data key to another (LC-052). */
#include "seal/sealer.h"

sv seal_move(const struct seal_move *m, struct arena *a, const struct seal_place *at, sv json,
             struct seal_moved *count) {
    struct arena secret = {.secret = true};
    struct seal_moved found = {0};
    value v = decode_counting(m->from, &secret, at, json, &found, m->diags);
    sv result = json;
    if (value_is_error(v)) {
        result = (sv){0};
    } else if (found.moved > 0) {
        result = seal_encode(m->to, a, at, v);
    }
    count->moved += found.moved;
    count->left += found.left;
    arena_fini(&secret);
    return result;
}
