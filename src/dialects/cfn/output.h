/* The resolved template as a tree (§12). Internal to the room. */
#ifndef LINTEL_DIALECTS_CFN_OUTPUT_H
#define LINTEL_DIALECTS_CFN_OUTPUT_H

#include "dialects/cfn/evaluate.h"

/* Evaluates everything that is printed: run->output, run->report's counts. */
void cfn_output_make(struct cfn_run *run);
/* A part with its calls evaluated; NULL: absent. */
const struct node *cfn_output_part(struct cfn_run *run, const struct cfn_part *part, const struct node *n);
/* CF-213: what is kept of sections besides Resources and Outputs. */
const struct node *cfn_output_root(struct cfn_run *run, const struct node *resources, const struct node *outputs);

/* --- prune.c --- */
const struct node *cfn_prune(struct cfn_run *run, const struct node *root);

/* --- write.c --- */
void cfn_write_json(struct cfn_run *run, const struct node *root, struct buf *out);
void cfn_write_yaml(struct cfn_run *run, const struct node *root, struct buf *out);

/* --- report.c --- */
/* Notes that something of this kind was printed at the place. */
void cfn_report_put(struct cfn_run *run, enum cfn_report_kind kind, span at, value v);

#endif
