/* Edits of the stored state by hand: elements taken out, renamed or put back, leases broken.
 *
 * An edit is one run of its own kind: it holds the lease (LC-030), makes all its changes in one transaction together
 * with its journal rows and its history entry, and touches no object outside but for the mark that says whose it is.
 * Whoever kills it finds the state as it was or as it was to be. The entry keeps what changed rows were before, sealed
 * as they were, so that the last edit can be taken back. Journal rows of runs that were cut off stay: what they left
 * open is settled by the next deployment (LC-023). */
#ifndef LINTEL_ENGINE_EDIT_H
#define LINTEL_ENGINE_EDIT_H

#include "engine/journal.h"
#include "engine/run.h"
#include "engine/stored.h"

struct edit_item {
    sv address; /* as it is now */
    struct resource_record *resource;
    struct link_record *link;
    const struct store_element *origin; /* the row it came from; NULL: new */
    bool changed;
};

enum edit_verb {
    EDIT_REMOVED = 1,
    EDIT_MOVED,
    EDIT_RESTORED, /* as it was before the edit that is taken back */
    EDIT_IMPORTED,
};

/* "removed" */
const char *edit_verb_get_text(enum edit_verb verb);

struct edit_change {
    enum edit_verb verb;
    sv address, to; /* `to` of MOVED */
};

struct edit_request {
    sv kind;      /* "state mv", as `history` shows it */
    sv reason;    /* may be empty */
    bool dry_run; /* no lease, nothing is written */
    bool steal;   /* a live lease is taken over (LC-032) */
    /* When there is no such instance: a new one of the configuration's name, written with the edit in one transaction.
     * Id, dialect and status; `id` empty: a fresh one. NULL: there has to be one. */
    const struct store_instance *fresh;
};

struct edit {
    const struct run_config *c;
    struct edit_request request;
    struct arena *a;
    struct stored stored;
    VEC(struct edit_item *) items;   /* removed ones stay, with `address` empty */
    struct map by_address;           /* address → struct edit_item */
    struct map open;                 /* address → journal row of an intent without outcome */
    struct map open_operations;      /* operation → the same */
    VEC(struct journal_row) rescued; /* outcomes to be written */
    bool is_final;                   /* it cannot be taken back */
    bool is_fresh;                   /* the instance is new */
    bool replaces_all;               /* what is stored becomes what a file says */
    bool has_new_body;               /* what stands in the instance's row is other than before */
    VEC(struct store_history) past;  /* of a fresh one: what happened to it elsewhere */
    VEC(struct edit_change) changes;
    sv run_id;
    sv broken_holder; /* JSON of who held the lease that was taken over; empty: nobody */
    int64_t undoes;   /* number of the history entry that is taken back; 0: none */
    int64_t started_ms;
    struct store_lease lease;
    bool has_lease;
};

/* Takes the lease and loads the instance that the configuration names. False after a report, with the exit code: 6 when
 * another run holds it. `edit_end` in any case. */
bool edit_begin(struct edit *e, const struct run_config *c, const struct edit_request *request, enum exit_code *code);
/* The element at an address as people type it; NULL after a report. */
const struct edit_item *edit_get(struct edit *e, sv text);
/* Each changes the picture in memory only. False after a report. */
/* A resource that is new to the state, as the record says. */
bool edit_add(struct edit *e, const struct resource_record *record);
/* A resource with its links, a link, or all of a child. The objects stay where they are. */
bool edit_remove(struct edit *e, sv address);
/* A resource gets another address, or all of a child another name; links, and what others have recorded, follow. */
bool edit_move(struct edit *e, sv from, sv to);
/* The last edit of the instance, when nothing else has happened to it since. */
bool edit_undo(struct edit *e);
/* The lines of a rescue file (LC-046). */
bool edit_rescue(struct edit *e, sv text);
/* Writes everything in one transaction; nothing for a dry run, or when nothing has changed. False after a report. */
bool edit_commit(struct edit *e, enum exit_code *code);
/* Within it: the records of objects that `edit_claim` is going to mark say so, for whoever comes after a kill. */
void edit_note_claims(struct edit *e);
/* After the commit: the objects of elements that were moved, imported or put back bear the mark of their elements. One
 * that cannot be marked is a warning. */
void edit_claim(struct edit *e);
/* Gives the lease back. */
void edit_end(struct edit *e);

/* Breaks the lease of whoever holds the instance (LC-032): what that run still wants to write is refused from now on.
 * `holder` gets JSON of who held it, empty when nobody did. */
enum exit_code edit_unlock(const struct run_config *c, sv reason, sv *holder);

/* --- edit_history.c --- */
/* A run, as history or the journal tells of it. */
struct past_run {
    int64_t number; /* 0: not in the history, it has not succeeded */
    sv run_id, kind, actor, outcome, command, reason;
    int64_t pid;                  /* of the process that ran; 0: not recorded */
    int64_t started_ms, ended_ms; /* ended 0: it did not */
    value summary;                /* of deployments, numbers by action; kind 0 without */
    value edit;                   /* of edits, what was changed; kind 0 without */
};
struct past_runs {
    sv instance_id;
    VEC(struct past_run) items; /* oldest first; those not in the history last */
};
/* Of an instance by name or id; an id is found after the destruction, too. False after a report. */
bool edit_list_runs(const struct run_config *c, struct past_runs *runs);

/* The instance with all edits so far, for planning. */
struct stored *edit_make_picture(const struct edit *e);

/* Inside of an edit. */
struct edit_item *edit_find(const struct edit *e, sv address);
void edit_drop(struct edit *e, struct edit_item *item);
void edit_rename(struct edit *e, struct edit_item *item, addr to);
void edit_note(struct edit *e, enum edit_verb verb, sv address, sv to);
/* A row in the place of what its address has now. False after a report. */
bool edit_put_row(struct edit *e, const struct store_element *row);
/* What rows were before, for the history entry; and such a row back. */
value edit_encode_row(struct arena *a, const struct store_element *row);
struct store_element edit_decode_row(value v, sv address);
/* Reports that the edit cannot be made, and returns false. */
bool edit_refuse(struct edit *e, const char *hint, sv message);

#endif
