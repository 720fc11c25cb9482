#include "providers/process/service.h"

/* --- healthCheck --- */

static const struct schema http_schema = {
    .type = SCHEMA_STRING,
    .pattern = "^https?://",
    .text = SV_INIT("URL that is fetched; redirects are not followed"),
};
static const struct schema tcp_schema = {
    .type = SCHEMA_STRING,
    .pattern = "^.+:[0-9]+$",
    .text = SV_INIT("HOST:PORT that is connected to"),
};
static const struct schema interval_schema = {
    .type = SCHEMA_INTEGER,
    .flags = SCHEMA_HAS_MINIMUM | SCHEMA_HAS_MAXIMUM,
    .minimum = 10,
    .maximum = 60000,
    .default_json = "100",
    .text = SV_INIT("Milliseconds between checks"),
};
static const struct schema timeout_schema = {
    .type = SCHEMA_INTEGER,
    .flags = SCHEMA_HAS_MINIMUM | SCHEMA_HAS_MAXIMUM,
    .minimum = 10,
    .maximum = 240000,
    .default_json = "30000",
    .text = SV_INIT("Milliseconds after which a service that is not healthy has failed and is stopped"),
};
static const struct schema status_schema = {
    .type = SCHEMA_INTEGER,
    .flags = SCHEMA_HAS_MINIMUM | SCHEMA_HAS_MAXIMUM,
    .minimum = 100,
    .maximum = 599,
    .default_json = "200",
    .text = SV_INIT("HTTP status of a healthy answer"),
};
static const struct schema_attribute health_attributes[] = {
    {SV_INIT("http"), &http_schema},           {SV_INIT("tcp"), &tcp_schema},
    {SV_INIT("intervalMs"), &interval_schema}, {SV_INIT("timeoutMs"), &timeout_schema},
    {SV_INIT("expectStatus"), &status_schema},
};
static const struct schema health_schema = {
    .type = SCHEMA_OBJECT,
    .attributes = health_attributes,
    .attribute_count = sizeof health_attributes / sizeof health_attributes[0],
    .text = SV_INIT("How to see that the service is ready: `http` or `tcp`; without it, it is ready once it runs"),
};

/* --- The spec --- */

static const struct schema program_schema = {
    .type = SCHEMA_STRING,
    .flags = SCHEMA_HAS_MIN_LENGTH,
    .min_length = 1,
    .text = SV_INIT("A program: a path, or a name looked up in PATH"),
};
static const struct schema argument_schema = {.type = SCHEMA_STRING};
static const struct schema program_and_arguments_schema = {
    .type = SCHEMA_ARRAY,
    .flags = SCHEMA_HAS_MIN_LENGTH,
    .min_length = 1,
    .items = &argument_schema,
    .text = SV_INIT("A program and its first arguments"),
};
static const struct schema *const command_forms[] = {&program_schema, &program_and_arguments_schema};
static const struct schema command_schema = {
    .type = SCHEMA_UNION,
    .flags = SCHEMA_REQUIRED,
    .one_of = command_forms,
    .one_of_count = sizeof command_forms / sizeof command_forms[0],
    .text = SV_INIT("The program, or a list of it and its first arguments. No shell reads it"),
};
static const struct schema args_schema = {
    .type = SCHEMA_ARRAY,
    .items = &argument_schema,
    .default_json = "[]",
    .text = SV_INIT("Further arguments"),
};
static const struct schema variable_schema = {.type = SCHEMA_STRING};
static const struct schema environment_schema = {
    .type = SCHEMA_MAP,
    .items = &variable_schema,
    .default_json = "{}",
    .text = SV_INIT("Environment variables. Beside them there are only PATH, PORT (when `port` is set) and LINTEL_…"),
};
static const struct schema directory_schema = {
    .type = SCHEMA_STRING,
    .flags = SCHEMA_PATH,
    .text = SV_INIT("Where it runs; the directory of the blueprint by default"),
};
static const struct schema port_schema = {
    .type = SCHEMA_INTEGER,
    .flags = SCHEMA_HAS_MINIMUM | SCHEMA_HAS_MAXIMUM,
    .minimum = 1,
    .maximum = 65535,
    .text = SV_INIT("The port it will listen on, handed to it as PORT"),
};
static const struct schema log_schema = {
    .type = SCHEMA_STRING,
    .flags = SCHEMA_PATH | SCHEMA_HAS_MIN_LENGTH,
    .min_length = 1,
    .text = SV_INIT("File that its output is appended to, made with mode 0600 and kept when the service goes; without "
                    "it the output is thrown away"),
};
static const struct schema signal_schema = {
    .type = SCHEMA_STRING,
    .default_json = "\"SIGTERM\"",
    .allowed_json = "[\"SIGTERM\",\"SIGINT\",\"SIGQUIT\",\"SIGHUP\",\"SIGUSR1\",\"SIGUSR2\",\"SIGKILL\"]",
    .text = SV_INIT("Signal that asks it to end"),
};
static const struct schema stop_timeout_schema = {
    .type = SCHEMA_INTEGER,
    .flags = SCHEMA_HAS_MINIMUM | SCHEMA_HAS_MAXIMUM,
    .minimum = 0,
    .maximum = 240000,
    .default_json = "10000",
    .text = SV_INIT("Milliseconds after which it is ended by force"),
};
static const struct schema restart_schema = {
    .type = SCHEMA_MAP,
    .items = &variable_schema,
    .default_json = "{}",
    .text = SV_INIT("Any texts; when one changes the service is restarted. Links put the digests of files here"),
};

/* --- Computed --- */

static const struct schema pid_schema = {
    .type = SCHEMA_INTEGER,
    .flags = SCHEMA_COMPUTED,
    .text = SV_INIT("Process number"),
};
static const struct schema start_time_schema = {
    .type = SCHEMA_STRING,
    .flags = SCHEMA_COMPUTED,
    .text = SV_INIT("Boot id and start time in clock ticks; with the number they name one process for ever"),
};
static const struct schema listening_port_schema = {.type = SCHEMA_INTEGER};
static const struct schema ports_schema = {
    .type = SCHEMA_ARRAY,
    .flags = SCHEMA_COMPUTED,
    .items = &listening_port_schema,
    .text = SV_INIT("TCP ports it listened on when it was ready"),
};

static const struct schema_attribute attributes[] = {
    {SV_INIT("command"), &command_schema},
    {SV_INIT("args"), &args_schema},
    {SV_INIT("environment"), &environment_schema},
    {SV_INIT("workingDirectory"), &directory_schema},
    {SV_INIT("port"), &port_schema},
    {SV_INIT("healthCheck"), &health_schema},
    {SV_INIT("logFile"), &log_schema},
    {SV_INIT("stopSignal"), &signal_schema},
    {SV_INIT("stopTimeoutMs"), &stop_timeout_schema},
    {SV_INIT("restartOn"), &restart_schema},
    {SV_INIT("pid"), &pid_schema},
    {SV_INIT("startTime"), &start_time_schema},
    {SV_INIT("ports"), &ports_schema},
};
const struct schema service_schema = {
    .type = SCHEMA_OBJECT,
    .attributes = attributes,
    .attribute_count = sizeof attributes / sizeof attributes[0],
};
