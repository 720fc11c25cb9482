/* Kinds of changes as people name them: for what is shown (--only) and what may be done (--approve, --deny). Internal
 * to the command line. */
#ifndef LINTEL_APPS_CLI_KINDS_H
#define LINTEL_APPS_CLI_KINDS_H

#include "apps/cli/cli.h"

enum kind {
    KIND_CREATE = 1 << 0,
    KIND_UPDATE = 1 << 1, /* checks on deploy, too */
    KIND_REPLACE = 1 << 2,
    KIND_DESTROY = 1 << 3,
    KIND_READ = 1 << 4,
    KIND_RETAIN = 1 << 5,
};
enum { KIND_COUNT = 6 };

/* The one kind that a change is counted as; 0 for none. */
unsigned kinds_get(const struct change *change);
/* All that carrying the change out may turn into: a condition known on deploy may destroy what exists. Exports and
 * reads touch no object: 0. */
unsigned kinds_get_possible(const struct change *change);
/* "create"; `kind` is one of the set. */
sv kind_get_name(unsigned kind);
/* "create,update" of an option, which may be repeated, as a set; 0 when it is not given. False after a usage error. */
bool kinds_parse_option(struct cli *c, const char *option, unsigned *kinds);
/* One such list; adds to the set. */
bool kinds_parse_list(struct cli *c, const char *option, sv list, unsigned *kinds);
/* One name; 0: there is no such kind. */
unsigned kinds_find(sv name);
/* "create, update", in the order of the plan's last line. */
void kinds_render(struct buf *out, unsigned kinds);

/* Whether `pattern` fits all of `text`: '*' is any text, '?' one character. Bounded by the product of the lengths. */
bool pattern_fits(sv pattern, sv text);

#endif
