#include "dialects/dynaml/notes.h"

void notes_init(struct notes *n, struct arena *a) {
    *n = (struct notes){.a = a, .places = MAP(a), .pairs = MAP(a)};
}

/* The bytes of the address are the key. */
static sv get_key(const struct place *const *p) {
    return sv_make((const char *)p, sizeof *p);
}

const struct note *notes_find(const struct notes *n, const struct place *p) {
    return map_find(&n->places, get_key(&p));
}

static struct note *get_note(struct notes *n, const struct place *p) {
    struct note *note = map_find(&n->places, get_key(&p));
    if (note != NULL)
        return note;
    note = ARENA_NEW(n->a, struct note);
    map_put(&n->places, arena_copy_sv(n->a, get_key(&p)), note);
    return note;
}

static struct place *get_current(struct evaluator *ev) {
    const struct cell *c = eval_get_cell(ev);
    return c == NULL ? NULL : c->owner;
}

static struct note_need make_need(struct notes *n, struct place *target, const struct expr *ref, size_t used) {
    size_t count = ref->count > used ? ref->count - used : 0;
    sv *rest = ARENA_ARRAY(n->a, sv, count + 1);
    for (size_t i = 0; i < count; i++) {
        const struct step *step = &ref->ref.steps[used + i];
        rest[i] = step->kind == STEP_INDEX ? arena_printf(n->a, "[%zu]", step->index) : step->name;
    }
    return (struct note_need){.p = target, .rest = rest, .rest_len = count};
}

void notes_add_need(struct notes *n, struct evaluator *ev, struct place *target, const struct expr *ref, size_t used) {
    const struct place *pair[] = {get_current(ev), target};
    const struct expr *rest = ref->count > used ? ref : NULL;
    struct buf key = BUF(n->a);
    if (pair[0] == NULL)
        return;
    buf_append(&key, sv_make((const char *)pair, sizeof pair));
    buf_append(&key, sv_make((const char *)&rest, sizeof rest));
    if (map_has(&n->pairs, buf_get_sv(&key)))
        return;
    map_put(&n->pairs, buf_get_sv(&key), n);
    VEC_PUSH(n->a, &get_note(n, pair[0])->needs, make_need(n, target, ref, used));
}

void notes_add_copy(struct notes *n, struct place *p, struct place *root) {
    VEC_PUSH(n->a, &get_note(n, p)->copies, root);
}

void notes_add_lookup(struct notes *n, struct evaluator *ev, const struct note_lookup *lookup) {
    const struct place *p = get_current(ev);
    struct buf text = BUF(n->a);
    if (p == NULL)
        return;
    buf_append(&text, get_key(&p));
    buf_append_char(&text, lookup->is_absolute ? '.' : ' ');
    stub_path_print(&text, lookup->path);
    if (map_has(&n->pairs, buf_get_sv(&text)))
        return;
    map_put(&n->pairs, buf_get_sv(&text), n);
    VEC_PUSH(n->a, &get_note(n, p)->lookups, *lookup);
}

void notes_set_override(struct notes *n, struct place *p, value before) {
    get_note(n, p)->before = before;
}

void notes_set_merged(struct notes *n, struct place *p, const struct stub_path *path) {
    struct note *note = get_note(n, p);
    note->is_merged = true;
    note->merged_at = path;
}

void notes_set_start(struct notes *n, struct place *list, size_t item, size_t start) {
    struct note *note = get_note(n, list);
    if (note->starts == NULL)
        note->starts = ARENA_ARRAY(n->a, size_t, list->source.list->len + 1);
    note->starts[item] = start;
    note->start_count = item + 1;
}
