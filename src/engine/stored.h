/* What the store holds of one instance, decoded: the engine's picture of the world while it plans and deploys. Planning
 * changes it in memory only. */
#ifndef LINTEL_ENGINE_STORED_H
#define LINTEL_ENGINE_STORED_H

#include "engine/records.h"
#include "engine/run.h"

/* One of both is set. */
struct stored_element {
    struct resource_record *resource;
    struct link_record *link;
    bool removed; /* its row is gone */
    uint32_t row; /* its number in `tree.elements`, as loaded */
};

struct stored {
    struct arena *arena;
    bool found;
    struct store_instance instance;
    struct instance_body body;
    VEC(struct stored_element *) elements; /* in document order, new ones behind; removed ones stay, marked */
    struct map by_address;                 /* address text → struct stored_element */
    struct arena *rows;                    /* of `tree`; NULL: nothing was loaded */
    struct store_tree tree;                /* rows as loaded: journal, lease */
};

/* Looks the instance up by the configuration's name or id and loads it. `found` is false when there is none of that
 * name. False after a report, with the exit code: an unknown id, a damaged row, a journal whose chain is broken. */
bool stored_load(const struct run_config *c, struct stored *s, enum exit_code *code);
/* The same, but that an unknown id is no error: `found` is false then, too. */
bool stored_load_if_there(const struct run_config *c, struct stored *s, enum exit_code *code);
/* Gives the rows back, which take as much as the records: `tree.elements` is empty then, its other parts stay. */
void stored_drop_rows(struct stored *s);
/* NULL when it is not there or removed. */
struct resource_record *stored_find_resource(const struct stored *s, sv address);
struct link_record *stored_find_link(const struct stored *s, sv address);
/* A new record at the end, or the one there is. */
struct resource_record *stored_put_resource(struct stored *s, addr address);
struct link_record *stored_put_link(struct stored *s, addr address);
void stored_remove(struct stored *s, sv address);

/* --- view.c --- */
/* Exports of the root and of children. */
void view_sort_exports(struct arena *a, const struct instance_body *body, struct instance_view *view);

#endif
