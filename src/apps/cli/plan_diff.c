/* `plan diff A B`: what two saved plans do differently. Compared is what each of them changes, element by element and
 * field by field; ids, times and order of the plans do not count. */
#include "apps/cli/consent.h"
#include "apps/cli/plan_view.h"

enum side { FIRST, SECOND };

struct comparison {
    struct cli *c;
    struct sealer *sealer;
    struct buf *out;
    const struct plan *plans[2];
    sv files[2];
    enum secrecy secrecy;
    size_t only[2], different, same;
};

/* A field of both plans, or of one. */
struct pair {
    const struct field_change *sides[2];
};

static sv get_key(struct arena *a, const struct change *change) {
    if (!change->deposed)
        return change->address.text;
    return arena_printf(a, "%.*s (old %lld)", SV_ARG(change->address.text), (long long)change->generation);
}

/* Unknown is the same on both sides here: neither plan tells more. */
static bool is_same_value(struct comparison *m, value a, value b) {
    if (!value_is_set(a) || !value_is_set(b))
        return value_is_set(a) == value_is_set(b);
    if (value_eq(a, b) || seal_is_same_secret(m->sealer, a, b) || seal_is_same_secret(m->sealer, b, a))
        return true;
    if (seal_find_digest(a).len > 0 && sv_eq(seal_find_digest(a), seal_find_digest(b)))
        return true;
    if (value_is_known(a) || value_is_known(b) || seal_find_digest(a).len > 0 || seal_find_digest(b).len > 0)
        return false;
    struct arena *arena = m->out->arena;
    return value_is_sensitive(a) == value_is_sensitive(b) &&
           sv_eq(value_print_json(arena, a, 0, REVEAL), value_print_json(arena, b, 0, REVEAL));
}

static bool is_same_field(struct comparison *m, const struct pair *pair) {
    const struct field_change *a = pair->sides[FIRST], *b = pair->sides[SECOND];
    if (!a || !b)
        return false;
    return a->kind == b->kind && a->unknown == b->unknown && a->must_recreate == b->must_recreate &&
           is_same_value(m, a->before, b->before) && (a->unknown || is_same_value(m, a->after, b->after));
}

/* Fields by path, those of the first plan first. */
static void pair_fields(struct comparison *m, const struct change *const sides[2], struct map *pairs) {
    struct arena *a = m->out->arena;
    for (int side = FIRST; side <= SECOND; side++) {
        for (size_t i = 0; sides[side] && i < sides[side]->diff.changes.len; i++) {
            const struct field_change *f = &sides[side]->diff.changes.items[i];
            void **slot = map_get_slot(pairs, path_to_text(a, f->path), NULL);
            if (!*slot)
                *slot = ARENA_NEW(a, struct pair);
            ((struct pair *)*slot)->sides[side] = f;
        }
    }
}

static void render_side(struct comparison *m, const struct field_change *f) {
    if (!f)
        buf_append_cstr(m->out, "(no change)");
    else if (f->kind == FIELD_REMOVED)
        buf_append_cstr(m->out, "(removed)");
    else if (f->unknown)
        buf_append_cstr(m->out, "(known on deploy)");
    else
        plan_render_value(m->out, f->after, f->sensitive, m->secrecy);
    if (f && f->must_recreate)
        buf_append_cstr(m->out, " # forces replacement");
}

static void write_side(struct comparison *m, const char *key, const struct field_change *f) {
    struct jsonw *w = &m->c->writer;
    if (!f)
        return;
    jsonw_key(w, sv_from_cstr(key));
    jsonw_begin_object(w);
    jsonw_put_text(w, "change",
                   f->kind == FIELD_NEW       ? SV("new")
                   : f->kind == FIELD_REMOVED ? SV("removed")
                                              : SV("modified"));
    jsonw_put_bool(w, "mustRecreate", f->must_recreate);
    bool has_value = f->kind != FIELD_REMOVED && !f->unknown && value_is_set(f->after);
    if (has_value) {
        jsonw_key(w, SV("value"));
        value_write_json(w, f->sensitive ? value_mark(f->after, MARK_SENSITIVE) : f->after, m->secrecy);
    }
    jsonw_end_object(w);
}

static void tell_fields(struct comparison *m, const struct map *pairs) {
    struct jsonw *w = &m->c->writer;
    jsonw_key(w, SV("fields"));
    jsonw_begin_array(w);
    for (size_t i = 0; i < pairs->len; i++) {
        const struct pair *pair = pairs->entries[i].value;
        if (is_same_field(m, pair))
            continue;
        buf_printf(m->out, "      %.*s: ", SV_ARG(render_escape(m->out->arena, pairs->entries[i].key)));
        render_side(m, pair->sides[FIRST]);
        buf_append_cstr(m->out, " | ");
        render_side(m, pair->sides[SECOND]);
        buf_append_char(m->out, '\n');
        jsonw_begin_object(w);
        jsonw_put_text(w, "fieldPath", pairs->entries[i].key);
        write_side(m, "first", pair->sides[FIRST]);
        write_side(m, "second", pair->sides[SECOND]);
        jsonw_end_object(w);
    }
    jsonw_end_array(w);
}

static bool is_same_change(struct comparison *m, const struct change *a, const struct change *b,
                           const struct map *pairs) {
    bool same = a->action == b->action && a->retain == b->retain && sv_eq(a->type, b->type) &&
                (a->action != ACTION_REPLACE || a->destroy_first == b->destroy_first) &&
                a->condition_known_on_deploy == b->condition_known_on_deploy;
    for (size_t i = 0; same && i < pairs->len; i++)
        same = is_same_field(m, pairs->entries[i].value);
    if (same && a->kind == ELEMENT_EXPORT)
        same = is_same_value(m, a->before, b->before) && is_same_value(m, a->after, b->after);
    return same;
}

static void render_operation(struct buf *out, const struct change *change) {
    sv symbol = plan_action_get_symbol(change);
    buf_printf(out, "%.*s %.*s", SV_ARG(symbol), SV_ARG(kind_get_name(kinds_get(change))));
}

static void tell_values(struct comparison *m, const struct change *const sides[2]) {
    if (!sides[FIRST] || !sides[SECOND] || sides[FIRST]->kind != ELEMENT_EXPORT)
        return;
    buf_append_cstr(m->out, "      ");
    for (int side = FIRST; side <= SECOND; side++) {
        value v = sides[side]->after;
        if (value_is_set(v))
            plan_render_value(m->out, v, value_is_sensitive(v), m->secrecy);
        else
            buf_append_cstr(m->out, "(removed)");
        buf_append_cstr(m->out, side == FIRST ? " | " : "\n");
    }
}

/* One element that the plans treat differently; a side may be NULL. */
static void tell_change(struct comparison *m, sv key, const struct change *const sides[2], const struct map *pairs) {
    static const char *const keys[2] = {"first", "second"};
    struct jsonw *w = &m->c->writer;
    buf_printf(m->out, "  %.*s: ", SV_ARG(render_escape(m->out->arena, key)));
    jsonw_begin_object(w);
    jsonw_put_text(w, "address", (sides[FIRST] ? sides[FIRST] : sides[SECOND])->address.text);
    for (int side = FIRST; side <= SECOND; side++) {
        if (sides[side]) {
            render_operation(m->out, sides[side]);
            jsonw_put_text(w, keys[side], kind_get_name(kinds_get(sides[side])));
        } else {
            buf_append_cstr(m->out, "(no change)");
        }
        buf_append_cstr(m->out, side == FIRST ? " | " : "\n");
    }
    if (sides[FIRST] && sides[SECOND])
        tell_fields(m, pairs);
    tell_values(m, sides);
    jsonw_end_object(w);
}

static void compare_change(struct comparison *m, sv key, const struct change *const sides[2]) {
    struct map pairs = MAP(m->out->arena);
    if (sides[FIRST] && sides[SECOND]) {
        pair_fields(m, sides, &pairs);
        if (is_same_change(m, sides[FIRST], sides[SECOND], &pairs)) {
            m->same++;
            return;
        }
        m->different++;
    } else {
        m->only[sides[FIRST] ? FIRST : SECOND]++;
    }
    tell_change(m, key, sides, &pairs);
}

static struct map index_changes(struct arena *a, const struct plan *p) {
    struct map map = MAP(a);
    for (size_t i = 0; i < p->change_count; i++)
        map_put(&map, get_key(a, &p->changes[i]), &p->changes[i]);
    return map;
}

static void compare_all(struct comparison *m) {
    struct map first = index_changes(m->out->arena, m->plans[FIRST]);
    struct map second = index_changes(m->out->arena, m->plans[SECOND]);
    for (size_t i = 0; i < first.len; i++) {
        const struct change *sides[2] = {first.entries[i].value, map_find(&second, first.entries[i].key)};
        compare_change(m, first.entries[i].key, sides);
    }
    for (size_t i = 0; i < second.len; i++) {
        const struct change *sides[2] = {NULL, second.entries[i].value};
        if (!map_has(&first, second.entries[i].key))
            compare_change(m, second.entries[i].key, sides);
    }
}

static void tell_head(struct comparison *m) {
    static const char *const keys[2] = {"first", "second"};
    struct jsonw *w = &m->c->writer;
    for (int side = FIRST; side <= SECOND; side++) {
        const struct plan *p = m->plans[side];
        struct arena *a = m->out->arena;
        buf_printf(m->out, "%s: %.*s, instance %.*s, version %lld%s\n", side == FIRST ? "First " : "Second",
                   SV_ARG(render_escape(a, m->files[side])), SV_ARG(render_escape(a, p->instance_name)),
                   (long long)p->instance_version, p->destroy ? ", destroys" : "");
        jsonw_key(w, sv_from_cstr(keys[side]));
        jsonw_begin_object(w);
        jsonw_put_text(w, "file", m->files[side]);
        jsonw_put_text(w, "id", p->id);
        jsonw_put_text(w, "instance", p->instance_name);
        jsonw_put_i64(w, "version", p->instance_version);
        jsonw_put_bool(w, "destroy", p->destroy);
        jsonw_end_object(w);
    }
    jsonw_put_bool(w, "sameTemplate", sv_eq(m->plans[FIRST]->template_digest, m->plans[SECOND]->template_digest));
    buf_append_char(m->out, '\n');
}

static enum exit_code tell_all(struct comparison *m) {
    struct jsonw *w = &m->c->writer;
    jsonw_key(w, SV("diff"));
    jsonw_begin_object(w);
    tell_head(m);
    jsonw_key(w, SV("changes"));
    jsonw_begin_array(w);
    compare_all(m);
    jsonw_end_array(w);
    jsonw_key(w, SV("counts"));
    jsonw_begin_object(w);
    jsonw_put_i64(w, "onlyFirst", (int64_t)m->only[FIRST]);
    jsonw_put_i64(w, "onlySecond", (int64_t)m->only[SECOND]);
    jsonw_put_i64(w, "different", (int64_t)m->different);
    jsonw_put_i64(w, "same", (int64_t)m->same);
    jsonw_end_object(w);
    jsonw_end_object(w);
    bool differs = m->only[FIRST] + m->only[SECOND] + m->different > 0;
    buf_printf(m->out, "%s%zu only in the first, %zu only in the second, %zu different, %zu the same.\n",
               differs ? "\n" : "", m->only[FIRST], m->only[SECOND], m->different, m->same);
    output_text(m->c, buf_get_sv(m->out));
    return differs && settings_get_flag(m->c, "detailed-exitcode") ? EXIT_CHANGES : EXIT_OK;
}

static enum exit_code compare_files(struct session *s, const sv files[2], enum secrecy secrecy) {
    struct buf out = BUF(&s->cli->arena);
    struct comparison m = {.c = s->cli, .sealer = s->sealer, .out = &out, .secrecy = secrecy};
    for (int side = FIRST; side <= SECOND; side++) {
        m.files[side] = files[side];
        m.plans[side] = deploy_read_plan(s, files[side]);
        if (!m.plans[side])
            return EXIT_INVALID;
    }
    return tell_all(&m);
}

enum exit_code plan_diff_run(struct cli *c, sv first, sv second) {
    enum secrecy secrecy;
    struct session session = {0};
    const sv files[2] = {first, second};
    if (!secrecy_choose(c, &secrecy))
        return EXIT_USAGE;
    enum exit_code code =
        session_open(c, &session, SESSION_READ) ? compare_files(&session, files, secrecy) : session_get_error_code(c);
    session_close(&session);
    return code;
}
