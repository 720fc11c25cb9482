/* Reconciliation (BP-532, BP-533): the state is brought to what is really there; nothing outside is touched. */
#ifndef LINTEL_ENGINE_RECONCILE_H
#define LINTEL_ENGINE_RECONCILE_H

#include "engine/run.h"

enum reconcile_type {
    RECONCILE_DRIFT = 1,
    RECONCILE_INTERRUPTED,
    RECONCILE_STATE_REFRESH, /* what does not count as drift: fields that the provider fills in, outdated drift records
                              */
};

enum reconcile_action {
    RECONCILE_ACCEPT_EXTERNAL = 1, /* the state becomes what is really there */
    RECONCILE_UPDATE_STATUS,       /* status and records say what became of the element */
    RECONCILE_CLEAN_UP,            /* manual_cleanup_required: nobody can tell; nothing can be applied */
};

struct reconcile_result {
    addr address;
    sv element_type;
    enum reconcile_type type;
    enum reconcile_action action;       /* recommended */
    sv operation;                       /* INTERRUPTED: "create", "update", "destroy" */
    enum status old_status, new_status; /* equal when it does not change */
    value stored, external;             /* spec with computed fields; kind 0: no object, or not known */
    struct field_diff diff;
    bool missing;
    sv reason;                        /* CLEAN_UP: why nobody can tell */
    const struct open_intent *intent; /* INTERRUPTED; inside of the engine */
    bool chosen;                      /* to be applied; the caller may clear it. Set for everything but CLEAN_UP */
};

struct reconcile_request {
    bool interrupted_only;
    bool no_children; /* elements of children are left out */
    /* Interrupted elements of which nobody can tell what became are taken as cleaned up: there is no object, or for an
     * update, it is as it was. */
    bool is_cleaned_up;
    const sv *addresses; /* of elements, or of children with all that belongs to them; none: all */
    size_t address_count;
};

struct reconciliation {
    struct store_instance instance;
    struct reconcile_result *items;
    size_t count;
    struct look *look;
};

/* Looks, and writes nothing. OK also when there are results; else after a report. */
enum exit_code run_reconcile_look(const struct run_config *c, const struct reconcile_request *request,
                                  struct reconciliation *r);
/* Applies the chosen results: the state only, under a lease, journalled, in one transaction. OK, or after a report
 * LOCKED, STALE (the instance was changed since it was looked at: nothing is applied), FAILED. */
enum exit_code run_reconcile_apply(const struct run_config *c, const struct reconciliation *r);

sv reconcile_type_get_name(enum reconcile_type type);
/* "accept_external" */
sv reconcile_action_get_name(enum reconcile_action action);

#endif
