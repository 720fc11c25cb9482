#include "providers/docker/container.h"

static const struct schema text_schema = {.type = SCHEMA_STRING};

/* --- healthCheck --- */

static const struct schema test_schema = {
    .type = SCHEMA_ARRAY,
    .flags = SCHEMA_REQUIRED | SCHEMA_HAS_MIN_LENGTH,
    .min_length = 1,
    .items = &text_schema,
    .text = SV_INIT("The program in the container and its arguments; exit code 0 is healthy"),
};
static const struct schema interval_schema = {
    .type = SCHEMA_INTEGER,
    .flags = SCHEMA_HAS_MINIMUM | SCHEMA_HAS_MAXIMUM,
    .minimum = 100,
    .maximum = 3600000,
    .default_json = "5000",
    .text = SV_INIT("Milliseconds between checks"),
};
static const struct schema check_timeout_schema = {
    .type = SCHEMA_INTEGER,
    .flags = SCHEMA_HAS_MINIMUM | SCHEMA_HAS_MAXIMUM,
    .minimum = 1000,
    .maximum = 3600000,
    .default_json = "30000",
    .text = SV_INIT("Milliseconds that one check may take"),
};
static const struct schema retries_schema = {
    .type = SCHEMA_INTEGER,
    .flags = SCHEMA_HAS_MINIMUM | SCHEMA_HAS_MAXIMUM,
    .minimum = 1,
    .maximum = 1000,
    .default_json = "3",
    .text = SV_INIT("Failed checks in a row after which the container is unhealthy"),
};
static const struct schema start_period_schema = {
    .type = SCHEMA_INTEGER,
    .flags = SCHEMA_HAS_MINIMUM | SCHEMA_HAS_MAXIMUM,
    .minimum = 0,
    .maximum = 3600000,
    .default_json = "0",
    .text = SV_INIT("Milliseconds after the start in which failed checks do not count"),
};
static const struct schema_attribute health_attributes[] = {
    {SV_INIT("command"), &test_schema},
    {SV_INIT("intervalMs"), &interval_schema},
    {SV_INIT("timeoutMs"), &check_timeout_schema},
    {SV_INIT("retries"), &retries_schema},
    {SV_INIT("startPeriodMs"), &start_period_schema},
};
static const struct schema health_schema = {
    .type = SCHEMA_OBJECT,
    .flags = SCHEMA_MUST_RECREATE,
    .attributes = health_attributes,
    .attribute_count = sizeof health_attributes / sizeof health_attributes[0],
    .text = SV_INIT("How the engine sees that it works; without it, that of the image holds, if it has one"),
};

/* --- ports --- */

static const struct schema container_port_schema = {
    .type = SCHEMA_INTEGER,
    .flags = SCHEMA_REQUIRED | SCHEMA_HAS_MINIMUM | SCHEMA_HAS_MAXIMUM,
    .minimum = 1,
    .maximum = 65535,
    .text = SV_INIT("Port in the container"),
};
static const struct schema host_port_schema = {
    .type = SCHEMA_INTEGER,
    .flags = SCHEMA_HAS_MINIMUM | SCHEMA_HAS_MAXIMUM,
    .minimum = 1,
    .maximum = 65535,
    .text = SV_INIT("Port of the engine's machine; the engine chooses one by default, see `hostPorts`"),
};
static const struct schema host_address_schema = {
    .type = SCHEMA_STRING,
    .pattern = "^[0-9a-fA-F.:]+$",
    .default_json = "\"127.0.0.1\"",
    .text = SV_INIT("Address of the engine's machine; `0.0.0.0` lets all the world in"),
};
static const struct schema protocol_schema = {
    .type = SCHEMA_STRING,
    .default_json = "\"tcp\"",
    .allowed_json = "[\"tcp\",\"udp\",\"sctp\"]",
    .text = SV_INIT("Protocol"),
};
static const struct schema_attribute port_attributes[] = {
    {SV_INIT("containerPort"), &container_port_schema},
    {SV_INIT("hostPort"), &host_port_schema},
    {SV_INIT("hostAddress"), &host_address_schema},
    {SV_INIT("protocol"), &protocol_schema},
};
static const struct schema port_schema = {
    .type = SCHEMA_OBJECT,
    .attributes = port_attributes,
    .attribute_count = sizeof port_attributes / sizeof port_attributes[0],
};
static const struct schema ports_schema = {
    .type = SCHEMA_ARRAY,
    .flags = SCHEMA_MUST_RECREATE,
    .items = &port_schema,
    .default_json = "[]",
    .text = SV_INIT("Ports that can be reached through the engine's machine"),
};

/* --- mounts --- */

static const struct schema mount_volume_schema = {
    .type = SCHEMA_STRING,
    .flags = SCHEMA_HAS_MIN_LENGTH,
    .min_length = 1,
    .text = SV_INIT("Name of a volume"),
};
static const struct schema mount_path_schema = {
    .type = SCHEMA_STRING,
    .flags = SCHEMA_PATH | SCHEMA_HAS_MIN_LENGTH,
    .min_length = 1,
    .text = SV_INIT("A file or directory of the engine's machine, in place of `volume`"),
};
static const struct schema mount_target_schema = {
    .type = SCHEMA_STRING,
    .flags = SCHEMA_REQUIRED,
    .pattern = "^/",
    .text = SV_INIT("Where it is in the container"),
};
static const struct schema read_only_schema = {
    .type = SCHEMA_BOOLEAN,
    .default_json = "false",
    .text = SV_INIT("Whether the container may only read it"),
};
static const struct schema_attribute mount_attributes[] = {
    {SV_INIT("volume"), &mount_volume_schema},
    {SV_INIT("path"), &mount_path_schema},
    {SV_INIT("target"), &mount_target_schema},
    {SV_INIT("readOnly"), &read_only_schema},
};
static const struct schema mount_schema = {
    .type = SCHEMA_OBJECT,
    .attributes = mount_attributes,
    .attribute_count = sizeof mount_attributes / sizeof mount_attributes[0],
};
static const struct schema mounts_schema = {
    .type = SCHEMA_MAP,
    .flags = SCHEMA_MUST_RECREATE,
    .items = &mount_schema,
    .default_json = "{}",
    .text =
        SV_INIT("Volumes, files and directories in the container, each under a key of one's choice. Links to volumes "
                "and databases add theirs"),
};

/* --- The spec --- */

static const struct schema name_schema = {
    .type = SCHEMA_STRING,
    .flags = SCHEMA_REQUIRED | SCHEMA_MUST_RECREATE,
    .pattern = "^[a-zA-Z0-9][a-zA-Z0-9_.-]{0,127}$",
    .text = SV_INIT("Name of the container in the engine, and its host name for others in its networks"),
};
static const struct schema image_schema = {
    .type = SCHEMA_STRING,
    .flags = SCHEMA_REQUIRED | SCHEMA_MUST_RECREATE,
    .pattern = "^[a-zA-Z0-9][a-zA-Z0-9_./:@-]*$",
    .text = SV_INIT("The image: NAME:TAG, NAME@DIGEST or an id. It has to be in the engine: nothing is pulled"),
};
static const struct schema command_schema = {
    .type = SCHEMA_ARRAY,
    .flags = SCHEMA_MUST_RECREATE,
    .items = &text_schema,
    .text = SV_INIT("Arguments, in place of the image's"),
};
static const struct schema entrypoint_schema = {
    .type = SCHEMA_ARRAY,
    .flags = SCHEMA_MUST_RECREATE,
    .items = &text_schema,
    .text = SV_INIT("The program and its first arguments, in place of the image's"),
};
static const struct schema environment_schema = {
    .type = SCHEMA_MAP,
    .flags = SCHEMA_MUST_RECREATE,
    .items = &text_schema,
    .default_json = "{}",
    .text = SV_INIT("Environment variables beside the image's. The engine shows them to whoever may ask it"),
};
static const struct schema networks_schema = {
    .type = SCHEMA_MAP,
    .flags = SCHEMA_MUST_RECREATE,
    .items = &text_schema,
    .default_json = "{}",
    .text =
        SV_INIT("Names of the networks it joins, each under a key of one's choice; the engine's own by default. Links "
                "to networks add theirs"),
};
static const struct schema restart_schema = {
    .type = SCHEMA_STRING,
    .flags = SCHEMA_MUST_RECREATE,
    .pattern = "^(no|always|unless-stopped|on-failure(:[1-9][0-9]{0,3})?)$",
    .default_json = "\"no\"",
    .text =
        SV_INIT("When the engine starts it again: `no`, `always`, `unless-stopped`, `on-failure` or `on-failure:N`"),
};
static const struct schema user_schema = {
    .type = SCHEMA_STRING,
    .flags = SCHEMA_MUST_RECREATE,
    .text = SV_INIT("User, or USER:GROUP, in place of the image's"),
};
static const struct schema directory_schema = {
    .type = SCHEMA_STRING,
    .flags = SCHEMA_MUST_RECREATE,
    .pattern = "^/",
    .text = SV_INIT("Where it runs, in place of the image's"),
};
static const struct schema running_schema = {
    .type = SCHEMA_BOOLEAN,
    .default_json = "true",
    .text = SV_INIT("Whether it runs; one that was stopped has drifted"),
};
static const struct schema wait_schema = {
    .type = SCHEMA_INTEGER,
    .flags = SCHEMA_HAS_MINIMUM | SCHEMA_HAS_MAXIMUM,
    .minimum = 100,
    .maximum = 600000,
    .default_json = "60000",
    .text = SV_INIT("Milliseconds after which a container that is not healthy has failed and is removed"),
};
static const struct schema stop_schema = {
    .type = SCHEMA_INTEGER,
    .flags = SCHEMA_HAS_MINIMUM | SCHEMA_HAS_MAXIMUM,
    .minimum = 0,
    .maximum = 600,
    .default_json = "10",
    .text = SV_INIT("Seconds after which it is stopped by force"),
};

/* --- Computed --- */

static const struct schema id_schema = {
    .type = SCHEMA_STRING,
    .flags = SCHEMA_COMPUTED,
    .text = SV_INIT("Id that the engine gave it"),
};
static const struct schema image_id_schema = {
    .type = SCHEMA_STRING,
    .flags = SCHEMA_COMPUTED,
    .text = SV_INIT("Id of its image"),
};
static const struct schema addresses_schema = {
    .type = SCHEMA_MAP,
    .flags = SCHEMA_COMPUTED,
    .items = &text_schema,
    .text = SV_INIT("Name of a network → its address there"),
};
static const struct schema number_schema = {.type = SCHEMA_INTEGER};
static const struct schema host_ports_schema = {
    .type = SCHEMA_MAP,
    .flags = SCHEMA_COMPUTED,
    .items = &number_schema,
    .text = SV_INIT("Port and protocol in the container, `8080-tcp` → port of the engine's machine"),
};

static const struct schema_attribute attributes[] = {
    {SV_INIT("name"), &name_schema},
    {SV_INIT("image"), &image_schema},
    {SV_INIT("command"), &command_schema},
    {SV_INIT("entrypoint"), &entrypoint_schema},
    {SV_INIT("environment"), &environment_schema},
    {SV_INIT("ports"), &ports_schema},
    {SV_INIT("networks"), &networks_schema},
    {SV_INIT("mounts"), &mounts_schema},
    {SV_INIT("labels"), &docker_labels_schema},
    {SV_INIT("restart"), &restart_schema},
    {SV_INIT("user"), &user_schema},
    {SV_INIT("workingDirectory"), &directory_schema},
    {SV_INIT("healthCheck"), &health_schema},
    {SV_INIT("running"), &running_schema},
    {SV_INIT("waitTimeoutMs"), &wait_schema},
    {SV_INIT("stopTimeout"), &stop_schema},
    {SV_INIT("id"), &id_schema},
    {SV_INIT("imageId"), &image_id_schema},
    {SV_INIT("addresses"), &addresses_schema},
    {SV_INIT("hostPorts"), &host_ports_schema},
};
const struct schema container_schema = {
    .type = SCHEMA_OBJECT,
    .attributes = attributes,
    .attribute_count = sizeof attributes / sizeof attributes[0],
};

void container_validate(struct arena *a, value spec, struct diags *diags, span at, sv prefix) {
    object_validate_labels(spec, diags, at, prefix);
    value mounts = engine_find(spec, "mounts");
    for (size_t i = 0; mounts.kind == VALUE_MAP && i < mounts.map->len; i++) {
        value mount = mounts.map->entries[i].item;
        bool has_volume = value_is_set(engine_find(mount, "volume"));
        if (mount.kind == VALUE_MAP && has_volume == value_is_set(engine_find(mount, "path"))) {
            sv name = arena_printf(a, "mounts.%.*s", SV_ARG(sv_slice(mounts.map->entries[i].key, 0, 100)));
            provider_add_mistake(diags, SV("docker_mount_invalid"), at, prefix, name,
                                 "a mount has either 'volume' or 'path'");
        }
    }
}
