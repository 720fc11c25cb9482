#include "dialects/dynaml/debug.h"

#include "dialects/dynaml/internal.h"

enum { SHOWN = 200 };

static void print_outcome(struct buf *out, value v) {
    struct buf text = BUF(out->arena);
    if (v.kind == VALUE_ERROR) {
        const struct eval_failure *f = v.cause;
        buf_append_cstr(out, " fails");
        if (f != NULL && f->message.len > 0)
            buf_printf(out, ": %.*s", SV_ARG(f->message));
        return;
    }
    if (v.kind == VALUE_PENDING) {
        buf_append_cstr(out, " waits");
        return;
    }
    dynaml_print_value(&text, v);
    buf_printf(out, " gives %.*s%s", SV_ARG(sv_slice(buf_get_sv(&text), 0, SHOWN)), text.len > SHOWN ? "…" : "");
}

/* Of the expression of a node, not of its parts. */
static void trace(void *user, const struct expr *e, const struct cell *in, value result) {
    struct stage *s = user;
    struct arena scratch = {0};
    const struct place *p = in == NULL ? NULL : in->owner;
    if (p == NULL || e != in->expr || (e != p->expr && e != p->current))
        return;
    struct buf out = BUF(&scratch), path = BUF(&scratch);
    place_print_path(&path, p);
    buf_printf(&out, "%.*s %.*s: (( ", SV_ARG(p->origin->file), SV_ARG(buf_get_sv(&path)));
    dynaml_print(&out, e);
    buf_append_cstr(&out, " ))");
    print_outcome(&out, result);
    buf_append_char(&out, '\n');
    s->run->o.trace(s->run->o.trace_user, buf_get_sv(&out));
    arena_fini(&scratch);
}

const struct observer *debug_observe(struct stage *s) {
    s->observer = (struct observer){.user = s, .evaluated = trace};
    return s->run->o.trace == NULL ? NULL : &s->observer;
}
