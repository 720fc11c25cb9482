/* The book that lintel keeps inside a database: which operation made it, for whom, and which migrations it has seen.
 *
 * Invariants: (1) a migration and its record are committed together; (2) records are numbered from 1 without gaps, in
 * the order of the list; (3) a database with tables but without a book is somebody else's. */
#ifndef LINTEL_PROVIDERS_SQLITE_BOOK_H
#define LINTEL_PROVIDERS_SQLITE_BOOK_H

#include "adapters/sqlite/sqlite.h"
#include "model/provider.h"

struct book {
    struct provider_call *call;
    struct sql_db *db;
    sv path;
    bool is_there;   /* the database has a book */
    bool is_empty;   /* it has no tables at all */
    sv key, owner;   /* of the book */
    VEC(sv) digests; /* of the applied migrations */
};

/* Reads the book of an open database. */
enum provider_result book_read(struct book *b);
/* Whether the book names this element; a missing book names nobody. */
bool book_is_ours(const struct book *b);
/* Made by this very operation. */
bool book_has_key(const struct book *b);
/* Writes key and owner, making the tables when there is no book. */
enum provider_result book_sign(struct book *b);
/* Runs the migrations of the spec that are not recorded, each in a transaction with its record. */
enum provider_result book_apply(struct book *b);
/* Whether exactly the migrations of the spec are recorded. */
bool book_is_complete(struct book *b);
/* Computed fields; `migrations` as recorded, in the words of the spec where they are the same. */
enum provider_result book_compute(struct book *b, value *computed);
value book_describe_migrations(struct book *b);

/* A reason from the connection's error. */
enum provider_result book_fail(struct book *b, enum sql_result result, const char *what);

#endif
