#include "text/diff.h"

#include "base/map.h"
#include "base/vec.h"

enum {
    CONTEXT = 3,
    MOST_EDITS = 1000,
    MOST_STEPS = 50000000,
};

/* Lines of one text, numbered so that equal ones of both have one number; which of them are in the other one too. */
struct side {
    VEC(sv) lines; /* with their line ends */
    uint32_t *numbers;
    bool *is_changed;
};

struct diff {
    struct arena arena;
    struct side before, after;
    size_t first;                 /* lines that both begin with */
    size_t before_len, after_len; /* of what lies between those and the ones that both end with */
    VEC(int32_t *) rows;          /* how far each diagonal got, for each number of edits */
};

static void split(struct diff *d, struct side *s, sv text, struct map *numbers) {
    while (text.len > 0) {
        size_t end = sv_find_char(text, '\n');
        end = end == SIZE_MAX ? text.len : end + 1;
        VEC_PUSH(&d->arena, &s->lines, sv_slice(text, 0, end));
        text = sv_slice(text, end, text.len);
    }
    s->numbers = ARENA_ARRAY(&d->arena, uint32_t, s->lines.len + 1);
    s->is_changed = ARENA_ARRAY(&d->arena, bool, s->lines.len + 1);
    for (size_t i = 0; i < s->lines.len; i++) {
        void **slot = map_get_slot(numbers, s->lines.items[i], NULL);
        if (!*slot)
            *slot = (void *)(uintptr_t)numbers->live;
        s->numbers[i] = (uint32_t)(uintptr_t)*slot;
    }
}

static void trim(struct diff *d) {
    const struct side *a = &d->before, *b = &d->after;
    size_t least = a->lines.len < b->lines.len ? a->lines.len : b->lines.len, last = 0;
    while (d->first < least && a->numbers[d->first] == b->numbers[d->first])
        d->first++;
    while (last < least - d->first && a->numbers[a->lines.len - 1 - last] == b->numbers[b->lines.len - 1 - last])
        last++;
    d->before_len = a->lines.len - d->first - last;
    d->after_len = b->lines.len - d->first - last;
}

/* From (x, y) along equal lines. */
static int32_t slide(const struct diff *d, int32_t x, int32_t y, size_t *steps) {
    const uint32_t *a = d->before.numbers + d->first, *b = d->after.numbers + d->first;
    while ((size_t)x < d->before_len && (size_t)y < d->after_len && a[x] == b[y]) {
        x++;
        y++;
        ++*steps;
    }
    return x;
}

/* The start of diagonal `k` of row `edits`: one edit behind the better of its neighbours in the row before. */
static int32_t start_diagonal(const int32_t *former, int32_t edits, int32_t k) {
    if (edits == 0)
        return 0;
    /* Row e holds diagonals -e, -e + 2 … e. */
    int32_t index = (k + edits) / 2;
    bool has_left = index > 0, has_right = index < edits;
    int32_t down = has_right ? former[index] : -1;
    int32_t right = has_left ? former[index - 1] + 1 : -1;
    return down > right ? down : right;
}

/* Myers' greedy search. The number of edits, or -1 when there are too many. */
static int32_t search(struct diff *d) {
    size_t steps = 0;
    int32_t *former = NULL;
    for (int32_t edits = 0; edits <= MOST_EDITS && steps < MOST_STEPS; edits++) {
        int32_t *row = ARENA_ARRAY(&d->arena, int32_t, (size_t)edits + 1);
        VEC_PUSH(&d->arena, &d->rows, row);
        for (int32_t k = -edits; k <= edits; k += 2) {
            int32_t x = start_diagonal(former, edits, k);
            x = x - k >= 0 ? slide(d, x, x - k, &steps) : x;
            row[(k + edits) / 2] = x;
            if ((size_t)x >= d->before_len && x - k >= 0 && (size_t)(x - k) >= d->after_len)
                return edits;
        }
        former = row;
    }
    return -1;
}

static void mark_all(struct diff *d) {
    for (size_t i = 0; i < d->before_len; i++)
        d->before.is_changed[d->first + i] = true;
    for (size_t i = 0; i < d->after_len; i++)
        d->after.is_changed[d->first + i] = true;
}

/* Back along the rows: each edit is a line of one side. */
static void mark_edits(struct diff *d, int32_t edits) {
    int32_t k = (int32_t)d->before_len - (int32_t)d->after_len;
    for (; edits > 0; edits--) {
        const int32_t *former = d->rows.items[edits - 1];
        int32_t x = start_diagonal(former, edits, k), index = (k + edits) / 2;
        bool is_down = index < edits && former[index] == x;
        if (is_down)
            d->after.is_changed[d->first + (size_t)(x - k) - 1] = true;
        else
            d->before.is_changed[d->first + (size_t)x - 1] = true;
        k += is_down ? 1 : -1;
    }
}

static void put_line(struct buf *out, char mark, sv line) {
    buf_append_char(out, mark);
    buf_append(out, line);
    if (!sv_has_suffix(line, SV("\n")))
        buf_append_cstr(out, "\n\\ No newline at end of file\n");
}

static void put_range(struct buf *out, char mark, size_t from, size_t count) {
    buf_printf(out, "%c%zu", mark, count > 0 ? from + 1 : from);
    if (count != 1)
        buf_printf(out, ",%zu", count);
}

/* A place in both texts. */
struct spot {
    size_t a, b;
};

static bool is_at_change(const struct diff *d, struct spot s) {
    return d->before.is_changed[s.a] || d->after.is_changed[s.b];
}

static struct spot skip_changes(const struct diff *d, struct spot s) {
    while (d->before.is_changed[s.a])
        s.a++;
    while (d->after.is_changed[s.b])
        s.b++;
    return s;
}

/* The end of the changes that hang together with those at `s`: less than two contexts lie between them. */
static struct spot find_end(const struct diff *d, struct spot s) {
    for (;;) {
        s = skip_changes(d, s);
        struct spot next = s;
        size_t same = 0;
        while (same <= 2 * (size_t)CONTEXT && next.a < d->before.lines.len && !is_at_change(d, next)) {
            next.a++;
            next.b++;
            same++;
        }
        if (same > 2 * (size_t)CONTEXT || !is_at_change(d, next))
            return s;
        s = next;
    }
}

static void put_hunk(struct buf *out, const struct diff *d, struct spot from, struct spot to) {
    size_t before = from.a < CONTEXT ? from.a : CONTEXT;
    size_t rest = d->before.lines.len - to.a, behind = rest < CONTEXT ? rest : CONTEXT;
    struct spot s = {from.a - before, from.b - before};
    buf_append_cstr(out, "@@ ");
    put_range(out, '-', s.a, to.a + behind - s.a);
    buf_append_char(out, ' ');
    put_range(out, '+', s.b, to.b + behind - s.b);
    buf_append_cstr(out, " @@\n");
    while (s.a < to.a + behind || s.b < to.b + behind) {
        if (d->before.is_changed[s.a]) {
            put_line(out, '-', d->before.lines.items[s.a++]);
        } else if (d->after.is_changed[s.b]) {
            put_line(out, '+', d->after.lines.items[s.b++]);
        } else {
            put_line(out, ' ', d->before.lines.items[s.a++]);
            s.b++;
        }
    }
}

static void put_hunks(struct buf *out, const struct diff *d) {
    struct spot s = {0};
    while (s.a < d->before.lines.len || s.b < d->after.lines.len) {
        if (!is_at_change(d, s)) {
            s.a++;
            s.b++;
            continue;
        }
        struct spot end = find_end(d, s);
        put_hunk(out, d, s, end);
        s = end;
    }
}

void diff_render(struct buf *out, sv name, sv before, sv after) {
    if (sv_eq(before, after))
        return;
    struct diff d = {0};
    struct map numbers = MAP(&d.arena);
    split(&d, &d.before, before, &numbers);
    split(&d, &d.after, after, &numbers);
    trim(&d);
    int32_t edits = search(&d);
    if (edits < 0)
        mark_all(&d);
    else
        mark_edits(&d, edits);
    buf_printf(out, "--- %.*s\n+++ %.*s\n", SV_ARG(name), SV_ARG(name));
    put_hunks(out, &d);
    arena_fini(&d.arena);
}
