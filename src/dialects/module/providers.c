/* Names of providers (MD-226, MD-374). */
#include "dialects/module/document.h"

static const struct {
    const char *written, *is;
} spellings[] = {
    {"custom/resource/shell", "resource/shell"},
    {"debug/resource/dummy", "resource/dummy"},
    {"debug/resource/print", "resource/print"},
    {"docker/resource/container", "resource/docker-container"},
    {"docker/resource/local-image", "resource/docker-local-image"},
    {"docker/resource/network", "resource/docker-network"},
    {"docker/resource/remote-image", "resource/docker-remote-image"},
    {"local/resource/file", "resource/file"},
    {"resource/docker", "resource/docker-container"},
};

static bool is_kind(sv part) {
    return sv_eq(part, SV("resource")) || sv_eq(part, SV("data"));
}

/* The parts between slashes, at most `max`; 0 when there are more or one is empty. */
static size_t split(sv text, sv *parts, size_t max) {
    size_t count = 0;
    while (text.len > 0) {
        bool has_more = sv_find_char(text, '/') != SIZE_MAX;
        sv part = sv_cut(&text, '/');
        if (count == max || part.len == 0 || (has_more && text.len == 0))
            return 0;
        parts[count++] = part;
    }
    return count;
}

sv module_normalise_provider(struct arena *a, sv written) {
    enum { PARTS = 4 };
    sv parts[PARTS];
    size_t count = split(written, parts, PARTS);
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++) {
        if (sv_eq_cstr(written, spellings[i].written))
            return sv_from_cstr(spellings[i].is);
    }
    if (count < 2)
        return (sv){0};
    if (is_kind(parts[0]))
        return written;
    /* IMG/KIND/NAME, ORG/IMG/KIND/NAME */
    if (count == 2 || !is_kind(parts[count - 2]))
        return (sv){0};
    sv image = count == 3 ? parts[0] : sv_slice(written, 0, parts[0].len + 1 + parts[1].len);
    return arena_printf(a, "%.*s/%.*s/%.*s", SV_ARG(parts[count - 2]), SV_ARG(image), SV_ARG(parts[count - 1]));
}

bool module_is_provider(sv normalised) {
    enum { PARTS = 4 };
    sv parts[PARTS];
    size_t count = split(normalised, parts, PARTS);
    return count >= 2 && is_kind(parts[0]);
}
