/* Taking objects that exist already into the state of an instance, which may be a new one (cli.md,
 * `import`).
 *
 * Invariants: (1) looking changes nothing, neither in the store nor outside; (2) what is recorded is what was found,
 * never what the template wishes; (3) no object outside changes before its record is durable, and then at most the mark
 * that it bears; (4) an object that another record of the store claims is not taken, unless that is forced (F38). */
#ifndef LINTEL_ENGINE_IMPORT_H
#define LINTEL_ENGINE_IMPORT_H

#include "engine/edit.h"

/* One object, as asked for. */
struct import_wish {
    sv address, id;
    span at; /* in the file that asks for it, or SPAN_NONE */
};

struct import_request {
    const struct template *t; /* loaded */
    const struct template_input *inputs;
    size_t input_count;
    const struct import_wish *wishes;
    size_t count;
    bool force;      /* whatever else claims the objects */
    bool only_found; /* nothing but these objects is read, and no plan is made */
};

struct import_item {
    const struct import_wish *wish;
    sv address; /* canonical */
    const struct resource_type *type;
    const struct resource_record *record; /* as it will be stored; NULL until the object is found */
};

struct import {
    const struct run_config *c;
    struct import_request request;
    struct stored *stored; /* the instance; the records of what was found are in it */
    const int64_t *places; /* per element of the last plan (places.h) */
    struct map cut_off;    /* addresses with an operation that nobody knows the end of */
    VEC(struct import_item) items;
    const struct plan *after; /* what the next plan would do; NULL with `only_found` */
};

/* Finds the objects and what they mean for `stored`, whose picture changes in memory. False after a report. */
bool import_look(struct import *i, const struct run_config *c, const struct import_request *request,
                 struct stored *stored, enum exit_code *code);
/* Puts the records into an edit. False after a report. */
bool import_take(const struct import *i, struct edit *e);

#endif
