#include "apps/cli/timings.h"

#include "apps/cli/files.h"

#include <stdlib.h>

enum {
    SLOWEST = 10, /* elements that are listed */
    LISTED = 100, /* of a critical path, in text */
};

struct timing {
    uint32_t op; /* in the plan */
    size_t lane;
    int64_t started_ms, ended_ms; /* monotonic; ended -1: it was cut off */
    sv action, status;
};

struct timings {
    struct cli *c;
    const struct plan *plan;
    struct map ops; /* id → op */
    VEC(struct timing) items;
    uint32_t *of_op; /* timing + 1 of each operation */
    bool *lanes;     /* taken */
    size_t lane_count;
    bool is_shown;
    sv trace;
};

struct timings *timings_new(struct cli *c, const struct plan *p) {
    bool is_shown = settings_get_flag(c, "timings");
    sv trace = settings_get_text(c, "trace");
    if (!is_shown && trace.len == 0)
        return NULL;
    struct timings *t = ARENA_NEW(&c->arena, struct timings);
    *t = (struct timings){.c = c, .plan = p, .ops = MAP(&c->arena), .is_shown = is_shown, .trace = trace};
    t->of_op = ARENA_ARRAY(&c->arena, uint32_t, p->op_count + 1);
    t->lanes = ARENA_ARRAY(&c->arena, bool, p->op_count + 1);
    for (size_t i = 0; i < p->op_count; i++)
        map_put(&t->ops, p->ops[i].id, &p->ops[i]);
    return t;
}

static sv get_op_id(struct arena *a, const struct event *e) {
    static const char letters[] = {[OP_CREATE] = 'C', [OP_LINK] = 'L', [OP_DESTROY] = 'D', [OP_UNLINK] = 'U'};
    return arena_printf(a, "%c(%.*s)", letters[e->op], SV_ARG(e->address.text));
}

static sv get_action(const struct event *e) {
    switch (e->op) {
    case OP_CREATE:
        return e->action == ACTION_UPDATE ? SV("update") : e->action == ACTION_CHECK ? SV("check") : SV("create");
    case OP_LINK:
        return SV("link");
    case OP_DESTROY:
        return e->action == ACTION_RETAIN ? SV("forget") : SV("destroy");
    case OP_UNLINK:
        return SV("unlink");
    }
    return SV("");
}

/* The lowest that is free: as many as run at once. */
static size_t take_lane(struct timings *t) {
    size_t lane = 0;
    while (lane < t->lane_count && t->lanes[lane])
        lane++;
    t->lane_count += lane == t->lane_count;
    t->lanes[lane] = true;
    return lane;
}

static void note_start(struct timings *t, uint32_t op, const struct event *e) {
    struct timing timing = {
        .op = op, .lane = take_lane(t), .started_ms = e->monotonic_ms, .ended_ms = -1, .action = get_action(e)};
    VEC_PUSH(&t->c->arena, &t->items, timing);
    t->of_op[op] = (uint32_t)t->items.len;
}

void timings_note(struct timings *t, const struct event *e) {
    bool is_known = t && (e->kind == EVENT_ELEMENT_STARTED || e->kind == EVENT_ELEMENT_ENDED);
    const struct plan_op *found = is_known ? map_find(&t->ops, get_op_id(&t->c->arena, e)) : NULL;
    if (!found)
        return; /* what an earlier run left open is settled outside of the plan */
    uint32_t op = (uint32_t)(found - t->plan->ops);
    if (e->kind == EVENT_ELEMENT_STARTED && t->of_op[op] == 0) {
        note_start(t, op, e);
    } else if (e->kind == EVENT_ELEMENT_ENDED && t->of_op[op] > 0) {
        struct timing *timing = &t->items.items[t->of_op[op] - 1];
        timing->ended_ms = e->monotonic_ms;
        timing->status = status_get_text(e->status);
        t->lanes[timing->lane] = false;
    }
}

static int64_t get_duration(const struct timing *timing) {
    return timing->ended_ms < 0 ? 0 : timing->ended_ms - timing->started_ms;
}

/* --- the critical path --- */

/* Of two timings the one that ended later and not after `started_ms`; of equal ones the one that started later. */
static const struct timing *choose_later(const struct timing *best, const struct timing *other, int64_t started_ms) {
    if (!other || other->ended_ms < 0 || other->ended_ms > started_ms)
        return best;
    if (!best || other->ended_ms != best->ended_ms)
        return !best || other->ended_ms > best->ended_ms ? other : best;
    return other > best ? other : best; /* they stand in the order of their starts */
}

static const struct timing *find_timing(const struct timings *t, uint32_t op) {
    return op < t->plan->op_count && t->of_op[op] > 0 ? &t->items.items[t->of_op[op] - 1] : NULL;
}

struct path_finder {
    const struct timings *t;
    const struct timing **of_barrier; /* what ended last behind each */
    uint8_t *visits;                  /* 2: `of_barrier` is known */
    VEC(uint32_t) open;               /* barriers */
};

static void settle_barrier(struct path_finder *f, uint32_t number) {
    size_t op_count = f->t->plan->op_count;
    const struct plan_barrier *barrier = &f->t->plan->barriers[number];
    for (size_t i = 0; i < barrier->after_count; i++) {
        uint32_t n = barrier->after[i];
        const struct timing *other = n < op_count ? find_timing(f->t, n) : f->of_barrier[n - op_count];
        if (!barrier->after_config[i])
            f->of_barrier[number] = choose_later(f->of_barrier[number], other, INT64_MAX);
    }
    f->visits[number] = 2;
}

/* Barriers may stand behind barriers: each is settled once, those it waits for first. */
static const struct timing *find_behind_barrier(struct path_finder *f, uint32_t number) {
    size_t op_count = f->t->plan->op_count;
    VEC_PUSH(&f->t->c->arena, &f->open, number);
    while (f->open.len > 0) {
        uint32_t at = f->open.items[f->open.len - 1];
        const struct plan_barrier *barrier = &f->t->plan->barriers[at];
        bool is_first = f->visits[at] == 0;
        if (!is_first) {
            f->open.len--;
            if (f->visits[at] == 1)
                settle_barrier(f, at);
            continue;
        }
        f->visits[at] = 1;
        for (size_t i = 0; i < barrier->after_count; i++) {
            if (barrier->after[i] >= op_count && f->visits[barrier->after[i] - op_count] == 0)
                VEC_PUSH(&f->t->c->arena, &f->open, (uint32_t)(barrier->after[i] - op_count));
        }
    }
    return f->of_barrier[number];
}

/* What the operation waited for last. */
static const struct timing *find_before(struct path_finder *f, const struct timing *timing) {
    const struct plan *p = f->t->plan;
    const struct plan_op *op = &p->ops[timing->op];
    const struct timing *best = NULL;
    for (size_t i = 0; i < op->after_count; i++) {
        uint32_t n = op->after[i];
        const struct timing *other =
            n < p->op_count ? find_timing(f->t, n) : find_behind_barrier(f, (uint32_t)(n - p->op_count));
        best = choose_later(best, other, timing->started_ms);
    }
    return best;
}

struct timing_list {
    const struct timing **items;
    size_t count;
};

/* From the operation that ended last back to one that waited for none; first comes first. */
static struct timing_list find_critical_path(const struct timings *t) {
    struct arena *a = &t->c->arena;
    struct timing_list path = {.items = ARENA_ARRAY(a, const struct timing *, t->items.len + 1)};
    struct path_finder f = {.t = t};
    f.of_barrier = ARENA_ARRAY(a, const struct timing *, t->plan->barrier_count + 1);
    f.visits = ARENA_ARRAY(a, uint8_t, t->plan->barrier_count + 1);
    const struct timing *at = NULL;
    for (size_t i = 0; i < t->items.len; i++)
        at = choose_later(at, &t->items.items[i], INT64_MAX);
    for (; at && path.count < t->items.len; at = find_before(&f, at))
        path.items[path.count++] = at;
    for (size_t i = 0; i < path.count / 2; i++) {
        const struct timing *other = path.items[i];
        path.items[i] = path.items[path.count - 1 - i];
        path.items[path.count - 1 - i] = other;
    }
    return path;
}

/* Slowest first; of equal ones the one that stands first in the plan. */
static int compare_durations(const void *a, const void *b) {
    const struct timing *x = *(const struct timing *const *)a, *y = *(const struct timing *const *)b;
    int64_t dx = get_duration(x), dy = get_duration(y);
    return dx != dy ? (dx < dy) - (dx > dy) : (x->op > y->op) - (x->op < y->op);
}

static struct timing_list find_slowest(const struct timings *t) {
    struct timing_list list = {.items = ARENA_ARRAY(&t->c->arena, const struct timing *, t->items.len + 1)};
    for (size_t i = 0; i < t->items.len; i++)
        list.items[list.count++] = &t->items.items[i];
    if (list.count > 1)
        qsort(list.items, list.count, sizeof(const struct timing *), compare_durations);
    list.count = list.count > SLOWEST ? SLOWEST : list.count;
    return list;
}

/* --- output --- */

static sv get_address(const struct timings *t, const struct timing *timing) {
    return t->plan->changes[t->plan->ops[timing->op].change].address.text;
}

static void write_list(const struct timings *t, struct jsonw *w, const char *key, struct timing_list list) {
    jsonw_key(w, sv_from_cstr(key));
    jsonw_begin_array(w);
    for (size_t i = 0; i < list.count; i++) {
        jsonw_begin_object(w);
        jsonw_put_text(w, "address", get_address(t, list.items[i]));
        jsonw_put_text(w, "action", list.items[i]->action);
        jsonw_put_i64(w, "startedMs", list.items[i]->started_ms);
        jsonw_put_i64(w, "elapsedMs", get_duration(list.items[i]));
        jsonw_end_object(w);
    }
    jsonw_end_array(w);
}

void timings_write_json(const struct timings *t, struct jsonw *w) {
    if (!t || !t->is_shown)
        return;
    jsonw_key(w, SV("timings"));
    jsonw_begin_object(w);
    write_list(t, w, "criticalPath", find_critical_path(t));
    write_list(t, w, "slowest", find_slowest(t));
    jsonw_put_i64(w, "lanes", (int64_t)t->lane_count);
    jsonw_end_object(w);
}

static void render_list(const struct timings *t, struct buf *out, struct timing_list list) {
    struct arena *a = out->arena;
    size_t shown = list.count > LISTED ? LISTED : list.count;
    for (size_t i = 0; i < shown; i++) {
        struct buf duration = BUF(a);
        output_render_duration(&duration, get_duration(list.items[i]));
        buf_printf(out, "  %8.*s  %.*s %.*s\n", SV_ARG(buf_get_sv(&duration)), SV_ARG(list.items[i]->action),
                   SV_ARG(render_escape(a, get_address(t, list.items[i]))));
    }
    if (list.count > shown)
        buf_printf(out, "            and %zu more\n", list.count - shown);
}

static void show(const struct timings *t) {
    struct buf out = BUF(&t->c->arena);
    struct timing_list path = find_critical_path(t);
    if (path.count == 0)
        return;
    buf_append_cstr(&out, "\nCritical path (");
    output_render_duration(&out, path.items[path.count - 1]->ended_ms - path.items[0]->started_ms);
    buf_printf(&out, ", %zu of %zu operations):\n", path.count, t->items.len);
    render_list(t, &out, path);
    buf_append_cstr(&out, "\nSlowest:\n");
    render_list(t, &out, find_slowest(t));
    output_text(t->c, buf_get_sv(&out));
}

/* --- the trace, in the format that browsers show (about:tracing) --- */

static void write_lane_names(const struct timings *t, struct jsonw *w) {
    for (size_t i = 0; i < t->lane_count; i++) {
        jsonw_begin_object(w);
        jsonw_put_text(w, "name", SV("thread_name"));
        jsonw_put_text(w, "ph", SV("M"));
        jsonw_put_i64(w, "pid", 1);
        jsonw_put_i64(w, "tid", (int64_t)i + 1);
        jsonw_key(w, SV("args"));
        jsonw_begin_object(w);
        jsonw_put_text(w, "name", arena_printf(&t->c->arena, "slot %zu", i + 1));
        jsonw_end_object(w);
        jsonw_end_object(w);
    }
}

static void write_trace_event(const struct timings *t, struct jsonw *w, const struct timing *timing) {
    enum { US = 1000 };
    int64_t first_ms = t->items.items[0].started_ms;
    jsonw_begin_object(w);
    jsonw_put_text(w, "name", get_address(t, timing));
    jsonw_put_text(w, "cat", timing->action);
    jsonw_put_text(w, "ph", timing->ended_ms < 0 ? SV("B") : SV("X"));
    jsonw_put_i64(w, "ts", (timing->started_ms - first_ms) * US);
    if (timing->ended_ms >= 0)
        jsonw_put_i64(w, "dur", get_duration(timing) * US);
    jsonw_put_i64(w, "pid", 1);
    jsonw_put_i64(w, "tid", (int64_t)timing->lane + 1);
    jsonw_key(w, SV("args"));
    jsonw_begin_object(w);
    jsonw_put_text(w, "operation", t->plan->ops[timing->op].id);
    jsonw_put_text(w, "status", timing->status);
    jsonw_end_object(w);
    jsonw_end_object(w);
}

static sv make_trace(const struct timings *t) {
    struct buf out = BUF(&t->c->arena);
    struct jsonw w = JSONW(&out, 0);
    jsonw_begin_object(&w);
    jsonw_put_text(&w, "displayTimeUnit", SV("ms"));
    jsonw_key(&w, SV("traceEvents"));
    jsonw_begin_array(&w);
    write_lane_names(t, &w);
    for (size_t i = 0; i < t->items.len; i++)
        write_trace_event(t, &w, &t->items.items[i]);
    jsonw_end_array(&w);
    jsonw_end_object(&w);
    buf_append_char(&out, '\n');
    return buf_get_sv(&out);
}

static bool write_trace(const struct timings *t) {
    sv text = make_trace(t);
    enum file_made made = file_make(t->c, t->trace, text);
    return made == FILE_MADE || (made == FILE_EXISTS && file_replace(t->c, t->trace, text));
}

bool timings_begin(struct timings *t) {
    return !t || t->trace.len == 0 || write_trace(t);
}

bool timings_end(struct timings *t) {
    if (t && t->is_shown)
        show(t);
    return !t || t->trace.len == 0 || write_trace(t);
}
