/* The data key in the store: found, begun, checked (LC-050, LC-052). */
#include "model/store.h"
#include "seal/sealer.h"

/* How a box of this data key starts: version and key id are nine bytes, which are twelve letters of base64. */
static sv get_box_start(struct arena *a, const struct sealer *s) {
    uint8_t head[1 + KEY_ID] = {BOX_VERSION};
    memcpy(head + 1, s->keys->id, KEY_ID);
    return crypto_print_base64(a, head, sizeof head);
}

struct boxes {
    sv start;
    bool has_any, has_ours;
};

/* Within JSON strings quotes are escaped: nothing in a document can pass for a box. */
static void look_at_text(struct boxes *b, sv text) {
    static const char mark[] = "\"$lintel\":\"sealed\",";
    sv key = SV("\"box\":\"");
    for (size_t at = sv_find(text, sv_from_cstr(mark)); at != SIZE_MAX && !b->has_ours;
         at = sv_find(text, sv_from_cstr(mark))) {
        text = sv_slice(text, at + sizeof mark - 1, text.len);
        size_t end = sv_find_char(text, '}'), box = sv_find(text, key);
        if (box != SIZE_MAX && (end == SIZE_MAX || box < end)) {
            b->has_any = true;
            b->has_ours = sv_has_prefix(sv_slice(text, box + key.len, text.len), b->start);
        }
    }
}

static enum store_result look_at_instance(struct store *store, sv id, struct boxes *b) {
    struct arena scratch = {0};
    struct store_tree tree = {0};
    enum store_result r = store->ops->load_tree(store, &scratch, id, &tree);
    if (r == STORE_OK && tree.found) {
        look_at_text(b, tree.instance.body);
        for (size_t i = 0; i < tree.elements.len && !b->has_ours; i++) {
            look_at_text(b, tree.elements.items[i].body);
        }
        for (size_t i = 0; i < tree.journal.len && !b->has_ours; i++) {
            look_at_text(b, tree.journal.items[i].body);
        }
    }
    arena_fini(&scratch);
    return r;
}

static bool report_other_key(const struct sealer_options *o) {
    struct diag *d = diags_add(o->diags, DIAG_key_not_usable, SPAN_NONE,
                               "%s does not open the secrets of context '%.*s': they are sealed with another key",
                               o->passphrase.len > 0 ? "the passphrase" : "the key given", SV_ARG(o->context));
    diag_set_hint(o->diags, d, "name the key that was used before with --key file:PATH; nothing was written");
    return false;
}

/* A state from before data keys lay in stores: is it this key that its secrets are sealed with? */
static bool check_boxes(struct sealer *s, const struct sealer_options *o, struct store *store) {
    struct arena scratch = {0};
    struct boxes b = {.start = get_box_start(&scratch, s)};
    struct store_instance *items = NULL;
    size_t count = 0;
    enum store_result r = store->ops->list_instances(store, &scratch, o->context, &items, &count);
    for (size_t i = 0; r == STORE_OK && i < count && !b.has_ours; i++) {
        r = look_at_instance(store, items[i].id, &b);
    }
    arena_fini(&scratch);
    if (r == STORE_OK && b.has_any && !b.has_ours) {
        return report_other_key(o);
    }
    return r == STORE_OK;
}

bool sealer_check_store(const struct sealer_options *o, struct store *store) {
    struct arena scratch = {.secret = true};
    struct sealer_options probe = *o;
    probe.arena = &scratch;
    probe.create = false;
    enum store_result r = store->ops->get_store_key(store, probe.store_key);
    r = r == STORE_OK ? store->ops->find_data_key(store, &scratch, o->context, &probe.wrapped) : r;
    bool can_tell = r == STORE_OK || r == STORE_NOT_FOUND;
    struct sealer *s = can_tell ? sealer_open(&probe) : NULL;
    bool ok = s != NULL;
    if (ok && r == STORE_NOT_FOUND) {
        ok = check_boxes(s, o, store);
    } else if (ok && !s->keys->has_data) {
        ok = report_other_key(o);
    }
    sealer_close(s);
    arena_fini(&scratch);
    return ok;
}

/* CONFLICT: another process was first. */
static enum store_result keep(struct store *store, sv context, sv wrapped) {
    enum store_result r = store->ops->begin(store, NULL);
    if (r != STORE_OK) {
        return r;
    }
    r = store->ops->put_data_key(store, context, (sv){0}, wrapped);
    if (r == STORE_OK) {
        return store->ops->commit(store);
    }
    store->ops->rollback(store);
    return r;
}

static struct sealer *open_once(const struct sealer_options *o, struct store *store, bool *again) {
    struct sealer_options with_key = *o;
    enum store_result r = store->ops->find_data_key(store, o->arena, o->context, &with_key.wrapped);
    *again = false;
    if (r != STORE_OK && r != STORE_NOT_FOUND) {
        return NULL;
    }
    struct sealer *s = sealer_open(&with_key);
    bool is_new = r == STORE_NOT_FOUND && o->create && s != NULL && s->keys->has_data;
    if (!is_new) {
        return s;
    }
    r = check_boxes(s, o, store) ? keep(store, o->context, s->wrapped) : STORE_FAILED;
    if (r == STORE_OK) {
        return s;
    }
    *again = r == STORE_CONFLICT;
    sealer_close(s);
    return NULL;
}

struct sealer *sealer_open_store(struct sealer_options *o, struct store *store) {
    if (store->ops->get_store_key(store, o->store_key) != STORE_OK) {
        return NULL;
    }
    bool again = false;
    struct sealer *s = open_once(o, store, &again);
    return again ? open_once(o, store, &again) : s;
}

bool sealer_is_current(const struct sealer *s, struct store *store, sv context) {
    if (!s->keys->has_data || s->wrapped.len == 0) {
        return true;
    }
    struct arena scratch = {0};
    sv wrapped = {0};
    struct seal_wrapped now, then;
    enum store_result r = store->ops->find_data_key(store, &scratch, context, &wrapped);
    bool same = r == STORE_OK && seal_read_wrapped(&scratch, wrapped, &now) &&
                seal_read_wrapped(&scratch, s->wrapped, &then) && sv_eq(now.id, then.id);
    arena_fini(&scratch);
    return same;
}
