/* One evaluation of a template. Internal to the room.
 *
 * Results (CF-003) are values: absent is VALUE_ABSENT; unknown is VALUE_UNKNOWN whose note has the residual, the
 * reasons and where it came from; an error has been reported and is an unknown, too, whose note says so and whose
 * residual is the call as written (CF-212). The word of a value: its origin and the number of its note. */
#ifndef LINTEL_DIALECTS_CFN_RUN_H
#define LINTEL_DIALECTS_CFN_RUN_H

#include "dialects/cfn/cfn.h"
#include "dialects/cfn/template.h"
#include "graph/graph.h"
#include "lang/eval.h"

/* Bits of a value's word. */
#define CFN_WORD_ORIGIN_SHIFT 30 /* enum cfn_origin (origin.h) - 1 */
#define CFN_WORD_NOTE         ((UINT32_C(1) << CFN_WORD_ORIGIN_SHIFT) - 1)

/* Reasons of unknowns (§20). */
#define CFN_REASONS(X) \
    X(account)         \
    X(attribute)       \
    X(cidr_bits)       \
    X(dynamic)         \
    X(foreach)         \
    X(generated) X(import) X(macro) X(nested) X(network) X(parameter) X(sam) X(ssm) X(stack_output) X(type) X(zones)
enum cfn_reason {
    CFN_REASON_NONE = 0,
#define CFN_REASON(name) CFN_REASON_##name,
    CFN_REASONS(CFN_REASON)
#undef CFN_REASON
        CFN_REASON_other, /* a resolver's own text */
    CFN_REASON_COUNT,
};

/* What few notes have. */
struct cfn_note_more {
    sv text;        /* of a number that 64 bits do not hold */
    sv written;     /* a number whose text differs from its decimal one */
    sv reason_text; /* of CFN_REASON_other */
    sv hint;        /* may be empty */
    sv placeholder; /* of an unknown text (CF-211); empty: none */
};

/* What a value carries beside itself. */
struct cfn_note {
    const struct node *residual;      /* what is printed in its place; NULL: none */
    const struct cfn_note_more *more; /* NULL: nothing */
    span at;                          /* where it was used, or found out */
    uint32_t cause;                   /* the note of what was referred to there; 0: none */
    uint32_t reasons;                 /* 1 << enum cfn_reason */
    uint8_t function;                 /* enum cfn_function */
    bool is_error;                    /* reported: no unknown of its own */
    bool is_list;                     /* an unknown known to be a list */
};

/* A file that was read in the place of an Include. */
struct cfn_included {
    uint32_t source;
    span at; /* the Include */
    const struct node *root;
};

/* A child of a container that is being checked. */
struct cfn_open_part {
    struct cfn_part *part;
    uint32_t index;
};

/* Something for the report. */
struct cfn_remark {
    enum cfn_report_kind kind;
    span at;
    uint32_t note;
};

/* A needed reference from one resource to another (CF-037). */
struct cfn_edge {
    uint32_t from, to; /* numbers of resources */
    span at;
    uint8_t function; /* CFN_REF, CFN_GET_ATT, CFN_SUB */
};

struct cfn_symbols; /* symbols.h: the chain of CF-220 with what it has found */

struct cfn_run {
    struct arena *arena;
    const struct cfn *cfn;
    const struct cfn_inputs *inputs;
    struct cfn_options o;
    struct limits limits;
    struct cfn_template *t;
    struct evaluator *ev;
    struct cfn_symbols *symbols;
    struct cfn_run *parent; /* of a nested stack; NULL: none */
    sv stack_path;          /* "Child/Grandchild"; empty for the root */
    sv nested_id;           /* logical id in the parent; empty for the root */
    value *parameters;      /* by number */
    struct cell *conditions;
    value *part_values;    /* by slot: calls evaluated so far; kind 0: not yet */
    struct map part_cells; /* by address of the part: cells of those that others ask for */
    struct map node_maps;  /* by address of a large mapping: its values by key */
    struct arena scratch;  /* gone with cfn_run_close */
    VEC(struct cfn_open_part) open_parts;
    VEC(struct cfn_edge) edges;
    struct graph graph; /* of resources, once evaluated: `kind` of an edge is its enum cfn_function, 0 for DependsOn */
    struct cell **symbol_cells; /* by cfn_symbol.number */
    size_t symbol_cell_count;
    bool reveals; /* sensitive values are wanted as they are: nobody prints them */
    VEC(struct cfn_note) notes;
    VEC(struct cfn_remark) remarks;
    bool is_report_sorted;
    VEC(struct cfn_report_entry) report; /* made of the remarks when asked for */
    size_t counts[CFN_REPORT_KEPT + 1];
    VEC(struct cfn_included) included;
    const struct cfn_resource *current;    /* whose values are being evaluated; NULL: none */
    bool is_in_properties, is_in_metadata; /* of `current`, while they are printed */
    bool has_failed;                       /* an error stands in the output as it was written (CF-212) */
    bool keeps_ifs; /* a Fn::If may stand in the output: its condition is unknown, or nobody needed it */
    bool has_macro, has_loops, keeps_extensions, keeps_includes; /* what was not carried out */
    bool is_checked;
    const struct node *output; /* the resolved template; NULL: not made */
    size_t made_text;          /* bytes of all texts that functions made */
    size_t unsure;             /* how many branches around have a condition that is unknown */
};

/* The file of the root template. */
struct source *cfn_get_source(const struct cfn *cfn);
bool cfn_is_json(const struct cfn *cfn);

/* --- paths.c --- */
/* The path of a place in the template (CF-007): `Resources.F.Properties.Env[0]["a.b"]`; empty when it is in none. */
sv cfn_path_find(struct cfn_run *run, span at);
sv cfn_path_find_in(struct arena *a, const struct node *root, span at);
/* A diagnostic with its path. Never NULL. */
struct diag *cfn_report(struct cfn_run *run, enum diag_code code, span at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
#define cfn_hint(run, diag, ...) diag_set_hint((run)->o.diags, (diag), __VA_ARGS__)

/* --- unknown.c --- */
/* Reserves note 0, which is empty. */
void cfn_notes_start(struct cfn_run *run);
/* A note of its own for the value. */
value cfn_note_put(struct cfn_run *run, value v, const struct cfn_note *note);
/* Valid until the next note is put. Never NULL. */
const struct cfn_note *cfn_note_get(const struct cfn_run *run, value v);
const struct cfn_note_more *cfn_note_get_more(const struct cfn_run *run, value v); /* never NULL */
/* Unknown without residual: whoever referred to it gives it one. `hint` may be empty. */
value cfn_unknown(struct cfn_run *run, enum cfn_reason reason, span at, sv hint);
value cfn_unknown_text(struct cfn_run *run, sv reason, span at, sv hint);
/* Reports with the path of `at` and gives the error value (CF-007). */
value cfn_fail(struct cfn_run *run, enum diag_code code, span at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* An error that has been reported already. */
value cfn_failed(struct cfn_run *run);
/* An ERROR value is the evaluator's own: says why, once. */
void cfn_error_note(struct cfn_run *run, value v);
bool cfn_is_failed(const struct cfn_run *run, value v);

/* --- properties.c: evaluated properties, for forms, nested stacks and resolvers --- */
/* A property of a resource by its path of keys ("Path", "Domain.DomainName"). True: `*result` is its value, kind 0 when
 * there is no such property. False: it is not evaluated yet; `*cell` has to be demanded, then ask again. */
bool cfn_property_find(struct cfn_run *run, const struct cfn_resource *r, sv path, value *result, struct cell **cell);
/* The node of a property, as written; NULL for none. */
const struct node *cfn_property_get_node(const struct cfn_resource *r, sv path);
/* The value of a literal node (no calls in it). */
value cfn_literal_get(struct cfn_run *run, const struct node *n);
/* The text of a scalar value (CF-021); false for lists, maps, absent, unknown. */
bool cfn_text_get(struct cfn_run *run, value v, sv *text);

#endif
