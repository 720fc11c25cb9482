/* Places in the file system: an open directory and a name in it, and the marks that tell whose an object is.
 *
 * An object is made under a temporary name that holds the operation key, given its mark and its content, and then
 * renamed into place without replacing anything it may not replace: whoever looks sees the whole object with its mark,
 * or none. The mark is the extended attribute `user.lintel.key` with the operation key, beside `user.lintel.owner` with
 * instance and address; file systems without such attributes have no marks. The last name of a path is never followed
 * when it is a symbolic link. */
#ifndef LINTEL_PROVIDERS_LOCAL_PLACE_H
#define LINTEL_PROVIDERS_LOCAL_PLACE_H

#include "model/provider.h"

#include <sys/types.h>

struct place {
    sv path;          /* absolute */
    const char *name; /* the last part */
    int dir;          /* -1 while not open */
};

enum mark {
    MARK_OURS = 1,    /* made by this very operation */
    MARK_OTHER,       /* made by another operation */
    MARK_NONE,        /* by nobody we know */
    MARK_UNSUPPORTED, /* the file system keeps none */
};

/* Opens the directory of c->spec's `path`, made on the way when `make_parents`. ABSENT, without a reason, when it does
 * not exist; failures have a reason. The caller closes in every case. */
enum provider_result place_open(struct provider_call *c, bool make_parents, struct place *p);
void place_close(struct place *p);
/* The temporary name of this operation. */
const char *place_get_temporary(struct provider_call *c);
/* Renames the temporary object to its place; never replaces anything unless `replace`. Makes it durable. -1 with errno;
 * EEXIST when something is there. */
int place_publish(struct provider_call *c, const struct place *p, bool replace);

enum mark mark_read(struct provider_call *c, int fd);
/* False when the file system keeps none; other failures are not worth an answer, as recovery then compares contents. */
bool mark_write(struct provider_call *c, int fd);
/* Whether the mark names an element other than this one: it has taken the object over. */
bool mark_is_of_another(struct provider_call *c, int fd);

/* A reason for errno: "cannot VERB 'PATH': why"; TRANSIENT when it may pass by itself (disk full, too many open files),
 * else TERMINAL. */
enum provider_result place_fail(struct provider_call *c, const char *verb, sv path, int error);
/* TRANSIENT with a reason when the call was cancelled or its time is over, else OK. */
enum provider_result place_check_time(struct provider_call *c);
/* One line for the log of the run, which the engine may not keep. */
void place_log(struct provider_call *c, sv line);
/* "0644" as a mode; false when it is none. */
bool mode_parse(sv text, mode_t *mode);
/* A mode as text; `like` when that means the same. */
sv mode_print(struct provider_call *c, mode_t mode, sv like);
/* Checks of `path` that a schema cannot make. */
void place_validate(value spec, struct diags *diags, span at, sv prefix);

#endif
