/* What became of intents without outcome (LC-023, BP-533): the provider is asked; the picture of the instance follows.
 */
#ifndef LINTEL_ENGINE_RECOVER_H
#define LINTEL_ENGINE_RECOVER_H

#include "engine/journal.h"
#include "engine/run.h"
#include "engine/stored.h"

enum recovery {
    RECOVERED_DONE = 1, /* it has happened: the record says so */
    RECOVERED_UNDONE,   /* it has not: the record is as it was before, the operation is free to run again */
    RECOVERED_UNTOLD,   /* nobody can tell: the record says `…_interrupted` */
};

struct recovered {
    const struct open_intent *intent;
    enum recovery recovery;
    sv address;
    sv reason; /* UNTOLD */
};
struct recoveries {
    VEC(struct recovered) items;
    size_t untold;
};

/* Asks for every open intent and changes the records in memory; nothing is written. Each untold one is reported as
 * `operation_interrupted`. */
struct recovery_request {
    sv base_dir;    /* of intents that name none */
    bool only_look; /* planning: providers look without effect and are asked once (LC-002) */
    bool is_quiet;  /* what nobody can tell is not reported */
    /* Called again and again while a provider thinks, so that the lease does not run out meanwhile; NULL: not wanted.
     */
    void (*tick)(void *user);
    void *user;
};
void recover_all(const struct run_config *c, struct stored *s, struct recovery_request request,
                 struct recoveries *result);
/* A provider's word, from a thread of its own where the lease has to be kept; asked again while the answer is that
 * something is still under way, or fails for the moment. `ask` prepares each attempt. */
enum provider_result recover_ask(const struct run_config *c, const struct recovery_request *request,
                                 enum provider_result (*ask)(void *user), void *user);

#endif
