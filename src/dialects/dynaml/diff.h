/* Differences of two documents as data (§16): expressions are strings here.
 *
 * Time and memory are linear in the size of both documents and of what is found, but for the sorting of keys: items of
 * lists are found by an index of their names. */
#ifndef LINTEL_DIALECTS_DYNAML_DIFF_H
#define LINTEL_DIALECTS_DYNAML_DIFF_H

#include "base/vec.h"
#include "dialects/dynaml/dynaml.h"

struct dynaml_difference {
    const sv *path; /* steps: a key, the name of an item, `[i]` */
    size_t path_len;
    value a, b; /* kind 0: the side has nothing there; not both */
};

struct dynaml_differences {
    VEC(struct dynaml_difference) items;
};

/* In the order of DY-342 to DY-345. What is found lives in `a` and borrows from the documents. */
void dynaml_compare(struct arena *a, const struct dynaml_document *left, const struct dynaml_document *right,
                    struct dynaml_differences *result);

struct dynaml_diff_style {
    sv a, b;      /* names of the files */
    sv separator; /* behind each difference */
    bool is_colored;
    bool is_escaped; /* control characters of names and paths are shown escaped (DY-365) */
};
/* DY-340, DY-341 */
void dynaml_print_differences(struct buf *out, const struct dynaml_differences *d,
                              const struct dynaml_diff_style *style);
/* DY-346: one line without line break. False: an infinity or NaN is in it, which JSON cannot hold. */
bool dynaml_write_differences(struct buf *out, const struct dynaml_differences *d);

#endif
