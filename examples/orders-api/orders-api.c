/* orders-api: a small HTTP service that stores and lists orders.
 *
 *   GET  /health   200 when the database answers
 *   GET  /orders   all orders as JSON
 *   POST /orders   {"item": "…", "quantity": n}; needs "Authorization: Bearer $API_TOKEN"
 *
 * Environment: PORT, DATABASE_PATH, CONFIG_PATH (lines "name = text": title, max_quantity), API_TOKEN. It listens on
 * loopback and ends on SIGTERM or SIGINT after answering what is under way. */
#include <microhttpd.h>
#include <netinet/in.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BODY_MAX = 64 << 10,
    TITLE_MAX = 400,
    QUANTITY_MAX = 1000000,
};

struct service {
    sqlite3 *db;
    const char *token;
    char title[TITLE_MAX];
    long max_quantity;
};

/* The body of a request, as far as it has come. */
struct body {
    char *data;
    size_t len;
    bool is_too_long;
};

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...) {
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
}

/* --- Answers --- */

static enum MHD_Result answer(struct MHD_Connection *connection, unsigned status, const char *json) {
    struct MHD_Response *response =
        MHD_create_response_from_buffer(strlen(json), (void *)(size_t)json, MHD_RESPMEM_MUST_COPY);
    if (response == NULL) {
        return MHD_NO;
    }
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, "application/json");
    if (status == MHD_HTTP_UNAUTHORIZED) {
        MHD_add_response_header(response, MHD_HTTP_HEADER_WWW_AUTHENTICATE, "Bearer");
    }
    enum MHD_Result result = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result answer_failure(struct service *s, struct MHD_Connection *connection) {
    say("database: %s", sqlite3_errmsg(s->db));
    return answer(connection, MHD_HTTP_INTERNAL_SERVER_ERROR, "{\"error\": \"the database cannot be used\"}\n");
}

/* The single text that a query yields. */
static enum MHD_Result answer_query(struct service *s, struct MHD_Connection *connection, sqlite3_stmt *statement,
                                    unsigned status) {
    if (sqlite3_step(statement) != SQLITE_ROW) {
        sqlite3_finalize(statement);
        return answer_failure(s, connection);
    }
    enum MHD_Result result = answer(connection, status, (const char *)sqlite3_column_text(statement, 0));
    sqlite3_finalize(statement);
    return result;
}

/* --- Requests --- */

static enum MHD_Result get_health(struct service *s, struct MHD_Connection *connection) {
    sqlite3_stmt *statement;
    static const char query[] =
        "SELECT json_object('status', 'ok', 'orders', (SELECT count(*) FROM orders)) || char(10)";
    if (sqlite3_prepare_v2(s->db, query, -1, &statement, NULL) != SQLITE_OK) {
        return answer_failure(s, connection);
    }
    return answer_query(s, connection, statement, MHD_HTTP_OK);
}

static enum MHD_Result get_orders(struct service *s, struct MHD_Connection *connection) {
    sqlite3_stmt *statement;
    static const char query[] = "SELECT json_object('title', ?1, 'orders', json_group_array(json_object("
                                "'id', id, 'item', item, 'quantity', quantity))) || char(10)"
                                " FROM (SELECT * FROM orders ORDER BY id)";
    if (sqlite3_prepare_v2(s->db, query, -1, &statement, NULL) != SQLITE_OK) {
        return answer_failure(s, connection);
    }
    sqlite3_bind_text(statement, 1, s->title, -1, SQLITE_STATIC);
    return answer_query(s, connection, statement, MHD_HTTP_OK);
}

/* Takes as long for a wrong token as for the right one. */
static bool is_allowed(const struct service *s, struct MHD_Connection *connection) {
    static const char scheme[] = "Bearer ";
    const char *given = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_AUTHORIZATION);
    if (given == NULL || strncmp(given, scheme, sizeof scheme - 1) != 0) {
        return false;
    }
    given += sizeof scheme - 1;
    size_t len = strlen(s->token), given_len = strlen(given);
    unsigned difference = len != given_len;
    for (size_t i = 0; i < given_len; i++) {
        difference |= (unsigned char)given[i] ^ (unsigned char)s->token[len == 0 ? 0 : i % len];
    }
    return difference == 0 && len > 0;
}

static enum MHD_Result post_order(struct service *s, struct MHD_Connection *connection, const struct body *body) {
    static const char insert[] =
        "INSERT INTO orders(item, quantity) SELECT json_extract(?1, '$.item'), json_extract(?1, '$.quantity')"
        " WHERE CASE WHEN json_valid(?1) THEN json_type(?1, '$.item') = 'text'"
        " AND json_type(?1, '$.quantity') = 'integer' AND json_extract(?1, '$.quantity') BETWEEN 1 AND ?2"
        " ELSE 0 END RETURNING json_object('id', id, 'item', item, 'quantity', quantity) || char(10)";
    if (!is_allowed(s, connection)) {
        return answer(connection, MHD_HTTP_UNAUTHORIZED, "{\"error\": \"a valid token is needed\"}\n");
    }
    if (body->is_too_long) {
        return answer(connection, MHD_HTTP_CONTENT_TOO_LARGE, "{\"error\": \"the request is too large\"}\n");
    }
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(s->db, insert, -1, &statement, NULL) != SQLITE_OK) {
        return answer_failure(s, connection);
    }
    sqlite3_bind_text(statement, 1, body->len > 0 ? body->data : "", (int)body->len, SQLITE_STATIC);
    sqlite3_bind_int64(statement, 2, s->max_quantity);
    int code = sqlite3_step(statement);
    if (code == SQLITE_ROW) {
        /* the insertion is complete only once the statement has run to its end */
        char *json = sqlite3_mprintf("%s", sqlite3_column_text(statement, 0));
        code = sqlite3_step(statement);
        sqlite3_finalize(statement);
        enum MHD_Result result = code == SQLITE_DONE && json != NULL ? answer(connection, MHD_HTTP_CREATED, json)
                                                                     : answer_failure(s, connection);
        sqlite3_free(json);
        return result;
    }
    sqlite3_finalize(statement);
    if (code != SQLITE_DONE) {
        return answer_failure(s, connection);
    }
    return answer(connection, MHD_HTTP_BAD_REQUEST, "{\"error\": \"an order has 'item' (text) and 'quantity'\"}\n");
}

static void collect(struct body *body, const char *data, size_t len) {
    char *grown = body->len + len > BODY_MAX ? NULL : realloc(body->data, body->len + len);
    if (grown == NULL) {
        body->is_too_long = true;
        return;
    }
    memcpy(grown + body->len, data, len);
    body->data = grown;
    body->len += len;
}

static enum MHD_Result route(struct service *s, struct MHD_Connection *connection, const char *url, const char *method,
                             const struct body *body) {
    bool is_get = strcmp(method, MHD_HTTP_METHOD_GET) == 0, is_post = strcmp(method, MHD_HTTP_METHOD_POST) == 0;
    bool is_orders = strcmp(url, "/orders") == 0, is_health = strcmp(url, "/health") == 0;
    if (is_health && is_get) {
        return get_health(s, connection);
    }
    if (is_orders && is_get) {
        return get_orders(s, connection);
    }
    if (is_orders && is_post) {
        return post_order(s, connection, body);
    }
    if (is_orders || is_health) {
        return answer(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "{\"error\": \"no such method here\"}\n");
    }
    return answer(connection, MHD_HTTP_NOT_FOUND, "{\"error\": \"there is nothing here\"}\n");
}

/* Called when the header has come, for each part of the body, and at the end. The parameters are those of the library.
 */
/* NOLINTNEXTLINE(readability-function-size) */
static enum MHD_Result on_request(void *user, struct MHD_Connection *connection, const char *url, const char *method,
                                  const char *version, const char *data, size_t *len, void **state) {
    (void)version;
    struct body *body = *state;
    if (body == NULL) {
        *state = calloc(1, sizeof *body);
        return *state == NULL ? MHD_NO : MHD_YES;
    }
    if (*len > 0) {
        collect(body, data, *len);
        *len = 0;
        return MHD_YES;
    }
    return route(user, connection, url, method, body);
}

static void on_completed(void *user, struct MHD_Connection *connection, void **state,
                         enum MHD_RequestTerminationCode code) {
    (void)user;
    (void)connection;
    (void)code;
    struct body *body = *state;
    if (body != NULL) {
        free(body->data);
        free(body);
    }
    *state = NULL;
}

/* --- Starting --- */

static void take_setting(struct service *s, const char *name, const char *text) {
    if (strcmp(name, "title") == 0) {
        snprintf(s->title, sizeof s->title, "%s", text);
    } else if (strcmp(name, "max_quantity") == 0) {
        long number = strtol(text, NULL, 10);
        s->max_quantity = number >= 1 && number <= QUANTITY_MAX ? number : s->max_quantity;
    }
}

static bool read_config(struct service *s, const char *path) {
    FILE *file = fopen(path, "re");
    char line[512], name[64], text[400];
    if (file == NULL) {
        return false;
    }
    while (fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, " %63[a-z_] = %399[^\n]", name, text) == 2) {
            take_setting(s, name, text);
        }
    }
    fclose(file);
    return true;
}

static const char *need(const char *name) {
    const char *text = getenv(name);
    if (text == NULL || *text == 0) {
        say("%s is not set", name);
        exit(2);
    }
    return text;
}

static struct MHD_Daemon *listen_on(struct service *s, unsigned short port) {
    struct sockaddr_in address = {
        .sin_family = AF_INET,
        .sin_port = htons(port),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
    };
    return MHD_start_daemon(MHD_USE_INTERNAL_POLLING_THREAD, port, NULL, NULL, on_request, s, MHD_OPTION_SOCK_ADDR,
                            (struct sockaddr *)&address, MHD_OPTION_NOTIFY_COMPLETED, on_completed, NULL,
                            MHD_OPTION_CONNECTION_LIMIT, 256u, MHD_OPTION_CONNECTION_TIMEOUT, 10u, MHD_OPTION_END);
}

static void wait_for_signal(void) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    int number;
    sigwait(&signals, &number);
    say("signal %d, ending", number);
}

/* Before any thread is made, so that all of them leave the signals to wait_for_signal. */
static void block_signals(void) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    signal(SIGPIPE, SIG_IGN);
}

int main(void) {
    struct service s = {.title = "Orders", .max_quantity = 1000};
    block_signals();
    const char *database = need("DATABASE_PATH"), *config = need("CONFIG_PATH");
    long port = strtol(need("PORT"), NULL, 10);
    s.token = need("API_TOKEN");
    if (!read_config(&s, config)) {
        say("cannot read the configuration '%s'", config);
        return 2;
    }
    if (sqlite3_open_v2(database, &s.db, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK) {
        say("cannot open the database '%s': %s", database, sqlite3_errmsg(s.db));
        sqlite3_close(s.db);
        return 2;
    }
    sqlite3_busy_timeout(s.db, 2000);
    struct MHD_Daemon *daemon = port < 1 || port > 65535 ? NULL : listen_on(&s, (unsigned short)port);
    if (daemon == NULL) {
        say("cannot listen on port %ld", port);
        sqlite3_close(s.db);
        return 2;
    }
    say("'%s' on http://127.0.0.1:%ld", s.title, port);
    wait_for_signal();
    MHD_stop_daemon(daemon);
    sqlite3_close(s.db);
    return 0;
}
