/* A stage: one document processed against its stubs (DY-232).
 *
 * Every node that has to be evaluated is a place with a cell; parts of documents without anything of dynaml in them
 * have none and are shared as they are. Invariants:
 *   S1  A value's word holds WORD_LIVE when a text in it may be an expression (DY-020), WORD_STUB when it and all below
 *       come from a stub and are final (DY-084), and the number of its marks (DY-203).
 *   S2  The children of a container are known once its shape is: when `<<` has been evaluated, and the key field of an
 *       item (DY-100). `content` and `children` are set then, not before.
 *   S3  `found` of a place are the values that the stubs have at its stub path; they are known as soon as its parent's
 *       shape is (DY-114).
 *   S4  Nothing of a processed document is changed by a later stage. */
#ifndef LINTEL_DIALECTS_DYNAML_STAGE_H
#define LINTEL_DIALECTS_DYNAML_STAGE_H

#include "base/map.h"
#include "base/vec.h"
#include "dialects/dynaml/dynaml.h"
#include "dialects/dynaml/grammar.h"
#include "dialects/dynaml/template.h"

/* Bits of a value's word (S1). */
#define WORD_LIVE  (UINT32_C(1) << 31)
#define WORD_STUB  (UINT32_C(1) << 30)
#define WORD_MARKS (WORD_STUB - 1) /* number in the run's marks; 0: none */

/* A path into stubs, printed as in DY-230. Immutable; shares its outer part. */
struct stub_path {
    const struct stub_path *outer; /* NULL: the root */
    sv step;                       /* "key", "[0]", "name:x" */
};

/* What a value's way of coming about means for its node (DY-203). */
struct marks {
    bool is_merged;
    bool has_redirect;
    const struct stub_path *redirect; /* NULL: the root */
    sv key;                           /* of `on`; empty without */
    bool is_replacing;                /* found by `merge replace` (DY-212) */
};

struct notes;

struct dynaml_document {
    sv name; /* as typed */
    value written;
    const struct node *root;
    struct source *source;
    bool is_empty; /* nothing but blanks and comments */
};

struct dynaml_run {
    struct dynaml_options o;
    struct arena *a;
    struct limits limits; /* for reader and evaluator */
    VEC(struct marks) marks;
    VEC(sv) warnings;
    struct map programs;  /* outcomes of exec by their argument lists (DY-106) */
    struct map files;     /* of read, by name: struct dynaml_document */
    struct map key_index; /* lists by their address: names of their items (DY-371) */
    size_t evals;         /* texts under way in `eval`, one in another (limit `calls`) */
    sv limit;             /* the name of the one that was exceeded; empty: none */
    uint64_t limit_value;
    struct notes *notes; /* NULL: nothing is noted (DY-351) */
    struct dynaml_problem problem;
};

enum place_kind {
    PLACE_PLAIN = 1, /* nothing to evaluate: a stub may still have it */
    PLACE_EXPRESSION,
    PLACE_UNPARSEABLE,
    PLACE_MAP,
    PLACE_LIST,
    PLACE_TEMPLATE,
};

/* Where the content of a place was written. */
struct origin {
    const struct dynaml_document *document; /* NULL: computed */
    sv file;                                /* as reports name it (DY-312) */
};

/* What computed key fields of items are known to be (DY-114). */
struct item_names {
    struct map names; /* struct place of the first item of each */
    size_t next;      /* items before it have been looked at */
};

struct nested {
    struct place *content;
    sv issue;
};

struct place {
    struct place *parent; /* NULL: the root, and the roots of copies */
    struct place *use;    /* of a copy's root: the place whose expression uses it */
    struct place *home;   /* where expressions in it were parsed: itself, but for copies of templates (DY-182) */
    sv key;               /* in a map */
    uint32_t index;       /* in a list */
    bool is_item, is_merge_entry; /* is_merge_entry: it is a `<<` */
    bool is_final;                /* from a stub: taken as it is */
    bool is_key_field;            /* it names the item that it is in, so it is overridden only when it failed */
    uint8_t kind;                 /* enum place_kind */
    value source;                 /* as written */
    const struct expr *expr;      /* EXPRESSION */
    const struct expr *current;   /* the one that it has become (DY-103); NULL: `expr` */
    struct scope *scope;          /* names that its expressions see */
    struct scope *inner;          /* MAP: what it adds */
    struct cell cell;             /* its final value */
    struct cell shape;            /* MAP, LIST with something to be known first (S2) */
    bool is_shaped;
    value content;           /* MAP, LIST: entries as written or inserted */
    struct place **children; /* beside them, each made when first needed */
    struct place **merges;   /* the `<<` of it, in order */
    size_t merge_count;
    sv key_field;                  /* LIST: of its items; empty: `name` */
    sv key_name;                   /* of an item: the list's key field */
    sv computed_key;               /* its text, when it had to be evaluated */
    sv item_key;                   /* "name:x", its step in stub paths; empty: `[i]` */
    struct item_names *item_names; /* LIST; NULL: nobody has asked */
    struct place *key_place;       /* its key field, when that is an expression */
    const value *found;            /* per stub; NULL: nothing in any */
    bool is_found_known;
    const struct stub_path *redirect;
    bool has_redirect;
    struct place *in_place; /* EXPRESSION: its computed value, evaluated as if written here (DY-104) */
    bool is_in_place_done;
    unsigned copy_depth;                    /* templates and files evaluated in place, one in another */
    unsigned renewed;                       /* how often a computed text was an expression again */
    sv unparseable;                         /* the computed text that was none (DY-103) */
    VEC(struct nested) nested;              /* copies that its expression uses and that are unresolved (DY-186) */
    const struct dynaml_template *template; /* TEMPLATE: what uses get (DY-183) */
    const struct origin *origin;
};

struct stage {
    struct dynaml_run *run;
    struct arena *a;
    struct evaluator *ev;
    const struct dynaml_document *document;
    const value *stubs; /* processed */
    size_t stub_count;
    struct place *root;
    const struct origin *origin, *computed, *mapped;
    struct diags diags; /* of the evaluator: only limits get here */
    const struct place *exceeded_at;
    struct observer observer; /* of --debug */
};

/* --- run.c --- */
/* Processes the documents; stages[i] is that of documents[i]. False: the run has ended before stages[0] had its result.
 */
bool run_cascade(struct dynaml_run *run, struct dynaml_document *const *documents, size_t count, struct stage *stages,
                 struct dynaml_result *result);

/* --- places.c --- */
struct place *place_new(struct stage *s, struct place *parent, value source);
/* Once its fields are set: finds out what it is and gives it its cells. */
void place_begin(struct stage *s, struct place *p);
/* Per stub what stands at the place's stub path; NULL when none has anything. */
const value *place_get_found(struct stage *s, struct place *p);
/* The child of a shaped container (S2). */
struct place *place_get_child(struct stage *s, struct place *p, size_t index);
/* The final value of a child without anything to evaluate that no place was made for; false: it has to have one. */
bool place_get_plain(struct stage *s, struct place *p, size_t index, value *v);
/* The child of that key; NULL for none. */
struct place *place_find_child(struct stage *s, struct place *p, sv key);
/* The item that a step by name finds (DY-113); NULL for none. `*waits` gets an item whose key is not known yet,
 * or never will be. */
struct place *place_find_item(struct stage *s, struct place *p, sv step, struct place **waits);
/* The path into stubs: of the place, or of the one that it is redirected to. */
const struct stub_path *place_get_stub_path(struct stage *s, struct place *p);
bool place_is_redirected(const struct place *p);
void place_redirect(struct stage *s, struct place *p, const struct stub_path *path);
/* The first stub's value at its stub path; kind 0 for none. */
value place_find_override(struct stage *s, struct place *p);
/* Steps as reports print them: `[i]` for items (DY-312). */
void place_print_path(struct buf *out, const struct place *p);
void stub_path_print(struct buf *out, const struct stub_path *path);

/* --- shape.c --- */
/* Whether the children can be known only after something has been evaluated. */
bool shape_is_needed(const struct place *p);
/* The children of a container that needs no evaluation for that. */
void shape_at_once(struct stage *s, struct place *p);
/* eval_ops.directive for DYNAML_SHAPE and DYNAML_NODE. */
enum resolve_result shape_evaluate(struct stage *s, struct place *p, struct resolved *out);
enum resolve_result node_evaluate(struct stage *s, struct place *p, struct resolved *out);

/* --- overlay.c --- */
/* A document part without anything to evaluate, with what the stubs have (DY-240, DY-241). */
value overlay_value(struct stage *s, value v, const value *found, bool is_entry);
/* One step into what the stubs have (DY-231); NULL when none has it. */
const value *overlay_step(struct stage *s, const value *found, sv step);
/* The same for one value: kind 0 for none. */
value overlay_find(struct dynaml_run *run, value v, sv step);
/* What the stubs have at a path; NULL for nothing. */
const value *overlay_find_path(struct stage *s, const struct stub_path *path);
/* A step into a list by name: "field:text". */
sv overlay_make_step(struct arena *a, sv field, sv text);
/* Position of the first item whose `field` is the text; SIZE_MAX for none. */
size_t overlay_find_item(struct dynaml_run *run, value list, sv field, sv text);

/* `v` with the redirection and the key of `failed` where it has none of its own: `a || b` (DY-203). */
value marks_take_redirect(struct dynaml_run *run, value v, value failed);
/* --- marks --- */
const struct marks *marks_get(const struct dynaml_run *run, value v);
value marks_put(struct dynaml_run *run, value v, const struct marks *m);

/* --- stage.c --- */
/* Longest text of an expression. */
enum { DYNAML_EXPRESSION_BYTES = 1 << 20 };
/* `run`, `document` and the stubs are set. */
void stage_open(struct stage *s);
/* False: unresolved, or a limit was exceeded. */
bool stage_run(struct stage *s, struct place *p, value *result);
/* A limit of DY-362 ends the run. */
void stage_exceed(struct stage *s, struct evaluator *ev, sv name, uint64_t limit);
/* The cell's expression for all of a place, or for its shape. */
const struct expr *stage_make_directive(struct stage *s, enum dynaml_directive op, struct place *p);
/* The place that has to be demanded for a place's final value; a value at once when nothing is to be evaluated. */
bool stage_get_value(struct stage *s, struct place *p, value *v);
const struct expr *stage_parse(struct stage *s, struct place *home, sv text);
/* As a node has it in the end: without what only the stage needs to know. */
value stage_make_final(struct stage *s, value v);
/* What a node with `&template` is (DY-180, DY-183). */
value stage_make_template(struct stage *s, struct place *p);

#endif
