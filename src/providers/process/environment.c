/* Data source process/environment: the environment that lintel runs in, sorted by name. */
#include "base/utf8.h"
#include "model/host.h"
#include "providers/process/process_provider.h"

/* --- Secrets --- */

/* Rather too much hidden than too little: XAUTHORITY is no secret, and nobody misses it. */
static bool sounds_secret(struct arena *a, sv name) {
    static const sv words[] = {
        SV_INIT("SECRET"),     SV_INIT("TOKEN"),      SV_INIT("PASSWORD"), SV_INIT("PASSWD"),
        SV_INIT("PASSPHRASE"), SV_INIT("CREDENTIAL"), SV_INIT("PRIVATE"),  SV_INIT("AUTH"),
    };
    struct buf upper = BUF(a);
    for (size_t i = 0; i < name.len; i++) {
        char c = name.data[i];
        buf_append_char(&upper, c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c);
    }
    sv text = buf_get_sv(&upper);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (sv_find(text, words[i]) != SIZE_MAX) {
            return true;
        }
    }
    return sv_has_suffix(text, SV("KEY"));
}

/* --- Objects --- */

static value split(struct arena *a, sv text, uint8_t marks) {
    struct list_builder items = {.arena = a};
    while (text.len > 0) {
        list_add(&items, value_mark(value_string(a, sv_cut(&text, ':')), marks));
    }
    return value_mark(list_done(&items), marks);
}

static void add_variable(struct data_call *c, sv name, sv text) {
    struct arena *a = c->arena;
    if (utf8_check(name) != name.len || utf8_check(text) != text.len) {
        return; /* cannot be said in a blueprint */
    }
    bool is_secret = sounds_secret(a, name);
    uint8_t marks = is_secret ? MARK_SENSITIVE : 0;
    struct map_builder m = {.arena = a};
    map_add(&m, SV("name"), value_string(a, name));
    map_add(&m, SV("value"), value_mark(value_string(a, text), marks));
    map_add(&m, SV("items"), split(a, text, marks));
    map_add(&m, SV("length"), value_mark(value_int((int64_t)utf8_count(text)), marks));
    map_add(&m, SV("isSecret"), value_bool(is_secret));
    VEC_PUSH(a, &c->objects, map_done(&m));
}

static enum provider_result fetch_environment(struct data_call *c) {
    struct data_texts names;
    sv prefix = {0}, text = {0};
    const struct host *host = c->host;
    if (data_find_texts(c, SV("name"), &names)) {
        for (size_t i = 0; i < names.items.len; i++) {
            if (host->ops->find_env(host->user, c->arena, names.items.items[i], &text)) {
                add_variable(c, names.items.items[i], text);
            }
        }
        return PROVIDER_OK;
    }
    data_find_prefix(c, SV("name"), &prefix);
    struct host_env *items = NULL;
    size_t count = host_list_env(c->arena, prefix, &items);
    for (size_t i = 0; i < count; i++) {
        add_variable(c, items[i].name, items[i].text);
    }
    return PROVIDER_OK;
}

/* --- The type --- */

static const struct schema item = {.type = SCHEMA_STRING};
#define FIELD(id, kind, words) static const struct schema id##_field = {.type = (kind), .text = SV_INIT(words)}
FIELD(name, SCHEMA_STRING, "The name of the variable");
FIELD(value, SCHEMA_STRING, "Its text; secret when the name sounds so");
FIELD(length, SCHEMA_INTEGER, "Number of characters of the text");
FIELD(is_secret, SCHEMA_BOOLEAN, "Whether the name sounds like that of a secret");
static const struct schema items_field = {
    .type = SCHEMA_ARRAY, .items = &item, .text = SV_INIT("The text cut at its colons, as in `PATH`")};

static const struct schema_attribute attributes[] = {
    {SV_INIT("name"), &name_field},     {SV_INIT("value"), &value_field},        {SV_INIT("items"), &items_field},
    {SV_INIT("length"), &length_field}, {SV_INIT("isSecret"), &is_secret_field},
};
static const struct schema schema = {
    .type = SCHEMA_OBJECT, .attributes = attributes, .attribute_count = sizeof attributes / sizeof attributes[0]};
static const struct data_filter_field filter_fields[] = {
    {.field = SV_INIT("name")},   {.field = SV_INIT("value")},    {.field = SV_INIT("items")},
    {.field = SV_INIT("length")}, {.field = SV_INIT("isSecret")},
};

const struct data_type process_environment_data = {
    .name = SV_INIT("process/environment"),
    .summary = SV_INIT("A variable of the environment lintel runs in"),
    .details = SV_INIT(
        "One object per variable, sorted by name; those that are no UTF-8 are left out. The text is secret when "
        "the name ends in KEY or has SECRET, TOKEN, PASSWORD, PASSWD, PASSPHRASE, CREDENTIAL, PRIVATE or AUTH "
        "in it, in any letter case: it is masked wherever it would be shown, and sealed in plans and states."),
    .example = SV_INIT("home:\n"
                       "  type: process/environment\n"
                       "  filter: {field: name, operator: \"=\", search: HOME}\n"
                       "  exports:\n"
                       "    path: {type: string, aliasFor: value}\n"),
    .schema = &schema,
    .filter_fields = filter_fields,
    .filter_field_count = sizeof filter_fields / sizeof filter_fields[0],
    .fetch = fetch_environment,
};
