#include "providers/random/random.h"

enum {
    LENGTH_MAX = 1024,
    TRIES_MAX = 100000, /* the rarest password a valid spec can ask for is found in about a hundred */
    CLASS_COUNT = 4,
};

/* Without quotes, backslash, dollar sign and grave accent, which need care in many places. */
#define SPECIAL "!#%&()*+,-./:;<=>?@[]^_{|}~"

static const struct schema length_schema = {
    .type = SCHEMA_INTEGER,
    .flags = SCHEMA_HAS_MINIMUM | SCHEMA_HAS_MAXIMUM | SCHEMA_MUST_RECREATE,
    .minimum = 1,
    .maximum = LENGTH_MAX,
    .default_json = "32",
    .text = SV_INIT("Number of characters, 1 to 1024"),
};
static const struct schema lower_schema = {
    .type = SCHEMA_BOOLEAN,
    .flags = SCHEMA_MUST_RECREATE,
    .default_json = "true",
    .text = SV_INIT("Whether it has lower-case letters"),
};
static const struct schema upper_schema = {
    .type = SCHEMA_BOOLEAN,
    .flags = SCHEMA_MUST_RECREATE,
    .default_json = "true",
    .text = SV_INIT("Whether it has upper-case letters"),
};
static const struct schema digits_schema = {
    .type = SCHEMA_BOOLEAN,
    .flags = SCHEMA_MUST_RECREATE,
    .default_json = "true",
    .text = SV_INIT("Whether it has digits"),
};
static const struct schema special_schema = {
    .type = SCHEMA_BOOLEAN,
    .flags = SCHEMA_MUST_RECREATE,
    .default_json = "false",
    .text = SV_INIT("Whether it has characters of `specialCharacters`"),
};
static const struct schema special_characters_schema = {
    .type = SCHEMA_STRING,
    .flags = SCHEMA_MUST_RECREATE | SCHEMA_HAS_MIN_LENGTH,
    .min_length = 1,
    .pattern = "^[!-~]+$",
    .default_json = "\"" SPECIAL "\"",
    .text = SV_INIT("Which special characters may occur; visible ASCII"),
};
static const struct schema keeper_schema = {.type = SCHEMA_STRING};
static const struct schema keepers_schema = {
    .type = SCHEMA_MAP,
    .flags = SCHEMA_MUST_RECREATE,
    .items = &keeper_schema,
    .text = SV_INIT("Any texts; when one changes, a new password is made"),
};
static const struct schema result_schema = {
    .type = SCHEMA_STRING,
    .flags = SCHEMA_COMPUTED | SCHEMA_SENSITIVE,
    .text = SV_INIT("The password"),
};
static const struct schema_attribute attributes[] = {
    {SV_INIT("length"), &length_schema},   {SV_INIT("lower"), &lower_schema},
    {SV_INIT("upper"), &upper_schema},     {SV_INIT("digits"), &digits_schema},
    {SV_INIT("special"), &special_schema}, {SV_INIT("specialCharacters"), &special_characters_schema},
    {SV_INIT("keepers"), &keepers_schema}, {SV_INIT("result"), &result_schema},
};
static const struct schema schema = {
    .type = SCHEMA_OBJECT,
    .attributes = attributes,
    .attribute_count = sizeof attributes / sizeof attributes[0],
};

/* The characters to choose from, each once, and the classes of each as bits. */
struct alphabet {
    char characters[128];
    uint8_t classes[128];
    size_t len;
    uint8_t wanted;
};

static void alphabet_add_class(struct alphabet *alphabet, unsigned number, sv characters) {
    uint8_t bit = (uint8_t)(1u << number);
    alphabet->wanted |= bit;
    for (size_t i = 0; i < characters.len; i++) {
        char *known = memchr(alphabet->characters, characters.data[i], alphabet->len);
        size_t at = known == NULL ? alphabet->len : (size_t)(known - alphabet->characters);
        if (at >= sizeof alphabet->characters) {
            return;
        }
        alphabet->characters[at] = characters.data[i];
        alphabet->classes[at] |= bit;
        alphabet->len += known == NULL;
    }
}

static bool wants(value spec, sv name, bool absent) {
    value v = spec.kind == VALUE_MAP ? value_map_find(spec, name) : (value){0};
    return v.kind == VALUE_BOOL ? v.boolean : absent;
}

static void alphabet_init(struct alphabet *alphabet, value spec) {
    *alphabet = (struct alphabet){0};
    if (wants(spec, SV("lower"), true)) {
        alphabet_add_class(alphabet, 0, SV("abcdefghijklmnopqrstuvwxyz"));
    }
    if (wants(spec, SV("upper"), true)) {
        alphabet_add_class(alphabet, 1, SV("ABCDEFGHIJKLMNOPQRSTUVWXYZ"));
    }
    if (wants(spec, SV("digits"), true)) {
        alphabet_add_class(alphabet, 2, SV("0123456789"));
    }
    if (wants(spec, SV("special"), false)) {
        sv characters = provider_get_text(spec, SV("specialCharacters"));
        alphabet_add_class(alphabet, 3, characters.len > 0 ? characters : SV(SPECIAL));
    }
}

static unsigned count_classes(const struct alphabet *alphabet) {
    unsigned count = 0;
    for (unsigned i = 0; i < CLASS_COUNT; i++) {
        count += alphabet->wanted >> i & 1;
    }
    return count;
}

/* Why no password fits; NULL when one does. */
static const char *find_mistake(const struct alphabet *alphabet, int64_t length) {
    if (length < 1 || length > LENGTH_MAX) {
        return "'length' is not between 1 and 1024";
    }
    if (alphabet->len == 0) {
        return "no class of characters is allowed";
    }
    if ((int64_t)count_classes(alphabet) > length) {
        return "'length' is smaller than the number of classes that must occur";
    }
    return NULL;
}

/* Fills `out` with uniform choices: bytes beyond the largest multiple of the alphabet's size are thrown away. Returns
 * the classes met. */
static uint8_t choose(const struct alphabet *alphabet, struct host *host, char *out, size_t length) {
    unsigned limit = 256 - 256 % (unsigned)alphabet->len;
    uint8_t met = 0;
    size_t done = 0;
    while (done < length) {
        uint8_t bytes[64];
        host->ops->fill_random(host->user, bytes, sizeof bytes);
        for (size_t i = 0; i < sizeof bytes && done < length; i++) {
            if (bytes[i] < limit) {
                size_t at = bytes[i] % alphabet->len;
                out[done++] = alphabet->characters[at];
                met |= alphabet->classes[at];
            }
        }
        explicit_bzero(bytes, sizeof bytes);
    }
    return met;
}

/* Whole passwords are thrown away until every class occurs, so all that qualify are equally likely. */
static enum provider_result password_create(struct provider_call *c) {
    struct alphabet alphabet;
    alphabet_init(&alphabet, c->spec);
    int64_t length = provider_get_i64(c->spec, SV("length"), 32);
    const char *mistake = find_mistake(&alphabet, length);
    if (mistake != NULL) {
        return provider_fail(c, PROVIDER_TERMINAL, "%s", mistake);
    }
    char *text = arena_alloc(c->arena, (size_t)length + 1);
    size_t tries = 0;
    while (choose(&alphabet, c->host, text, (size_t)length) != alphabet.wanted) {
        if (++tries == TRIES_MAX) {
            return provider_fail(c, PROVIDER_TERMINAL, "the random generator gives no password with all classes");
        }
    }
    struct map_builder computed = {.arena = c->arena};
    value result = value_mark(value_string(c->arena, sv_make(text, (size_t)length)), MARK_SENSITIVE);
    map_add(&computed, SV("result"), result);
    c->computed = map_done(&computed);
    return PROVIDER_OK;
}

static void password_validate(struct arena *a, value spec, struct diags *diags, span at, sv prefix) {
    (void)a;
    if (spec.kind != VALUE_MAP || !value_is_known(spec)) {
        return;
    }
    struct alphabet alphabet;
    alphabet_init(&alphabet, spec);
    const char *mistake = find_mistake(&alphabet, provider_get_i64(spec, SV("length"), 32));
    if (mistake != NULL) {
        provider_add_mistake(diags, SV("random_password_impossible"), at, prefix, (sv){0}, "%s", mistake);
    }
}

static enum provider_result password_keep(struct provider_call *c) {
    return random_keep_prior(c, &schema);
}

const struct resource_type random_password_type = {
    .name = SV_INIT("random/password"),
    .summary = SV_INIT("A random password, kept secret"),
    .details = SV_INIT(
        "Characters are chosen uniformly with the operating system's generator; every class that is "
        "switched on occurs at "
        "least once. `result` is sensitive: it is sealed in the state and never shown. It must be named in references "
        "(`${token.spec.result}`): the resource has no id."),
    .example = SV_INIT("token:\n"
                       "  type: random/password\n"
                       "  spec:\n"
                       "    length: 40\n"
                       "    special: false\n"),
    .import_not =
        SV_INIT("a password exists nowhere but in a state, and an ID on a command line would show it; give one "
                "that exists as a secret variable"),
    .end_point = true,
    .promise = PROMISE_EXACT,
    .effectless = true,
    .schema = &schema,
    .version = 1,
    .deadline_ms = 10000,
    .validate = password_validate,
    .create = password_create,
    .read = password_keep,
    .update = password_keep,
    .destroy = random_destroy,
    .recover = random_recover,
};
