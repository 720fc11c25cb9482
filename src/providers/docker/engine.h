/* The engine at DOCKER_HOST, spoken to by its HTTP API (MD-390). No connection is kept between requests.
 *
 * Every request ends by the deadline of the call, or when it is cancelled. What the engine says of its own accord ends
 * up in reasons, bounded; what was sent to it never does. */
#ifndef LINTEL_PROVIDERS_DOCKER_ENGINE_H
#define LINTEL_PROVIDERS_DOCKER_ENGINE_H

#include "adapters/http/http.h"
#include "model/host.h"
#include "model/provider.h"

struct engine {
    struct provider_call *call;
    sv place;  /* DOCKER_HOST, for reasons */
    sv origin; /* "http://engine" */
    sv unix_socket, ca_file, certificate_file, key_file;
    sv version; /* "v1.41" */
    bool is_podman;
};

struct engine_request {
    const char *method;               /* NULL: GET */
    sv path;                          /* from '/', encoded, without the version */
    value content;                    /* sent as JSON; kind 0: none */
    const struct http_upload *upload; /* an archive, in place of `content` */
    struct http_header header;        /* one more; empty name: none */
    bool (*on_part)(void *user, sv part);
    void *user;
    /* out */
    int64_t status;
    value answer; /* JSON; kind 0 when it is none */
    sv body;
};

/* Finds the engine and a version that both speak. */
enum provider_result engine_open(struct provider_call *c, struct engine *e);
/* OK when an answer came, whatever its status. */
enum provider_result engine_ask(struct engine *e, struct engine_request *r);
/* The same for the common case: a path made of `before`, a name that is encoded, and `behind`. */
struct engine_path {
    const char *before;
    sv name;
    const char *behind;
};
sv engine_print_path(struct arena *a, struct engine_path p);
enum provider_result engine_ask_for(struct engine *e, struct engine_request *r, const char *method,
                                    struct engine_path p);
bool engine_is_success(const struct engine_request *r);
/* Reports what the engine answered: "cannot WHAT: MESSAGE". Transient when it is busy, else terminal. */
enum provider_result engine_fail(struct engine *e, const struct engine_request *r, const char *what);
/* Waits; false when time is over or the call is cancelled. */
bool engine_pause(struct engine *e, int64_t ms);

/* A value inside an answer; kind 0 without. */
value engine_find(value v, const char *name);
value engine_find_in(value v, const char *outer, const char *inner);
sv engine_get_text(value v, const char *name);
bool engine_get_bool(value v, const char *name);

#endif
