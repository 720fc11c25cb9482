#include "engine/stored.h"

#include "engine/journal.h"
#include "engine/places.h"
#include "engine/workers.h"

/* The store has reported everything but NOT_FOUND, CONFLICT and LOST_LEASE. */
static bool fail(enum exit_code *code, enum exit_code which) {
    *code = which;
    return false;
}

static bool find_instance(const struct run_config *c, struct stored *s, sv *id, enum exit_code *code) {
    if (c->instance_id.len > 0) {
        if (c->instance_name.len > 0) {
            diags_add(c->diags, DIAG_instance_id_and_name_provided, SPAN_NONE,
                      "both a name and an id of the instance are given");
            return fail(code, EXIT_USAGE);
        }
        *id = c->instance_id;
        return true;
    }
    if (c->instance_name.len == 0) {
        diags_add(c->diags, DIAG_missing_name_for_new_instance, SPAN_NONE,
                  "neither a name nor an id of the instance is given");
        return fail(code, EXIT_USAGE);
    }
    enum store_result r = c->store->ops->find_instance(c->store, c->arena, c->context, c->instance_name, &s->instance);
    if (r == STORE_OK) {
        *id = s->instance.id;
        return true;
    }
    *id = (sv){0};
    return r == STORE_NOT_FOUND || fail(code, r == STORE_BUSY ? EXIT_LOCKED : EXIT_FAILED);
}

static struct stored_element *find(const struct stored *s, sv address) {
    struct stored_element *e = map_find(&s->by_address, address);
    return e == NULL || e->removed ? NULL : e;
}

static struct stored_element *put(struct stored *s, addr address) {
    struct stored_element *e = find(s, address.text);
    if (e == NULL) {
        e = ARENA_NEW(s->arena, struct stored_element);
        VEC_PUSH(s->arena, &s->elements, e);
        map_put(&s->by_address, address.text, e);
    }
    return e;
}

/* --- rows to records, by several threads --- */

enum { DECODE_THREADS = 4, DECODE_ALONE = 64 };

/* What one thread decodes lives in its arena, as long as the instance's picture. */
struct decode_share {
    struct arena arena;
    struct diags diags;
    bool has_failed;
};

struct decode_work {
    const struct run_config *c;
    const struct stored *s;
    uint32_t *places; /* per row: which of the resources, or of the links, it becomes */
    struct resource_record *resources;
    struct link_record *links;
    struct decode_share shares[DECODE_THREADS];
};

/* The row with texts of its own: records outlive the rows (stored_drop_rows). */
static struct store_element copy_columns(struct arena *a, const struct store_element *row) {
    struct store_element copy = *row;
    copy.address = arena_copy_sv(a, row->address);
    copy.type = arena_copy_sv(a, row->type);
    copy.physical_id = arena_copy_sv(a, row->physical_id);
    return copy;
}

/* A row's JSON holds much that is looked at once: only what makes up the record is kept. */
static bool decode_resource(const struct record_codec *codec, const struct store_element *row,
                            struct resource_record *r) {
    struct arena scratch = {.secret = codec->arena->secret};
    struct record_codec once = *codec;
    once.arena = &scratch;
    bool ok = record_decode_resource(&once, row, r);
    bool is_copied = ok && !record_is_closed(r);
    if (is_copied) {
        *r = record_copy_resource(codec->arena, r);
    }
    arena_fini(&scratch);
    if (ok && !is_copied) {
        struct record_codec whole = *codec;
        struct store_element columns = copy_columns(codec->arena, row);
        ok = record_decode_resource(&whole, &columns, r);
    }
    return ok;
}

static void decode_one(void *user, size_t thread, size_t number) {
    struct decode_work *w = user;
    struct decode_share *share = &w->shares[thread];
    struct record_codec codec = {
        .arena = &share->arena, .sealer = w->c->sealer, .diags = &share->diags, .instance_id = w->s->instance.id};
    const struct store_element *row = &w->s->tree.elements.items[number];
    bool ok;
    if (record_is_link_row(row)) {
        struct store_element columns = copy_columns(&share->arena, row);
        ok = record_decode_link(&codec, &columns, &w->links[w->places[number]]);
    } else {
        ok = decode_resource(&codec, row, &w->resources[w->places[number]]);
    }
    share->has_failed = share->has_failed || !ok;
}

static void fini_shares(void *object) {
    struct decode_work *w = object;
    for (size_t i = 0; i < DECODE_THREADS; i++) {
        arena_fini(&w->shares[i].arena);
    }
}

static void report_damage(const struct run_config *c, const struct decode_work *w) {
    for (size_t i = 0; i < DECODE_THREADS; i++) {
        for (size_t k = 0; k < w->shares[i].diags.items.len; k++) {
            sv message = w->shares[i].diags.items.items[k]->message;
            diags_add(c->diags, DIAG_state_corrupt, SPAN_NONE, "%.*s", SV_ARG(message));
        }
    }
}

static void place_records(struct decode_work *w) {
    size_t count = w->s->tree.elements.len;
    uint32_t links = 0;
    w->places = ARENA_ARRAY(w->s->rows, uint32_t, count);
    for (uint32_t i = 0; i < count; i++) {
        bool is_link = record_is_link_row(&w->s->tree.elements.items[i]);
        w->places[i] = is_link ? links : i - links;
        links += is_link;
    }
    w->resources = ARENA_ARRAY(w->c->arena, struct resource_record, count - links);
    w->links = ARENA_ARRAY(w->c->arena, struct link_record, links);
}

static bool decode_rows(const struct run_config *c, struct stored *s) {
    size_t count = s->tree.elements.len;
    struct decode_work *w = ARENA_NEW(c->arena, struct decode_work);
    w->c = c;
    w->s = s;
    place_records(w);
    arena_add_cleanup(c->arena, fini_shares, w);
    bool ok = true;
    for (size_t i = 0; i < DECODE_THREADS; i++) {
        w->shares[i].arena.secret = c->arena->secret;
        diags_init(&w->shares[i].diags, &w->shares[i].arena, NULL);
    }
    struct parallel_work work = {
        .threads = count < DECODE_ALONE ? 1 : DECODE_THREADS, .count = count, .work = decode_one, .user = w};
    workers_run_all(&work);
    for (size_t i = 0; i < DECODE_THREADS; i++) {
        ok = ok && !w->shares[i].has_failed;
    }
    if (!ok) {
        report_damage(c, w);
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        bool is_link = record_is_link_row(&s->tree.elements.items[i]);
        struct link_record *link = is_link ? &w->links[w->places[i]] : NULL;
        struct resource_record *resource = is_link ? NULL : &w->resources[w->places[i]];
        struct stored_element *e = put(s, is_link ? link->address : resource->address);
        e->link = link;
        e->resource = resource;
        e->row = (uint32_t)i;
    }
    places_sort_stored(s);
    return true;
}

static bool check_journal(const struct run_config *c, const struct stored *s) {
    struct journal_check check = {
        .sealer = c->sealer,
        .instance_id = s->instance.id,
        .rows = s->tree.journal.items,
        .count = s->tree.journal.len,
        .anchor.sequence = s->body.journal_sequence,
    };
    memcpy(check.anchor.mac, s->body.journal_mac, sizeof check.anchor.mac);
    int64_t broken = 0;
    struct journal_mark last;
    if (journal_check_chain(&check, &broken, &last)) {
        return true;
    }
    struct diag *d = diags_add(c->diags, DIAG_journal_chain_broken, SPAN_NONE,
                               "the journal of instance '%.*s' does not fit together at row %lld",
                               SV_ARG(s->instance.name), (long long)broken);
    diag_set_hint(c->diags, d,
                  "somebody edited the state, put back an older copy of it, or the sealing key is another one");
    return false;
}

/* --- the rows as loaded --- */

static void fini_rows(void *object) {
    arena_fini(object);
}

static struct arena *open_rows(struct stored *s) {
    s->rows = ARENA_NEW(s->arena, struct arena);
    s->rows->secret = s->arena->secret;
    arena_add_cleanup(s->arena, fini_rows, s->rows);
    return s->rows;
}

static void take_over(struct arena *a, sv *text) {
    *text = text->data == NULL ? *text : arena_copy_sv(a, *text);
}

static void take_over_instance(struct arena *a, struct store_instance *i) {
    sv *texts[] = {&i->id, &i->context, &i->name, &i->dialect, &i->status, &i->body};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        take_over(a, texts[k]);
    }
}

void stored_drop_rows(struct stored *s) {
    if (s->rows == NULL) {
        return;
    }
    struct store_tree kept = {.found = s->tree.found, .instance = s->tree.instance, .lease = s->tree.lease};
    take_over_instance(s->arena, &kept.instance);
    take_over_instance(s->arena, &s->instance);
    take_over(s->arena, &kept.lease.instance_id);
    take_over(s->arena, &kept.lease.holder);
    for (size_t i = 0; i < s->tree.journal.len; i++) {
        struct journal_row row = s->tree.journal.items[i];
        sv *texts[] = {&row.run_id, &row.operation, &row.address, &row.action, &row.body};
        for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
            take_over(s->arena, texts[k]);
        }
        VEC_PUSH(s->arena, &kept.journal, row);
    }
    arena_fini(s->rows);
    s->tree = kept;
}

bool stored_load_if_there(const struct run_config *c, struct stored *s, enum exit_code *code) {
    *s = (struct stored){.arena = c->arena};
    s->by_address = MAP(c->arena);
    sv id;
    if (!find_instance(c, s, &id, code)) {
        return false;
    }
    if (id.len == 0) {
        return true;
    }
    enum store_result r = c->store->ops->load_tree(c->store, open_rows(s), id, &s->tree);
    if (r != STORE_OK && r != STORE_NOT_FOUND) {
        return fail(code, r == STORE_BUSY ? EXIT_LOCKED : EXIT_FAILED);
    }
    if (r == STORE_NOT_FOUND || !s->tree.found) {
        return true;
    }
    s->found = true;
    s->instance = s->tree.instance;
    struct record_codec codec = {
        .arena = c->arena, .sealer = c->sealer, .diags = c->diags, .instance_id = s->instance.id};
    if (!record_decode_instance(&codec, s->instance.body, &s->body) || !check_journal(c, s)) {
        return fail(code, EXIT_FAILED);
    }
    return decode_rows(c, s) || fail(code, EXIT_FAILED);
}

bool stored_load(const struct run_config *c, struct stored *s, enum exit_code *code) {
    if (!stored_load_if_there(c, s, code)) {
        return false;
    }
    if (s->found || c->instance_id.len == 0) {
        return true;
    }
    diags_add(c->diags, DIAG_instance_not_found, SPAN_NONE, "there is no instance with the id '%.*s'",
              SV_ARG(c->instance_id));
    return fail(code, EXIT_FAILED);
}

struct resource_record *stored_find_resource(const struct stored *s, sv address) {
    struct stored_element *e = find(s, address);
    return e == NULL ? NULL : e->resource;
}

struct link_record *stored_find_link(const struct stored *s, sv address) {
    struct stored_element *e = find(s, address);
    return e == NULL ? NULL : e->link;
}

struct resource_record *stored_put_resource(struct stored *s, addr address) {
    struct stored_element *e = put(s, address);
    if (e->resource == NULL) {
        e->resource = ARENA_NEW(s->arena, struct resource_record);
        e->resource->address = address;
    }
    return e->resource;
}

struct link_record *stored_put_link(struct stored *s, addr address) {
    struct stored_element *e = put(s, address);
    if (e->link == NULL) {
        e->link = ARENA_NEW(s->arena, struct link_record);
        e->link->address = address;
    }
    return e->link;
}

void stored_remove(struct stored *s, sv address) {
    struct stored_element *e = map_find(&s->by_address, address);
    if (e != NULL) {
        e->removed = true;
    }
}
