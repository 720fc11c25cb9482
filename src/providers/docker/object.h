/* What networks, volumes and containers have in common: a name that the engine keeps unique, and labels.
 *
 * Invariants: (1) whatever is made bears the marks of its operation from its first moment on: instance, element and key
 * as labels; (2) under a name that is taken by anything without these marks nothing is made; so however often an
 * operation is cut off and repeated there is one object; (3) an object is removed only by the identity that was
 * recorded, or by the marks of the element. */
#ifndef LINTEL_PROVIDERS_DOCKER_OBJECT_H
#define LINTEL_PROVIDERS_DOCKER_OBJECT_H

#include "providers/docker/engine.h"

struct object_kind {
    const char *what;          /* "network" */
    const char *path, *behind; /* a name stands between them: "/networks/", "" */
    const char *labels_in;     /* the member of the object that has `Labels`; NULL: itself */
    const char *removal;       /* behind the name when it is removed: "?v=1" */
};

/* The object of that name or id; ABSENT when there is none. */
enum provider_result object_find(struct engine *e, const struct object_kind *k, sv name, value *object);
/* Its labels without those that lintel made. */
value object_get_labels(struct arena *a, const struct object_kind *k, value object);
/* Those of the spec with the marks of the operation. */
value object_make_labels(struct provider_call *c);
/* Whether it was made by this operation; by any operation of this element. */
bool object_is_own(struct provider_call *c, const struct object_kind *k, value object);
bool object_is_of_element(struct provider_call *c, const struct object_kind *k, value object);
/* Makes it by `r`, or finds what an earlier attempt has made; refuses a name that is taken. */
enum provider_result object_make(struct engine *e, const struct object_kind *k, struct engine_request *r,
                                 value *object);
/* The object of this very operation after a crash; ABSENT without. */
enum provider_result object_recover(struct engine *e, const struct object_kind *k, value *object);
/* OK, or ABSENT when it was gone. What is in use is tried again (TRANSIENT). */
enum provider_result object_remove(struct engine *e, const struct object_kind *k, sv name);
/* Labels that lintel itself uses are not for templates. */
void object_validate_labels(value spec, struct diags *diags, span at, sv prefix);

/* Schemas that types share. */
extern const struct schema docker_labels_schema, docker_texts_schema;

#endif
