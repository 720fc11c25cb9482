#include "text/mask.h"

enum { SECRET_MIN_BYTES = 4 };

static void mask_add_one(struct mask *m, sv secret) {
    if (secret.len >= SECRET_MIN_BYTES) {
        VEC_PUSH(m->arena, &m->secrets, arena_copy_sv(m->arena, secret));
    }
}

void mask_add(struct mask *m, sv secret) {
    mask_add_one(m, secret);
    if (sv_find_char(secret, '\n') == SIZE_MAX) {
        return;
    }
    for (sv rest = secret; rest.len > 0;) { /* source lines are quoted one by one */
        mask_add_one(m, sv_trim(sv_cut(&rest, '\n')));
    }
}

static size_t find_from(sv text, sv secret, size_t from) {
    size_t at = sv_find(sv_slice(text, from, text.len), secret);
    return at == SIZE_MAX ? SIZE_MAX : from + at;
}

void mask_scan_init(struct mask_scan *s, const struct mask *m, struct arena *a, sv text) {
    *s = (struct mask_scan){.mask = m, .text = text};
    if (m == NULL || m->secrets.len == 0) {
        s->mask = NULL;
        return;
    }
    s->next = ARENA_ARRAY(a, size_t, m->secrets.len);
    for (size_t i = 0; i < m->secrets.len; i++) {
        s->next[i] = find_from(text, m->secrets.items[i], 0);
    }
}

/* Takes the secret that begins first, when it begins at or before `limit`. */
static bool take_first(struct mask_scan *s, size_t limit, size_t *from, size_t *to) {
    size_t first = SIZE_MAX;
    for (size_t i = 0; i < s->mask->secrets.len; i++) {
        if (s->next[i] != SIZE_MAX && (first == SIZE_MAX || s->next[i] < s->next[first])) {
            first = i;
        }
    }
    if (first == SIZE_MAX || s->next[first] > limit) {
        return false;
    }
    *from = s->next[first];
    *to = *from + s->mask->secrets.items[first].len;
    s->next[first] = find_from(s->text, s->mask->secrets.items[first], *from + 1);
    return true;
}

bool mask_scan_next(struct mask_scan *s, size_t *from, size_t *to) {
    if (s->mask == NULL || !take_first(s, SIZE_MAX - 1, from, to)) {
        return false;
    }
    size_t more_from;
    size_t more_to;
    while (take_first(s, *to, &more_from, &more_to)) {
        *to = more_to > *to ? more_to : *to;
    }
    return true;
}

sv mask_apply(const struct mask *m, struct arena *a, sv text) {
    struct mask_scan scan;
    mask_scan_init(&scan, m, a, text);
    size_t from;
    size_t to;
    if (!mask_scan_next(&scan, &from, &to)) {
        return text;
    }
    struct buf out = BUF(a);
    size_t done = 0;
    do {
        buf_append(&out, sv_slice(text, done, from));
        buf_append(&out, SV(MASK_TEXT));
        done = to;
    } while (mask_scan_next(&scan, &from, &to));
    buf_append(&out, sv_slice(text, done, text.len));
    return buf_get_sv(&out);
}
