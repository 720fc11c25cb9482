/* What `metadata` of an include may say (BP-173, BP-174). */
#include "base/hint.h"
#include "sources/internal.h"

enum source_set {
    OF_FILE = 1 << 0,
    OF_HTTPS = 1 << 1,
    OF_S3 = 1 << 2,
    OF_GIT = 1 << 3,
    OF_ALL = OF_FILE | OF_HTTPS | OF_S3 | OF_GIT,
};

struct metadata_key {
    const char *name;
    enum source_set sources;
    size_t offset;
};

#define AT(field) offsetof(struct include_metadata, field)
/* sorted */
static const struct metadata_key keys[] = {
    {"bucket", OF_S3, AT(bucket)},
    {"digest", OF_ALL, AT(digest)},
    {"endpoint", OF_S3, AT(endpoint)},
    {"host", OF_HTTPS, AT(host)},
    {"ref", OF_GIT, AT(ref)},
    {"region", OF_S3, AT(region)},
    {"repository", OF_GIT, AT(repository)},
    {"sourceType", OF_ALL, AT(source_type)},
};
enum { KEY_COUNT = sizeof keys / sizeof keys[0] };

struct source_type {
    const char *name;
    enum source_set source;
};
/* sorted */
static const struct source_type types[] = {
    {"aws/s3", OF_S3},
    {"file", OF_FILE},
    {"git", OF_GIT},
    {"https", OF_HTTPS},
};
enum { TYPE_COUNT = sizeof types / sizeof types[0] };

/* 0 for an unknown one. */
static enum source_set find_source(sv name) {
    for (size_t i = 0; i < TYPE_COUNT; i++) {
        if (sv_eq_cstr(name, types[i].name)) {
            return types[i].source;
        }
    }
    return name.len == 0 ? OF_FILE : 0;
}

static bool fail_type(struct gatherer *g, sv name, struct fetch_failure *failure) {
    struct hint hint = HINT(name);
    for (size_t i = 0; i < TYPE_COUNT; i++) {
        hint_offer(&hint, sv_from_cstr(types[i].name));
    }
    sources_fail(g, failure, DIAG_invalid_metadata, "'%.*s' is no source type",
                 SV_ARG(sources_print_safely(g->arena, name, NAME_MAX_SHOWN)));
    failure->hint = hint.best.len > 0 ? arena_printf(g->arena, "did you mean '%.*s'?", SV_ARG(hint.best))
                                      : SV("sources are 'file', 'https', 'aws/s3' and 'git'");
    return false;
}

/* Metadata are free-form for files; what selects a remote source must be spelt right, and stand with its source. */
static bool fail_key(struct gatherer *g, sv name, const struct include_metadata *m, struct fetch_failure *failure) {
    enum source_set source = find_source(m->source_type);
    struct hint hint = HINT(name);
    for (size_t i = 0; i < KEY_COUNT; i++) {
        if ((keys[i].sources & source) != 0) {
            hint_offer(&hint, sv_from_cstr(keys[i].name));
        }
    }
    sv type = m->source_type.len == 0 ? SV("file") : m->source_type;
    sources_fail(g, failure, DIAG_invalid_metadata, "a source of type '%.*s' has no setting '%.*s'", SV_ARG(type),
                 SV_ARG(sources_print_safely(g->arena, name, NAME_MAX_SHOWN)));
    if (hint.best.len > 0) {
        failure->hint = arena_printf(g->arena, "did you mean '%.*s'?", SV_ARG(hint.best));
    } else if (source == OF_FILE) {
        failure->hint = SV("'sourceType' selects another source: https, aws/s3 or git");
    }
    return false;
}

static const struct metadata_key *find_key(sv name) {
    for (size_t i = 0; i < KEY_COUNT; i++) {
        if (sv_eq_cstr(name, keys[i].name)) {
            return &keys[i];
        }
    }
    return NULL;
}

static bool read_digest(struct gatherer *g, struct include_metadata *m, struct fetch_failure *failure) {
    sv text = m->digest;
    if (text.len == 0) {
        return true;
    }
    char *lower = arena_copy_cstr(g->arena, text);
    for (size_t i = 0; i < text.len; i++) {
        lower[i] = lower[i] >= 'A' && lower[i] <= 'F' ? (char)(lower[i] - 'A' + 'a') : lower[i];
    }
    sv prefix = SV("sha256:");
    m->digest = sv_slice(sv_make(lower, text.len), prefix.len, text.len);
    return (sv_has_prefix(text, prefix) && sources_is_digest(m->digest)) ||
           sources_fail(g, failure, DIAG_invalid_metadata, "'digest' is not 'sha256:' and 64 hexadecimal digits");
}

static bool read_entry(struct gatherer *g, const struct value_entry *e, struct include_metadata *m,
                       struct fetch_failure *failure) {
    const struct metadata_key *key = find_key(e->key);
    if (key == NULL || e->item.kind == VALUE_ABSENT || e->item.kind == VALUE_NULL) {
        return true;
    }
    if (e->item.kind != VALUE_STRING || sv_find_char(*e->item.text, 0) != SIZE_MAX || e->item.text->len == 0) {
        return sources_fail(g, failure, DIAG_invalid_metadata, "'%s' must be a string that is not empty", key->name);
    }
    sv copy = arena_copy_sv(g->arena, *e->item.text);
    memcpy((char *)m + key->offset, &copy, sizeof copy);
    return true;
}

static bool check_keys(struct gatherer *g, value metadata, const struct include_metadata *m,
                       struct fetch_failure *failure) {
    enum source_set source = find_source(m->source_type);
    for (size_t i = 0; i < metadata.map->len; i++) {
        sv name = metadata.map->entries[i].key;
        const struct metadata_key *key = find_key(name);
        bool is_free = key == NULL && source == OF_FILE;
        if (!is_free && (key == NULL || (key->sources & source) == 0)) {
            return fail_key(g, name, m, failure);
        }
    }
    return true;
}

bool metadata_read(struct gatherer *g, const struct fetch_request *r, struct include_metadata *m,
                   struct fetch_failure *failure) {
    *m = (struct include_metadata){0};
    value v = r->metadata;
    if (v.kind == 0 || v.kind == VALUE_NULL || v.kind == VALUE_ABSENT) {
        return true;
    }
    if (v.kind != VALUE_MAP) {
        return sources_fail(g, failure, DIAG_invalid_metadata, "'metadata' must be a mapping");
    }
    for (size_t i = 0; i < v.map->len; i++) {
        if (!read_entry(g, &v.map->entries[i], m, failure)) {
            return false;
        }
    }
    if (find_source(m->source_type) == 0) {
        return fail_type(g, m->source_type, failure);
    }
    return check_keys(g, v, m, failure) && read_digest(g, m, failure);
}
