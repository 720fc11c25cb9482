#include "lang/blueprint/test_provider.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const struct schema string = {.type = SCHEMA_STRING};
static const struct schema integer = {.type = SCHEMA_INTEGER};
static const struct schema boolean = {.type = SCHEMA_BOOLEAN};
static const struct schema required_string = {.type = SCHEMA_STRING, .flags = SCHEMA_REQUIRED};
static const struct schema computed_string = {.type = SCHEMA_STRING, .flags = SCHEMA_COMPUTED};

static const struct schema name = {.type = SCHEMA_STRING,
                                   .flags = SCHEMA_REQUIRED | SCHEMA_HAS_MIN_LENGTH | SCHEMA_HAS_MAX_LENGTH,
                                   .min_length = 1,
                                   .max_length = 20};
static const struct schema count = {
    .type = SCHEMA_INTEGER, .flags = SCHEMA_HAS_MINIMUM | SCHEMA_HAS_MAXIMUM, .minimum = 0, .maximum = 10};
static const struct schema ratio = {.type = SCHEMA_FLOAT};
static const struct schema mode = {.type = SCHEMA_STRING, .allowed_json = "[\"a\",\"b\"]"};
static const struct schema code = {.type = SCHEMA_STRING, .pattern = "^[a-z]+$"};
static const struct schema tags = {.type = SCHEMA_MAP, .items = &string};
static const struct schema words = {.type = SCHEMA_ARRAY,
                                    .items = &string,
                                    .flags = SCHEMA_HAS_MIN_LENGTH | SCHEMA_HAS_MAX_LENGTH,
                                    .min_length = 1,
                                    .max_length = 3};
static const struct schema_attribute inner_attributes[] = {
    {SV_INIT("a"), &required_string},
    {SV_INIT("b"), &integer},
};
static const struct schema inner = {
    .type = SCHEMA_OBJECT, .attributes = inner_attributes, .attribute_count = COUNT(inner_attributes)};
static const struct schema *const either_types[] = {&integer, &boolean};
static const struct schema either = {.type = SCHEMA_UNION, .one_of = either_types, .one_of_count = 2};
static const struct schema *const choice_types[] = {&string, &integer};
static const struct schema choice = {.type = SCHEMA_UNION, .one_of = choice_types, .one_of_count = 2};
static const struct schema parts = {.type = SCHEMA_ARRAY, .items = &string};
static const struct schema *const command_types[] = {&string, &parts};
static const struct schema command = {.type = SCHEMA_UNION, .one_of = command_types, .one_of_count = 2};
static const struct schema password = {.type = SCHEMA_STRING, .flags = SCHEMA_SENSITIVE};
static const struct schema note = {.type = SCHEMA_STRING, .flags = SCHEMA_NULLABLE};
static const struct schema size = {.type = SCHEMA_INTEGER, .default_json = "3"};
static const struct schema port = {.type = SCHEMA_INTEGER, .flags = SCHEMA_COMPUTED_WHEN_OMITTED};

static const struct schema_attribute thing_attributes[] = {
    {SV_INIT("name"), &name},     {SV_INIT("count"), &count},       {SV_INIT("ratio"), &ratio},
    {SV_INIT("on"), &boolean},    {SV_INIT("mode"), &mode},         {SV_INIT("code"), &code},
    {SV_INIT("tags"), &tags},     {SV_INIT("words"), &words},       {SV_INIT("inner"), &inner},
    {SV_INIT("either"), &either}, {SV_INIT("password"), &password}, {SV_INIT("note"), &note},
    {SV_INIT("size"), &size},     {SV_INIT("port"), &port},         {SV_INIT("id"), &computed_string},
    {SV_INIT("choice"), &choice}, {SV_INIT("command"), &command},
};
static const struct schema thing_schema = {
    .type = SCHEMA_OBJECT, .attributes = thing_attributes, .attribute_count = COUNT(thing_attributes)};

static const struct schema_attribute plain_attributes[] = {{SV_INIT("text"), &string}};
static const struct schema plain_schema = {
    .type = SCHEMA_OBJECT, .attributes = plain_attributes, .attribute_count = COUNT(plain_attributes)};

static const struct resource_type thing = {
    .name = SV_INIT("test/thing"), .id_field = SV_INIT("id"), .schema = &thing_schema};
/* Without id field. */
static const struct resource_type plain = {.name = SV_INIT("test/plain"), .schema = &plain_schema};

static const sv app_links[] = {SV_INIT("test/base"), SV_INIT("test/gone")};
static const struct resource_type app = {
    .name = SV_INIT("test/app"), .schema = &plain_schema, .links_to = app_links, .links_to_count = COUNT(app_links)};
static const struct resource_type base = {.name = SV_INIT("test/base"), .schema = &plain_schema};
static const struct resource_type gone = {.name = SV_INIT("test/gone"), .schema = &plain_schema};
static const struct resource_type peer = {.name = SV_INIT("test/peer"), .schema = &plain_schema};

static const struct link_annotation app_annotations[] = {
    {.key = SV_INIT("app.<resourceName>.retries"), .side = LINK_SIDE_A, .type = SCHEMA_INTEGER},
    {.key = SV_INIT("app.level"), .side = LINK_SIDE_A, .type = SCHEMA_STRING, .allowed_json = "[\"low\",\"high\"]"},
    {.key = SV_INIT("base.owner"), .side = LINK_SIDE_B, .type = SCHEMA_STRING, .required = true},
};
static const struct link_type app_to_base = {
    .type_a = SV_INIT("test/app"),
    .type_b = SV_INIT("test/base"),
    .hard = true,
    .priority = LINK_SIDE_B,
    .cardinality_a = {.max = 2},
    .cardinality_b = {.min = 1},
    .annotations = app_annotations,
    .annotation_count = COUNT(app_annotations),
};
static const struct link_type peer_to_peer = {
    .type_a = SV_INIT("test/peer"), .type_b = SV_INIT("test/peer"), .hard = true, .priority = LINK_SIDE_B};

static const struct resource_type *const resources[] = {&app, &base, &gone, &peer, &plain, &thing};
static const struct link_type *const links[] = {&app_to_base, &peer_to_peer};
static const struct provider provider = {.name = SV_INIT("test"),
                                         .resources = resources,
                                         .resource_count = COUNT(resources),
                                         .links = links,
                                         .link_count = COUNT(links)};
static const struct provider *const items[] = {&provider};
const struct providers test_providers = {.items = items, .count = 1};
