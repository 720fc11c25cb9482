#include "engine/data_reads.h"

#include "engine/specs.h"

#include <pthread.h>

enum { FETCH_DEADLINE_MS = 60 * 1000, TICK_MAX_MS = 50, DELAY_MAX_MS = 300000 };

struct fetch {
    const struct data_read *r;
    const struct element *e;
    const value *searches;
    struct arena scratch;
    struct data_call call;
    enum provider_result result;
    atomic_bool cancel;
};

static sv make_key(struct arena *a, const struct element *e) {
    return arena_printf(a, "data|%.*s", SV_ARG(e->address.text));
}

bool data_is_read(struct run_record *record, const struct element *e) {
    value ignored;
    struct arena scratch = {0};
    bool found = record_find(record, make_key(&scratch, e), &ignored);
    arena_fini(&scratch);
    return found;
}

static value fail(struct fetch *f, enum diag_code code, span at, sv message) {
    struct diag *d = diags_add(f->r->diags, code, at, "%.*s", SV_ARG(message));
    d->path = f->e->address.text;
    return value_error(NULL);
}

/* --- the call --- */

static void prepare_call(struct fetch *f) {
    const struct run_config *c = f->r->c;
    const struct element *e = f->e;
    struct data_filter *filters = ARENA_ARRAY(&f->scratch, struct data_filter, e->filter_count);
    for (size_t i = 0; i < e->filter_count; i++) {
        filters[i] =
            (struct data_filter){.field = e->filters[i].field, .op = e->filters[i].op, .search = f->searches[i]};
    }
    int64_t limit = e->data_type->deadline_ms > 0 ? e->data_type->deadline_ms : FETCH_DEADLINE_MS;
    f->call = (struct data_call){
        .arena = &f->scratch,
        .address = e->address,
        .deadline_ms = c->host->ops->get_monotonic_ms(c->host->user) + limit,
        .cancel = &f->cancel,
        .host = c->host,
        .base_dir = f->r->base_dir,
        .allow_private = c->allow_private,
        .filters = filters,
        .filter_count = e->filter_count,
    };
}

static void *answer(void *argument) {
    struct fetch *f = argument;
    f->result = f->e->data_type->fetch(&f->call);
    return NULL;
}

static bool is_interrupted(const struct fetch *f) {
    return f->r->c->signals != NULL && atomic_load(f->r->c->signals) > 0;
}

/* On a thread of its own, so that this one can keep the lease and hear of interrupts. */
static void call_once(struct fetch *f) {
    pthread_t thread;
    prepare_call(f);
    if (f->r->tick == NULL || pthread_create(&thread, NULL, answer, f) != 0) {
        answer(f);
        return;
    }
    const struct host *host = f->r->c->host;
    for (int64_t pause_ms = 1; pthread_tryjoin_np(thread, NULL) != 0; pause_ms += pause_ms < TICK_MAX_MS) {
        f->r->tick(f->r->user);
        atomic_store(&f->cancel, is_interrupted(f));
        host->ops->sleep_ms(host->user, pause_ms);
    }
}

/* The delay before attempt `n` (BP-500), jitter from the host. */
static void wait_for_attempt(const struct fetch *f, unsigned n) {
    const struct host *host = f->r->c->host;
    int64_t delay = f->r->c->retry_first_ms;
    for (unsigned i = 1; i < n && delay < DELAY_MAX_MS; i++) {
        delay *= 2;
    }
    uint16_t random = 0;
    host->ops->fill_random(host->user, &random, sizeof random);
    host->ops->sleep_ms(host->user, (delay < DELAY_MAX_MS ? delay : DELAY_MAX_MS) * random / UINT16_MAX);
}

/* False after a report. */
static bool call_provider(struct fetch *f) {
    for (unsigned attempt = 1;; attempt++) {
        call_once(f);
        if (f->result != PROVIDER_TRANSIENT || attempt > f->r->c->retries || is_interrupted(f)) {
            break;
        }
        wait_for_attempt(f, attempt);
        if (f->r->tick != NULL) {
            f->r->tick(f->r->user);
        }
    }
    if (f->result == PROVIDER_OK) {
        return true;
    }
    sv why = f->call.reasons.items.len > 0 ? f->call.reasons.items.items[0] : SV("the provider gives no reason");
    bool is_secret = false;
    for (size_t i = 0; i < f->e->filter_count; i++) {
        is_secret = is_secret || value_is_sensitive(f->searches[i]);
    }
    if (is_secret) { /* it may quote what was searched for (BP-281) */
        why = SV("its reason may hold a secret and is not shown");
    }
    fail(f, DIAG_provider_error, f->e->at,
         arena_printf(&f->scratch, "fetching '%.*s' failed: %.*s", SV_ARG(f->e->address.text), SV_ARG(why)));
    return false;
}

/* --- filters (BP-108, BP-120 to BP-122) --- */

static const struct schema *find_schema(struct fetch *f, sv field) {
    struct path path;
    if (f->e->data_type->schema == NULL || !filter_parse_path(&f->scratch, field, &path)) {
        return NULL;
    }
    return schema_find_path(f->e->data_type->schema, path);
}

static enum filter_result apply_filter(struct fetch *f, size_t number, value object) {
    struct buf why = BUF(&f->scratch);
    enum filter_result result = data_type_apply(&f->scratch, f->e->data_type, &f->call.filters[number], object, &why);
    if (result == FILTER_BAD_OPERANDS) {
        fail(f, DIAG_invalid_filter_operand, f->e->filters[number].at, buf_get_sv(&why));
    }
    return result;
}

/* Kind 0 when none passes, ERROR after a report. */
static value choose_object(struct fetch *f) {
    for (size_t i = 0; i < f->call.objects.len; i++) {
        value object = f->call.objects.items[i];
        enum filter_result result = FILTER_HOLDS;
        for (size_t k = 0; !f->call.is_filtered && k < f->e->filter_count && result == FILTER_HOLDS; k++) {
            result = apply_filter(f, k, object);
        }
        if (result == FILTER_BAD_OPERANDS) {
            return value_error(NULL);
        }
        if (result == FILTER_HOLDS) {
            return object;
        }
    }
    return (value){0};
}

/* --- fields (BP-105, BP-109) --- */

/* Whether a schema on the way to the field calls it sensitive. */
static bool is_secret_field(struct fetch *f, sv field) {
    struct path path;
    if (f->e->data_type->schema == NULL || !filter_parse_path(&f->scratch, field, &path)) {
        return false;
    }
    for (size_t len = 0; len <= path.len; len++) {
        const struct schema *schema = schema_find_path(f->e->data_type->schema, (struct path){path.steps, len});
        if (schema != NULL && (schema->flags & SCHEMA_SENSITIVE) != 0) {
            return true;
        }
    }
    return false;
}

static value mark_field(struct fetch *f, sv field, value v) {
    bool is_secret = is_secret_field(f, field);
    for (size_t i = 0; i < f->e->filter_count; i++) { /* secrecy passes through searches (BP-280) */
        is_secret = is_secret || value_is_sensitive(f->searches[i]);
    }
    if (is_secret) {
        return spec_mark_leaves(&f->scratch, v, MARK_SENSITIVE);
    }
    const struct schema *schema = find_schema(f, field);
    return schema == NULL ? v : spec_mark_sensitive(&f->scratch, schema, v);
}

static bool fits(const struct type *type, value v) {
    return type == NULL || type_fits_value(type, v);
}

/* An integer becomes the float that is declared (BP-032). */
static value widen(struct fetch *f, const struct type *type, value v) {
    if (type == NULL) {
        return v;
    }
    if (type->kind == TYPE_FLOAT && v.kind == VALUE_INT) {
        return value_mark(value_float((double)v.integer), v.marks);
    }
    if (type->kind != TYPE_LIST || v.kind != VALUE_LIST || type->item == NULL || type->item->kind != TYPE_FLOAT) {
        return v;
    }
    struct list_builder list = {.arena = &f->scratch};
    for (size_t i = 0; i < v.list->len; i++) {
        list_add(&list, widen(f, type->item, v.list->items[i]));
    }
    return value_mark(list_done(&list), v.marks);
}

/* `array` means an array of scalars (BP-107). */
static bool is_plain(value v) {
    for (size_t i = 0; v.kind == VALUE_LIST && i < v.list->len; i++) {
        if (!value_is_scalar(v.list->items[i])) {
            return false;
        }
    }
    return v.kind == VALUE_LIST || value_is_scalar(v);
}

/* False after a report. */
static bool take_field(struct fetch *f, const struct element_export_field *field, value object, struct map_builder *b) {
    value v = {0};
    filter_find_field(&f->scratch, object, field->field, &v);
    if (!value_is_set(v)) {
        fail(f, DIAG_missing_data_source_prop, field->at,
             arena_printf(&f->scratch, "'%.*s' is not in what the provider found", SV_ARG(field->field)));
        return false;
    }
    if (v.kind == VALUE_NULL) {
        return true;
    }
    bool is_array =
        field->type->kind == TYPE_LIST && field->type->item != NULL && field->type->item->kind == TYPE_SCALAR;
    if (!fits(field->type, v) || (is_array && !is_plain(v))) {
        struct buf wanted = BUF(&f->scratch);
        type_print(&wanted, field->type);
        sv type = buf_get_sv(&wanted);
        fail(f, DIAG_invalid_data_source_field_type, field->at,
             arena_printf(&f->scratch, "'%.*s' is declared as %.*s, but is %s in what the provider found",
                          SV_ARG(field->field), SV_ARG(type), value_get_kind_phrase((enum value_kind)v.kind)));
        return false;
    }
    map_set(b, field->name, mark_field(f, field->field, widen(f, field->type, v)));
    return true;
}

static value take_fields(struct fetch *f, value object) {
    struct map_builder b = {.arena = &f->scratch};
    bool ok = true;
    for (size_t i = 0; i < f->e->field_count; i++) {
        ok = take_field(f, &f->e->fields[i], object, &b) && ok;
    }
    return ok ? map_done(&b) : value_error(NULL);
}

static value fetch(struct fetch *f) {
    if (!call_provider(f)) {
        return value_error(NULL);
    }
    value object = choose_object(f);
    if (!value_is_set(object)) {
        size_t count = f->call.objects.len;
        sv name = sv_slice(f->e->name, 0, 80);
        sv message =
            count == 0
                ? arena_printf(&f->scratch, "there is nothing that data source '%.*s' looks for", SV_ARG(name))
                : arena_printf(&f->scratch, "none of %zu objects passes the filters of '%.*s'", count, SV_ARG(name));
        return fail(f, DIAG_empty_data_source_data, f->e->at, message);
    }
    return value_is_error(object) ? object : take_fields(f, object);
}

value data_read(const struct data_read *r, const struct element *e, const value *searches) {
    struct fetch f = {.r = r, .e = e, .searches = searches};
    sv key = make_key(&f.scratch, e);
    value v = {0};
    bool is_open = e->data_type == NULL || e->data_type->fetch == NULL;
    if (!record_find(r->record, key, &v)) {
        for (size_t i = 0; i < e->filter_count; i++) {
            is_open = is_open || !value_is_known(searches[i]) || (searches[i].within & MARK_PROVISIONAL) != 0;
        }
        v = is_open ? value_unknown(NULL) : fetch(&f);
        if (v.kind == VALUE_MAP) {
            record_put(r->record, key, RECORD_RUN, v);
            record_find(r->record, key, &v);
        }
    }
    arena_fini(&f.scratch);
    return v;
}
