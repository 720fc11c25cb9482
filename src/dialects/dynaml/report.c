#include "dialects/dynaml/report.h"

#include "dialects/dynaml/causes.h"
#include "dialects/dynaml/directives.h"
#include "dialects/dynaml/hints.h"
#include "dialects/dynaml/internal.h"

#include <stdlib.h>

/* Of one report: finding out who waits for whom goes over all of them. */
enum { CYCLES_MAX = 1000 };

struct report {
    struct stage *s;
    struct tracer tracer;
    struct map cyclic;
    size_t searches;
    VEC(struct dynaml_unresolved) items;
    unsigned level;
};

static void collect(struct report *r, struct place *p);

static bool is_unresolved(const struct place *p) {
    return p->kind != PLACE_PLAIN && p->cell.state != CELL_DONE;
}

/* `merge` and `auto` alone say what they look up (DY-312). */
static sv get_lookup(struct report *r, struct place *p) {
    struct buf out = BUF(r->s->a);
    const struct expr *e = p->expr;
    if (e == NULL || e->kind != EXPR_DIRECTIVE || (e->op != DYNAML_MERGE && e->op != DYNAML_AUTO))
        return (sv){0};
    const struct dynaml_merge *m = e->op == DYNAML_MERGE ? e->call.data : NULL;
    if (m == NULL || !m->has_path) {
        stub_path_print(&out, place_get_stub_path(r->s, p));
        return buf_get_sv(&out);
    }
    for (size_t i = 0; i < m->path_len; i++) {
        buf_append_cstr(&out, i > 0 ? "." : m->is_absolute ? "." : "");
        if (m->path[i].kind == STEP_INDEX)
            buf_printf(&out, "[%zu]", m->path[i].index);
        else
            buf_append(&out, m->path[i].name);
    }
    return buf_get_sv(&out);
}

struct choice {
    struct stage *s;
    struct place *p;
};

/* What a part of the place's expression gives, as the place would see it. */
static value ask(const struct choice *c, const struct expr *e) {
    struct place *at = place_new(c->s, NULL, value_null());
    at->kind = PLACE_PLAIN;
    at->use = c->p;
    at->cell = (struct cell){.expr = e, .scope = c->p->scope, .owner = at};
    return eval_cell(c->s->ev, &at->cell);
}

/* What is left of a pending expression: choices that were made are not printed (DY-311). All cells have their outcome,
 * so that asking again changes nothing. Bodies of lambdas are printed as they are. */
static const struct expr *choose(void *user, const struct expr *e) {
    const struct choice *c = user;
    if (e->kind == EXPR_DIRECTIVE && e->op == DYNAML_PREFER)
        return e->call.args[0];
    if (e->kind == EXPR_CALL && e->call.fn == &dynaml_default) {
        value left = ask(c, e->call.args[0]);
        return left.kind == VALUE_ERROR ? e->call.args[1] : NULL;
    }
    if (e->kind != EXPR_COND)
        return NULL;
    value condition = ask(c, e->call.args[0]);
    if (condition.kind == VALUE_ERROR || condition.kind == VALUE_PENDING)
        return NULL;
    return e->call.args[dynaml_get_truth(condition) == 1 ? 1 : 2];
}

static void print_left(struct report *r, struct buf *out, struct place *p, const struct expr *e) {
    struct choice c = {.s = r->s, .p = p};
    if (p->cell.state == CELL_FAILED)
        dynaml_print(out, e);
    else
        dynaml_print_chosen(out, e, choose, &c);
}

static sv print_expression(struct report *r, struct place *p) {
    struct buf out = BUF(r->s->a);
    if (p->unparseable.len > 0)
        return p->unparseable;
    if (p->kind == PLACE_UNPARSEABLE)
        return value_get_text(p->source);
    buf_append_cstr(&out, "(( ");
    const struct expr *e = p->current != NULL ? p->current : p->expr;
    print_left(r, &out, p, e);
    const struct dynaml_merge *m = e->kind == EXPR_DIRECTIVE && e->op == DYNAML_MERGE ? e->call.data : NULL;
    if (m != NULL && !m->has_path && place_is_redirected(p)) { /* DY-205 */
        buf_append_char(&out, ' ');
        stub_path_print(&out, place_get_stub_path(r->s, p));
    }
    buf_append_cstr(&out, " ))");
    return buf_get_sv(&out);
}

static enum dynaml_state get_state(const struct place *p) {
    if (p->kind == PLACE_UNPARSEABLE || p->unparseable.len > 0)
        return DYNAML_NOT_PARSED;
    return p->cell.state == CELL_FAILED ? DYNAML_FAILED : DYNAML_PENDING;
}

static sv get_issue(const struct place *p) {
    if (p->kind == PLACE_UNPARSEABLE)
        return SV("unparseable expression");
    const struct eval_failure *f = p->cell.state == CELL_FAILED ? p->cell.result.cause : NULL;
    return f == NULL ? (sv){0} : f->message;
}

static bool is_cyclic(struct report *r, struct place *p, const struct spot *spot) {
    struct dynaml_explained causes = {0};
    if (get_state(p) != DYNAML_PENDING)
        return false;
    if (!causes_is_known(&r->cyclic, p) && r->searches++ < CYCLES_MAX)
        causes_collect(&r->tracer, spot, &causes, &r->cyclic);
    return causes_is_cyclic(&r->cyclic, p);
}

static void add_details(struct report *r, struct place *p, struct dynaml_unresolved *u) {
    struct spot spot;
    if (r->tracer.notes == NULL)
        return;
    spot_at_place(&r->tracer, r->s, p, &spot);
    struct dynaml_position at = spot_get_position(&spot);
    u->at = spot.node == NULL ? SPAN_NONE : spot.node->at;
    u->line = at.line;
    u->column = at.column;
    u->is_cyclic = is_cyclic(r, p, &spot);
    u->hint = hints_find(r->s, p, u);
}

static void add(struct report *r, struct place *p) {
    struct buf path = BUF(r->s->a);
    place_print_path(&path, p);
    struct dynaml_unresolved u = {
        .expression = print_expression(r, p),
        .file = p->origin->file,
        .path = buf_get_sv(&path),
        .lookup = get_lookup(r, p),
        .issue = get_issue(p),
        .state = get_state(p),
        .level = r->level,
    };
    if (p->nested.len > 0)
        u.issue = p->nested.items[0].issue;
    add_details(r, p, &u);
    VEC_PUSH(r->s->a, &r->items, u);
}

static void collect_nested(struct report *r, struct place *p) {
    r->level++;
    for (size_t i = 0; i < p->nested.len; i++)
        collect(r, p->nested.items[i].content);
    r->level--;
}

static int compare_keys(const void *a, const void *b) {
    const struct place *const *left = a, *const *right = b;
    return sv_cmp((*left)->key, (*right)->key);
}

/* Keys in the order of their bytes, items by number (DY-090). */
static void collect_children(struct report *r, struct place *p) {
    size_t count = p->content.kind == VALUE_MAP ? p->content.map->len : p->content.list->len, len = 0;
    struct place **children = ARENA_ARRAY(r->s->a, struct place *, count + 1);
    for (size_t i = 0; i < count; i++) {
        if (p->children[i] != NULL)
            children[len++] = p->children[i];
    }
    if (p->content.kind == VALUE_MAP)
        qsort(children, len, sizeof *children, compare_keys);
    for (size_t i = 0; i < len; i++)
        collect(r, children[i]);
}

static void collect(struct report *r, struct place *p) {
    if (!is_unresolved(p))
        return;
    if (p->kind == PLACE_EXPRESSION || p->kind == PLACE_UNPARSEABLE) {
        if (p->in_place != NULL && is_unresolved(p->in_place)) {
            collect(r, p->in_place);
            return;
        }
        add(r, p);
        collect_nested(r, p);
        return;
    }
    if (!p->is_shaped && p->key_place != NULL)
        collect(r, p->key_place);
    for (size_t i = 0; !p->is_shaped && i < p->merge_count; i++)
        collect(r, p->merges[i]);
    if (p->is_shaped)
        collect_children(r, p);
}

void report_collect(struct stage *s, struct place *from, struct dynaml_result *result) {
    struct report r = {.s = s, .cyclic = MAP(s->a)};
    r.tracer = (struct tracer){.a = s->a, .notes = s->run->notes, .stages = s, .count = 1};
    collect(&r, from);
    result->unresolved = r.items.items;
    result->unresolved_count = r.items.len;
}

void dynaml_print_report(struct buf *out, const struct dynaml_result *result) {
    for (size_t i = 0; i < result->unresolved_count; i++) {
        const struct dynaml_unresolved *u = &result->unresolved[i];
        buf_append_repeat(out, '\t', u->level + 1);
        buf_append(out, u->expression);
        buf_append_cstr(out, "\tin ");
        buf_append(out, u->file);
        buf_append_char(out, '\t');
        buf_append(out, u->path);
        buf_append_cstr(out, "\t(");
        buf_append(out, u->lookup);
        buf_append_char(out, ')');
        if (u->issue.len > 0) {
            buf_append_char(out, '\t');
            buf_append(out, u->issue);
        }
        buf_append_char(out, '\n');
    }
}
