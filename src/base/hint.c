#include "base/hint.h"

#include "base/utf8.h"

#include <stdint.h>

enum { NAME_MAX_BYTES = 64, DISTANCE_MAX = 2, SHORT_NAME = 3, TOO_FAR = 100 };

/* A name as code points; as bytes where it is no UTF-8. */
struct name {
    uint32_t chars[NAME_MAX_BYTES];
    size_t len;
};

static void name_init(struct name *n, sv text) {
    bool is_utf8 = utf8_check(text) == text.len;
    n->len = 0;
    for (size_t at = 0; at < text.len; n->len++) {
        if (is_utf8) {
            at += utf8_decode(sv_slice(text, at, text.len), &n->chars[n->len]);
        } else {
            n->chars[n->len] = (unsigned char)text.data[at++];
        }
    }
}

/* Row and column 0 stand for the empty beginning. Cells farther than DISTANCE_MAX from the diagonal are TOO_FAR. */
struct distances {
    unsigned char cells[NAME_MAX_BYTES + 1][NAME_MAX_BYTES + 1];
};

static unsigned min_of(unsigned a, unsigned b) {
    return a < b ? a : b;
}

/* The last characters of both beginnings swapped, at most one character in between: farther swaps cost more than
 * DISTANCE_MAX. */
static unsigned get_swap(const struct distances *d, const struct name *a, const struct name *b, size_t i, size_t j) {
    const uint32_t *p = a->chars + i; /* p[-1] is the last character */
    const uint32_t *q = b->chars + j;
    unsigned best = TOO_FAR;
    if (i >= 2 && j >= 2 && p[-1] == q[-2] && p[-2] == q[-1]) {
        best = min_of(best, d->cells[i - 2][j - 2] + 1u);
    }
    if (i >= 3 && j >= 2 && p[-1] == q[-2] && p[-3] == q[-1]) {
        best = min_of(best, d->cells[i - 3][j - 2] + 2u);
    }
    if (i >= 2 && j >= 3 && p[-1] == q[-3] && p[-2] == q[-1]) {
        best = min_of(best, d->cells[i - 2][j - 3] + 2u);
    }
    return best;
}

static unsigned get_cell(const struct distances *d, const struct name *a, const struct name *b, size_t i, size_t j) {
    if (i + DISTANCE_MAX < j || j + DISTANCE_MAX < i) {
        return TOO_FAR;
    }
    if (i == 0 || j == 0) {
        return (unsigned)(i + j);
    }
    unsigned best = d->cells[i - 1][j - 1] + (a->chars[i - 1] == b->chars[j - 1] ? 0u : 1u);
    best = min_of(best, d->cells[i - 1][j] + 1u);
    best = min_of(best, d->cells[i][j - 1] + 1u);
    best = min_of(best, get_swap(d, a, b, i, j));
    return min_of(best, TOO_FAR);
}

/* Damerau-Levenshtein distance, exact up to DISTANCE_MAX. */
static unsigned get_distance(const struct name *a, const struct name *b) {
    struct distances d;
    for (size_t i = 0; i <= a->len; i++) {
        size_t from = i > DISTANCE_MAX + 1 ? i - DISTANCE_MAX - 1 : 0;
        for (size_t j = from; j <= b->len && j <= i + DISTANCE_MAX + 1; j++) {
            d.cells[i][j] = (unsigned char)get_cell(&d, a, b, i, j);
        }
    }
    return d.cells[a->len][b->len];
}

/* How far `candidate` is, TOO_FAR when it is not close. */
static unsigned get_closeness(sv wanted, sv candidate) {
    if (sv_eq_nocase(wanted, candidate)) {
        return 0;
    }
    size_t difference = wanted.len > candidate.len ? wanted.len - candidate.len : candidate.len - wanted.len;
    if (difference > DISTANCE_MAX * (size_t)4) { /* a character has at most 4 bytes */
        return TOO_FAR;
    }
    struct name a;
    struct name b;
    name_init(&a, wanted);
    name_init(&b, candidate);
    if (a.len == 1 && b.len == 1) {
        return TOO_FAR; /* nothing would be left of the name */
    }
    if (a.len > b.len + DISTANCE_MAX || b.len > a.len + DISTANCE_MAX) {
        return TOO_FAR;
    }
    unsigned distance = get_distance(&a, &b);
    unsigned allowed = a.len <= SHORT_NAME ? 1 : DISTANCE_MAX;
    return distance <= allowed ? distance : TOO_FAR;
}

void hint_offer(struct hint *h, sv candidate) {
    if (candidate.len == 0 || candidate.len > NAME_MAX_BYTES || h->wanted.len == 0 || h->wanted.len > NAME_MAX_BYTES) {
        return;
    }
    if (h->best.len > 0 && h->distance == 0) {
        return;
    }
    unsigned distance = get_closeness(h->wanted, candidate);
    if (distance != TOO_FAR && (h->best.len == 0 || distance < h->distance)) {
        h->best = candidate;
        h->distance = distance;
    }
}
