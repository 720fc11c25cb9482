/* Cycles: references to something under way. Either a mistake, reported as a path, or pending (DY-093), provisionally
 * (DY-096).
 *
 * A cell that ends pending because it met a cell under way (its root) is PROVISIONAL. It is kept in the group of its
 * highest root. When that root ends with a value, the group's cells are untouched again; when it ends without one, the
 * group goes to the root's own roots, or, if there are none, is pending for good. Groups are merged in constant time; a
 * merged group forgets which of its cells waits for which root, so a cell may be evaluated anew once more than needed,
 * never less. */
#include "lang/machine.h"

struct waiting_cell {
    struct cell *cell;
    const void *cause;
    struct waiting_cell *next;
};

struct cycle_group {
    struct cycle_group *merged; /* into this one; NULL for a living group */
    struct waiting_cell *head, *tail;
    uint32_t holder; /* place of the cell under way that holds it */
    uint32_t low;    /* lowest root of all in it: place + 1 */
};

static struct cycle_group *find_group(struct cycle_group *g) {
    while (g->merged != NULL) {
        if (g->merged->merged != NULL) {
            g->merged = g->merged->merged;
        }
        g = g->merged;
    }
    return g;
}

/* Path reports */

enum { SHOWN_CELLS = 24 };

static sv get_path(const struct cell *c) {
    return c->path.len > 0 ? c->path : SV("(unnamed)");
}

/* The place where the cell at `place` demands the next one: the lowest reference above its frame that waits. */
static span find_use(struct evaluator *ev, const struct frame *cell_frame) {
    struct frame_chunk *chunk = ev->chunk;
    size_t in_chunk = ev->in_chunk;
    const struct frame *f = machine_get_top(ev);
    span at = cell_frame->cell->at;
    while (f != NULL && f != cell_frame) {
        if (f->kind == FRAME_CELL) {
            at = cell_frame->cell->at;
        } else if (f->expr != NULL && (f->kind == FRAME_REF || span_is_none(at))) {
            at = f->expr->at;
        }
        f = machine_get_below(&chunk, &in_chunk);
    }
    return at;
}

static sv print_path(struct evaluator *ev, size_t first, const struct cell *c) {
    struct buf out = BUF(ev->o.diags->arena);
    for (size_t i = first; i < ev->cells.len; i++) {
        if (i - first == SHOWN_CELLS) {
            buf_printf(&out, "… %zu more → ", ev->cells.len - i);
            break;
        }
        buf_append(&out, get_path(ev->cells.items[i]->cell));
        buf_append(&out, SV(" → "));
    }
    buf_append(&out, get_path(c));
    return buf_get_sv(&out);
}

static value report_cycle(struct evaluator *ev, const struct cell *c, size_t first) {
    span at = ev->demanding != NULL ? ev->demanding->at : report_get_span(ev);
    sv path = print_path(ev, first, c);
    if (ev->o.policy->failed_is_silent) {
        return eval_fail(ev, DIAG_reference_cycle, at, "%.*s", SV_ARG(path));
    }
    struct diag *d = diags_add(ev->o.diags, DIAG_reference_cycle, at, "a cycle of references: %.*s", SV_ARG(path));
    size_t end = ev->cells.len - 1;
    for (size_t i = first; i < end && i - first < SHOWN_CELLS; i++) {
        sv from = get_path(ev->cells.items[i]->cell), to = get_path(ev->cells.items[i + 1]->cell);
        diag_add_related(ev->o.diags, d, find_use(ev, ev->cells.items[i]), "'%.*s' uses '%.*s' here", SV_ARG(from),
                         SV_ARG(to));
    }
    return value_error(NULL);
}

/* Pending */

static void add_root(struct frame *f, size_t own_place, uint32_t root_place) {
    if (root_place >= own_place) {
        return; /* itself */
    }
    uint32_t root = root_place + 1;
    if (f->low_root == 0 || root < f->low_root) {
        f->low_root = root;
    }
    if (root > f->high_root) {
        f->high_root = root;
    }
}

value cycle_met(struct evaluator *ev, struct cell *c) {
    size_t place = (size_t)c->result.integer;
    if (!ev->o.policy->cycle_is_pending) {
        return report_cycle(ev, c, place);
    }
    add_root(cell_get_current(ev), ev->cells.len - 1, (uint32_t)place);
    return value_pending(NULL);
}

value cycle_met_provisional(struct evaluator *ev, const struct cell *c) {
    struct frame *f = cell_get_current(ev);
    struct cycle_group *g = find_group((struct cycle_group *)(uintptr_t)c->result.cause);
    if (f != NULL) {
        add_root(f, ev->cells.len - 1, g->holder);
        add_root(f, ev->cells.len - 1, g->low - 1);
    }
    return value_pending(NULL);
}

/* Gives the group to the cell at `place`. */
static void hold(struct evaluator *ev, struct cycle_group *g, size_t place) {
    struct frame *f = ev->cells.items[place];
    if (f->held == NULL) {
        g->holder = (uint32_t)place;
        f->held = g;
        return;
    }
    struct cycle_group *into = f->held;
    into->tail->next = g->head;
    into->tail = g->tail;
    into->low = g->low < into->low ? g->low : into->low;
    g->merged = into;
}

static void add_waiting(struct evaluator *ev, struct frame *f, value result) {
    struct waiting_cell *w = ARENA_NEW(ev->o.arena, struct waiting_cell);
    *w = (struct waiting_cell){.cell = f->cell, .cause = result.cause};
    struct cycle_group *g = ARENA_NEW(ev->o.arena, struct cycle_group);
    *g = (struct cycle_group){.head = w, .tail = w, .low = f->low_root};
    f->cell->state = CELL_PROVISIONAL;
    f->cell->result = value_pending(g);
    hold(ev, g, f->high_root - 1);
}

static void reset_all(struct cycle_group *g) {
    for (struct waiting_cell *w = g->head; w != NULL; w = w->next) {
        cell_reset(w->cell);
    }
}

static void settle_all(struct cycle_group *g) {
    for (struct waiting_cell *w = g->head; w != NULL; w = w->next) {
        cell_set(w->cell, value_pending(w->cause));
    }
}

/* What waited for a cell that has no value goes on to its roots, or to the next cell that one of its own may wait for.
 */
static void pass_on(struct evaluator *ev, struct cycle_group *g, const struct frame *f, size_t place,
                    bool provisional) {
    if (provisional) {
        g->low = f->low_root < g->low ? f->low_root : g->low;
        hold(ev, g, f->high_root - 1);
    } else if (g->low - 1 < place) {
        hold(ev, g, place - 1);
    } else {
        settle_all(g);
    }
}

void cycle_cell_done(struct evaluator *ev, struct frame *f, size_t place, value result) {
    bool pending = result.kind == VALUE_PENDING;
    bool provisional = pending && f->high_root != 0;
    struct cycle_group *held = f->held;
    if (provisional) {
        add_waiting(ev, f, result);
    }
    if (held == NULL) {
        return;
    }
    if (!pending && result.kind != VALUE_ERROR) {
        reset_all(held);
    } else {
        pass_on(ev, held, f, place, provisional);
    }
}
