#include "adapters/postgres/postgres.h"

#include "base/num.h"
#include "base/vec.h"

#include <errno.h>
#include <libpq-fe.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <time.h>

enum {
    OID_BYTES = 17, /* bytea */
    OID_I64 = 20,   /* bigint */
    OID_TEXT = 25,
    PARAMS_MAX = 16,
    WHY_MAX = 400,         /* bytes of a message that are shown */
    ANSWERS_UNREAD = 1024, /* statements sent before their answers are read, so that neither side blocks the other */
};

struct answer {
    PGresult *result;
};

/* What the server has been asked: each gives one answer. */
struct question {
    bool is_prepare;
    unsigned number;
};

struct pg {
    struct arena *arena;
    PGconn *conn;
    int64_t answer_ms;
    bool is_lost, is_answered; /* answered: pg_run was called since the last pg_queue */
    bool no_prepare, has_notice;
    bool prepared[PG_STATEMENTS];
    sv error, sqlstate;
    enum pg_outcome failure; /* the first of this batch; PG_OK */
    struct arena batch;
    VEC(struct question) asked; /* not read yet */
    VEC(struct answer) answers;
    size_t queued;
};

/* --- Errors --- */

struct state_class {
    const char *prefix;
    enum pg_outcome result;
};

/* The first that fits. */
static const struct state_class classes[] = {
    {"08", PG_LOST},         {"23", PG_CONSTRAINT},   {"25006", PG_READ_ONLY}, {"28", PG_REFUSED},
    {"3D000", PG_REFUSED},   {"3F", PG_UNDEFINED},    {"40001", PG_RETRY},     {"40P01", PG_RETRY},
    {"42501", PG_DENIED},    {"42704", PG_UNDEFINED}, {"42P", PG_UNDEFINED},   {"42703", PG_UNDEFINED},
    {"42883", PG_UNDEFINED}, {"53", PG_FULL},         {"55P03", PG_BUSY},      {"57014", PG_BUSY},
    {"57P03", PG_STARTING},  {"57P", PG_LOST},        {"25P03", PG_LOST},      {"58030", PG_FULL},
    {"XX001", PG_CORRUPT},   {"XX002", PG_CORRUPT},
};

static enum pg_outcome classify(sv state) {
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
        if (state.len > 0 && sv_has_prefix(state, sv_from_cstr(classes[i].prefix))) {
            return classes[i].result;
        }
    }
    return PG_ERROR;
}

/* One line of it. */
static sv clean(struct arena *a, const char *text) {
    sv all = sv_trim(sv_from_cstr(text));
    char *copy = arena_copy_cstr(a, sv_slice(all, 0, WHY_MAX));
    for (char *c = copy; *c != '\0'; c++) {
        if ((unsigned char)*c < ' ' || *c == 0x7f) {
            *c = ' ';
        }
    }
    return sv_from_cstr(copy);
}

static enum pg_outcome fail(struct pg *p, enum pg_outcome result, const char *why, sv state) {
    if (p->failure == PG_OK) {
        p->failure = result;
        p->error = clean(p->arena, why);
        p->sqlstate = arena_copy_sv(p->arena, state);
    }
    return result;
}

static enum pg_outcome lose(struct pg *p, const char *why) {
    p->is_lost = true;
    p->failure = p->failure == PG_OK ? PG_OK : PG_LOST;
    return fail(p, PG_LOST, why[0] == '\0' ? "the connection was lost" : why, (sv){0});
}

/* The primary message alone: details quote rows. */
static void take_failure(struct pg *p, const PGresult *r) {
    sv state = sv_from_cstr(PQresultErrorField(r, PG_DIAG_SQLSTATE));
    const char *why = PQresultErrorField(r, PG_DIAG_MESSAGE_PRIMARY);
    enum pg_outcome result = classify(state);
    if (PQstatus(p->conn) == CONNECTION_BAD || result == PG_LOST || result == PG_STARTING || state.len == 0) {
        lose(p, why == NULL ? PQerrorMessage(p->conn) : why);
    } else {
        fail(p, result, why == NULL ? "the server gave no reason" : why, state);
    }
}

sv pg_get_error(const struct pg *p) {
    return p->error;
}

sv pg_get_sqlstate(const struct pg *p) {
    return p->sqlstate;
}

bool pg_is_lost(const struct pg *p) {
    return p->is_lost;
}

int64_t pg_get_backend(const struct pg *p) {
    return PQbackendPID(p->conn);
}

/* --- Opening --- */

static void ignore_notice(void *user, const char *message) {
    (void)user;
    (void)message;
}

/* What the server would say to anybody else: that tells a server that starts from one that is not there. */
static enum pg_outcome classify_refusal(const struct pg_address *address) {
    PGPing ping = PQpingParams(address->keywords, address->values, 0);
    return ping == PQPING_REJECT ? PG_STARTING : PG_REFUSED;
}

enum pg_outcome pg_open(struct arena *a, const struct pg_address *address, int64_t answer_ms, struct pg **result,
                        sv *why) {
    *result = NULL;
    PGconn *conn = PQconnectdbParams(address->keywords, address->values, 0);
    if (conn == NULL || PQstatus(conn) != CONNECTION_OK) {
        *why = clean(a, conn == NULL ? "out of memory" : PQerrorMessage(conn));
        PQfinish(conn);
        return classify_refusal(address);
    }
    PQsetNoticeProcessor(conn, ignore_notice, NULL);
    if (PQsetnonblocking(conn, 1) != 0 || PQenterPipelineMode(conn) != 1) {
        *why = SV("the connection cannot be set up");
        PQfinish(conn);
        return PG_REFUSED;
    }
    struct pg *p = ARENA_NEW(a, struct pg);
    *p = (struct pg){
        .arena = a, .conn = conn, .answer_ms = answer_ms, .no_prepare = address->no_prepare, .failure = PG_OK};
    *result = p;
    return PG_OK;
}

static void forget_answers(struct pg *p) {
    for (size_t i = 0; i < p->answers.len; i++) {
        PQclear(p->answers.items[i].result);
    }
    p->answers.items = NULL;
    p->answers.len = p->answers.cap = 0;
    p->asked.items = NULL;
    p->asked.len = p->asked.cap = 0;
    p->queued = 0;
    arena_fini(&p->batch);
}

void pg_close(struct pg *p) {
    if (p != NULL) {
        forget_answers(p);
        PQfinish(p->conn);
        p->conn = NULL;
    }
}

/* --- Waiting --- */

static int64_t get_now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_BOOTTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Until the socket can be read or, with `writing`, written. */
static bool wait_socket(struct pg *p, bool writing, int64_t until_ms) {
    struct pollfd fd = {.fd = PQsocket(p->conn), .events = (short)(writing ? POLLIN | POLLOUT : POLLIN)};
    for (;;) {
        int64_t left = until_ms - get_now_ms();
        int n = left <= 0 ? 0 : poll(&fd, 1, left > INT_MAX ? INT_MAX : (int)left);
        if (n > 0) {
            return true;
        }
        if (n == 0 || errno != EINTR) {
            lose(p, "the server does not answer");
            return false;
        }
    }
}

/* Until an answer can be taken without waiting. */
static bool await_answer(struct pg *p) {
    int64_t until = get_now_ms() + p->answer_ms;
    while (!p->is_lost) {
        int unsent = PQflush(p->conn);
        if (unsent >= 0 && !PQisBusy(p->conn)) {
            return true;
        }
        if (unsent < 0 || !wait_socket(p, unsent > 0, until) || PQconsumeInput(p->conn) != 1) {
            if (!p->is_lost) {
                lose(p, PQerrorMessage(p->conn));
            }
        }
    }
    return false;
}

static PGresult *take_result(struct pg *p) {
    return await_answer(p) ? PQgetResult(p->conn) : NULL;
}

static bool is_good(const PGresult *r) {
    ExecStatusType status = PQresultStatus(r);
    return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK || status == PGRES_EMPTY_QUERY;
}

/* --- Text of several statements --- */

enum pg_outcome pg_exec(struct pg *p, sv text) {
    forget_answers(p);
    if (p->is_lost) {
        return PG_LOST;
    }
    p->failure = PG_OK;
    char *copy = arena_copy_cstr(&p->batch, text);
    if (PQexitPipelineMode(p->conn) != 1 || PQsendQuery(p->conn, copy) != 1) {
        return lose(p, PQerrorMessage(p->conn));
    }
    for (PGresult *r = take_result(p); r != NULL; r = take_result(p)) {
        if (!is_good(r)) {
            take_failure(p, r);
        }
        PQclear(r);
    }
    if (!p->is_lost && PQenterPipelineMode(p->conn) != 1) {
        return lose(p, PQerrorMessage(p->conn));
    }
    return p->failure;
}

/* --- Pipeline --- */

static void ask(struct pg *p, bool is_prepare, unsigned number, int sent) {
    if (sent != 1) {
        lose(p, PQerrorMessage(p->conn));
        return;
    }
    VEC_PUSH(&p->batch, &p->asked, ((struct question){is_prepare, number}));
}

static void get_types(const struct pg_param *params, int count, Oid types[PARAMS_MAX]) {
    for (int i = 0; i < count; i++) {
        types[i] = params[i].kind == PG_TEXT ? OID_TEXT : params[i].kind == PG_I64 ? OID_I64 : OID_BYTES;
    }
}

static void send_prepare(struct pg *p, struct pg_statement st, const char *name, const struct pg_param *params,
                         int count) {
    Oid types[PARAMS_MAX];
    get_types(params, count, types);
    ask(p, true, st.number, PQsendPrepare(p->conn, name, st.text, count, types));
    p->prepared[st.number] = true; /* taken back when it fails */
}

static void send_statement(struct pg *p, struct pg_statement st, const char *name, const struct pg_param *params,
                           int count) {
    const char *values[PARAMS_MAX];
    int lengths[PARAMS_MAX], formats[PARAMS_MAX];
    uint64_t numbers[PARAMS_MAX];
    for (int i = 0; i < count; i++) {
        formats[i] = 1;
        if (params[i].kind == PG_I64) {
            numbers[i] = __builtin_bswap64((uint64_t)params[i].number); /* network order */
            values[i] = (const char *)&numbers[i];
            lengths[i] = sizeof numbers[i];
        } else {
            values[i] = params[i].bytes.len == 0 ? "" : params[i].bytes.data; /* NULL would be NULL */
            lengths[i] = (int)params[i].bytes.len;
        }
    }
    if (p->no_prepare) {
        Oid types[PARAMS_MAX];
        get_types(params, count, types);
        ask(p, false, st.number, PQsendQueryParams(p->conn, st.text, count, types, values, lengths, formats, 1));
        return;
    }
    ask(p, false, st.number, PQsendQueryPrepared(p->conn, name, count, values, lengths, formats, 1));
}

/* A message of the protocol cannot be longer. */
static bool fits(const struct pg_param *params, size_t count) {
    uint64_t total = 0;
    for (size_t i = 0; i < count; i++) {
        total += params[i].bytes.len;
    }
    return count <= PARAMS_MAX && total < INT_MAX / 2;
}

static void read_asked(struct pg *p);

size_t pg_queue(struct pg *p, struct pg_statement st, const struct pg_param *params, size_t count) {
    if (p->is_answered) {
        forget_answers(p);
        p->is_answered = false;
    }
    if (p->queued == 0) {
        p->failure = p->is_lost ? PG_LOST : PG_OK;
    }
    size_t answer = p->queued++;
    if (p->failure != PG_OK) {
        return answer;
    }
    if (!fits(params, count)) {
        fail(p, PG_ERROR, "a value is too large for PostgreSQL", (sv){0});
        return answer;
    }
    char name[16] = {'s', (char)('0' + st.number / 10), (char)('0' + st.number % 10)};
    if (!p->prepared[st.number] && !p->no_prepare) {
        send_prepare(p, st, name, params, (int)count);
    }
    if (!p->is_lost) {
        send_statement(p, st, name, params, (int)count);
    }
    if (p->asked.len >= ANSWERS_UNREAD) {
        read_asked(p);
    } else if (!p->is_lost && PQflush(p->conn) < 0) {
        lose(p, PQerrorMessage(p->conn));
    }
    return answer;
}

/* The answer to one question, and the end behind it. */
static void read_answer(struct pg *p, struct question q) {
    PGresult *r = take_result(p);
    if (r == NULL) {
        if (!p->is_lost) {
            lose(p, PQerrorMessage(p->conn));
        }
        return;
    }
    bool good = is_good(r);
    if (!good && PQresultStatus(r) != PGRES_PIPELINE_ABORTED) {
        take_failure(p, r);
    }
    if (q.is_prepare) {
        p->prepared[q.number] = good;
        PQclear(r);
    } else {
        VEC_PUSH(&p->batch, &p->answers, ((struct answer){r}));
    }
    while (!p->is_lost && (r = take_result(p)) != NULL) {
        PQclear(r);
    }
}

static void read_sync(struct pg *p) {
    PGresult *r = p->is_lost ? NULL : take_result(p);
    if (r != NULL && PQresultStatus(r) != PGRES_PIPELINE_SYNC) {
        lose(p, "the server answers out of order");
    }
    PQclear(r);
}

/* Libpq keeps them until they are taken. */
static void take_notices(struct pg *p) {
    for (PGnotify *n = PQnotifies(p->conn); n != NULL; n = PQnotifies(p->conn)) {
        PQfreemem(n);
        p->has_notice = true;
    }
}

/* Reads all that is outstanding. */
static void read_asked(struct pg *p) {
    if (!p->is_lost && PQpipelineSync(p->conn) != 1) {
        lose(p, PQerrorMessage(p->conn));
    }
    for (size_t i = 0; i < p->asked.len && !p->is_lost; i++) {
        read_answer(p, p->asked.items[i]);
    }
    p->asked.len = 0;
    read_sync(p);
}

enum pg_outcome pg_run(struct pg *p) {
    if (p->is_answered || p->queued == 0) {
        return p->is_lost ? PG_LOST : PG_OK;
    }
    p->is_answered = true;
    read_asked(p);
    if (p->failure == PG_OK && p->is_lost) {
        p->failure = PG_LOST;
    }
    take_notices(p);
    return p->failure;
}

/* --- Notifications --- */

enum pg_outcome pg_listen(struct pg *p, sv channel) {
    struct arena scratch = {0};
    enum pg_outcome r = pg_exec(p, arena_printf(&scratch, "LISTEN %.*s", SV_ARG(channel)));
    arena_fini(&scratch);
    return r;
}

bool pg_await_notice(struct pg *p, int64_t timeout_ms) {
    int64_t until = get_now_ms() + timeout_ms;
    struct pollfd fd = {.fd = PQsocket(p->conn), .events = POLLIN};
    for (;;) {
        if (!p->is_lost && PQconsumeInput(p->conn) != 1) {
            lose(p, PQerrorMessage(p->conn));
        }
        take_notices(p);
        int64_t left = until - get_now_ms();
        if (p->is_lost || p->has_notice || left <= 0 || poll(&fd, 1, left > INT_MAX ? INT_MAX : (int)left) <= 0) {
            break;
        }
    }
    bool came = p->has_notice;
    p->has_notice = false;
    return came;
}

/* --- Answers --- */

static const PGresult *get_result(const struct pg *p, size_t answer) {
    return answer < p->answers.len ? p->answers.items[answer].result : NULL;
}

size_t pg_get_row_count(const struct pg *p, size_t answer) {
    return (size_t)PQntuples(get_result(p, answer));
}

int64_t pg_get_changes(const struct pg *p, size_t answer) {
    const PGresult *r = get_result(p, answer);
    int64_t n = 0;
    /* libpq's own declaration takes a pointer to what it does not change */
    sv text = r == NULL ? (sv){0} : sv_from_cstr(PQcmdTuples((PGresult *)(uintptr_t)r));
    return num_parse_i64(text, 10, &n) == NUM_OK ? n : 0;
}

bool pg_is_commit(const struct pg *p, size_t answer) {
    const PGresult *r = get_result(p, answer);
    return r != NULL && strcmp(PQcmdStatus((PGresult *)(uintptr_t)r), "COMMIT") == 0;
}

sv pg_get_bytes(const struct pg *p, size_t answer, size_t row, int column) {
    const PGresult *r = get_result(p, answer);
    if (r == NULL || row >= (size_t)PQntuples(r) || PQgetisnull(r, (int)row, column)) {
        return (sv){0};
    }
    return sv_make(PQgetvalue(r, (int)row, column), (size_t)PQgetlength(r, (int)row, column));
}

int64_t pg_get_i64(const struct pg *p, size_t answer, size_t row, int column) {
    sv bytes = pg_get_bytes(p, answer, row, column);
    uint64_t n = 0;
    for (size_t i = 0; i < bytes.len && i < sizeof n; i++) {
        n = n << 8 | (unsigned char)bytes.data[i];
    }
    if (bytes.len == 4) {
        return (int32_t)(uint32_t)n;
    }
    return (int64_t)n;
}
