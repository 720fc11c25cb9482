/* What a run says while it goes (LC-060, LC-061, CLI-032): NDJSON for machines; for people a line per ended element,
 * and on a terminal a live block of what is under way. */
#include "apps/cli/consent.h"
#include "apps/cli/timings.h"
#include "engine/event_json.h"

#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { LIVE_MAX = 10 }; /* lines of the live block */

struct active {
    sv address;
    sv verb;
    int64_t started_ms;
};

/* What a run has come to. */
struct run_summary {
    bool is_set;
    sv outcome;
    struct plan_summary done;
    int64_t elapsed_ms;
    const struct rollback *rollback;
};

struct progress {
    struct cli *cli;
    struct run_summary summary;
    bool is_held;            /* another run follows, whose summary is the command's */
    bool is_live;            /* the cursor may be moved */
    bool is_idle;            /* the plan has nothing to do */
    size_t live_lines;       /* of the block on the screen */
    struct timings *timings; /* NULL: not wanted */
    sv run_id;               /* goes into the events; empty: there is but one run */
    VEC(struct active) active;
};

struct progress *progress_new(struct cli *c) {
    struct progress *p = ARENA_NEW(&c->arena, struct progress);
    p->cli = c;
    p->is_live = isatty(STDERR_FILENO) == 1 && !c->json && !c->quiet;
    return p;
}

void progress_set_idle(struct progress *p) {
    p->is_idle = true;
}

void progress_set_timings(struct progress *p, struct timings *timings) {
    p->timings = timings;
}

void progress_set_run(struct progress *p, sv run_id) {
    p->run_id = run_id;
}

struct cli *progress_get_cli(const struct progress *p) {
    return p->cli;
}

static void put(sv text) {
    fwrite(text.data, 1, text.len, stderr);
    fflush(stderr);
}

static void erase_block(struct progress *p) {
    struct buf out = BUF(&p->cli->arena);
    for (; p->live_lines > 0; p->live_lines--)
        buf_append_cstr(&out, "\033[1A\033[2K");
    put(buf_get_sv(&out));
}

static size_t get_columns(void) {
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40 ? size.ws_col : 80;
}

/* At most so many characters: a line that wraps would be two lines to erase. */
static sv cut_text(sv text, size_t columns) {
    size_t at = 0;
    for (size_t n = 0; at < text.len && n < columns; n++) {
        at++;
        while (at < text.len && ((unsigned char)text.data[at] & 0xC0) == 0x80)
            at++;
    }
    return sv_slice(text, 0, at);
}

static void draw_block(struct progress *p, int64_t now_ms) {
    struct arena *arena = &p->cli->arena;
    struct buf out = BUF(arena);
    size_t columns = get_columns();
    size_t shown = p->active.len < LIVE_MAX ? p->active.len : LIVE_MAX;
    for (size_t i = 0; i < shown; i++) {
        const struct active *a = &p->active.items[i];
        struct buf tail = BUF(arena);
        buf_printf(&tail, " %.*s ", SV_ARG(a->verb));
        output_render_duration(&tail, now_ms - a->started_ms);
        buf_printf(&out, "  … %.*s%.*s\n", SV_ARG(cut_text(a->address, columns - tail.len - 5)),
                   SV_ARG(buf_get_sv(&tail)));
    }
    p->live_lines = shown;
    if (p->active.len > shown) {
        buf_printf(&out, "  … and %zu more\n", p->active.len - shown);
        p->live_lines++;
    }
    put(buf_get_sv(&out));
}

static void remove_active(struct progress *p, sv address) {
    for (size_t i = 0; i < p->active.len; i++) {
        if (!sv_eq(p->active.items[i].address, address))
            continue;
        for (size_t k = i + 1; k < p->active.len; k++)
            p->active.items[k - 1] = p->active.items[k];
        p->active.len--;
        return;
    }
}

static void say_started(struct progress *p, const struct event *e) {
    struct arena *a = &p->cli->arena;
    struct active item = {render_escape(a, arena_copy_sv(a, e->address.text)), event_get_verb(e), e->monotonic_ms};
    VEC_PUSH(a, &p->active, item);
    if (!p->is_live)
        output_note(p->cli, "  %.*s %.*s", SV_ARG(item.address), SV_ARG(item.verb));
}

static void say_ended(struct progress *p, const struct event *e) {
    struct cli *c = p->cli;
    sv address = render_escape(&c->arena, arena_copy_sv(&c->arena, e->address.text));
    sv status = status_get_text(e->status);
    bool failed = sv_find(status, SV("failed")) != SIZE_MAX || sv_find(status, SV("interrupted")) != SIZE_MAX;
    struct buf out = BUF(&c->arena);
    remove_active(p, address);
    buf_printf(&out, "  %s%s%s %.*s ", output_start_color(c->color_err, failed ? "red" : "green"), failed ? "✗" : "✓",
               output_end_color(c->color_err), SV_ARG(address));
    for (size_t i = 0; i < status.len; i++)
        buf_append_char(&out, status.data[i] == '_' ? ' ' : status.data[i]);
    buf_append_cstr(&out, " (");
    output_render_duration(&out, e->elapsed_ms);
    buf_append_char(&out, ')');
    output_note(c, "%.*s", SV_ARG(buf_get_sv(&out)));
}

static void say_heartbeat(struct progress *p, const struct event *e) {
    if (p->is_live || e->address.text.len == 0)
        return;
    struct buf out = BUF(&p->cli->arena);
    output_render_duration(&out, e->elapsed_ms);
    output_note(p->cli, "  … %.*s %.*s, %.*s so far", SV_ARG(render_escape(&p->cli->arena, e->address.text)),
                SV_ARG(event_get_verb(e)), SV_ARG(buf_get_sv(&out)));
}

static void say(struct progress *p, const struct event *e) {
    switch (e->kind) {
    case EVENT_ELEMENT_STARTED:
        say_started(p, e);
        break;
    case EVENT_ELEMENT_ENDED:
        say_ended(p, e);
        break;
    case EVENT_HEARTBEAT:
        say_heartbeat(p, e);
        break;
    case EVENT_MESSAGE:
        output_note(p->cli, "%s%.*s%s%.*s", e->address.text.len > 0 ? "  " : "",
                    SV_ARG(render_escape(&p->cli->arena, e->address.text)), e->address.text.len > 0 ? ": " : "",
                    SV_ARG(render_escape(&p->cli->arena, mask_apply(&p->cli->mask, &p->cli->arena, e->text))));
        break;
    case EVENT_DIAGNOSTIC: /* shown at the end, with all others */
    case EVENT_SUMMARY:
        break;
    }
}

static void write_json(struct progress *p, const struct event *e) {
    struct cli *c = p->cli;
    struct buf out = BUF(&c->arena);
    struct jsonw w = JSONW(&out, 0);
    event_write_json(&w, e, &(struct event_context){.diags = &c->diags, .mask = &c->mask, .run_id = p->run_id});
    output_event_line(c, buf_get_sv(&out));
}

static void keep_summary(struct progress *p, const struct event *e) {
    bool is_unchanged = p->is_idle && (sv_eq(e->outcome, SV("updated")) || sv_eq(e->outcome, SV("deployed")));
    p->summary = (struct run_summary){.is_set = true,
                                      .outcome = is_unchanged ? SV("unchanged") : e->outcome,
                                      .elapsed_ms = e->elapsed_ms,
                                      .rollback = e->rollback};
    if (e->done)
        p->summary.done = *e->done;
}

/* The summary of a run becomes part of the command's own last line. */
static void write_summary(struct progress *p) {
    const struct run_summary *s = &p->summary;
    struct jsonw *w = &p->cli->writer;
    if (p->is_held) {
        jsonw_key(w, SV("failedRun"));
        jsonw_begin_object(w);
    }
    jsonw_put_text(w, "outcome", s->outcome);
    jsonw_key(w, SV("done"));
    jsonw_begin_object(w);
    jsonw_put_i64(w, "created", (int64_t)s->done.create);
    jsonw_put_i64(w, "updated", (int64_t)s->done.update);
    jsonw_put_i64(w, "replaced", (int64_t)s->done.replace);
    jsonw_put_i64(w, "destroyed", (int64_t)s->done.destroy);
    jsonw_end_object(w);
    jsonw_put_i64(w, "elapsedMs", s->elapsed_ms);
    if (s->rollback)
        rollback_write_json(w, s->rollback);
    if (p->is_held)
        jsonw_end_object(w);
    timings_write_json(p->timings, w);
}

void progress_hold_summary(struct progress *p) {
    p->is_held = true;
}

void progress_on_event(void *user, const struct event *e) {
    struct progress *p = user;
    timings_note(p->timings, e);
    if (e->kind == EVENT_SUMMARY)
        keep_summary(p, e);
    else if (output_wants_events(p->cli))
        write_json(p, e);
    if (p->cli->json)
        return;
    if (p->is_live)
        erase_block(p);
    say(p, e);
    if (p->is_live)
        draw_block(p, e->monotonic_ms);
}

void progress_end(struct progress *p) {
    if (p->summary.is_set)
        write_summary(p);
    if (p->is_live)
        erase_block(p);
    for (size_t i = 0; i < p->active.len; i++)
        output_note(p->cli, "  ? %.*s was left while %.*s; the next run finds out", SV_ARG(p->active.items[i].address),
                    SV_ARG(p->active.items[i].verb));
}
