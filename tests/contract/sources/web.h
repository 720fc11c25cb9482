/* Asking the web server of the tests. */
#ifndef TESTS_CONTRACT_SOURCES_WEB_H
#define TESTS_CONTRACT_SOURCES_WEB_H

#include "unit/sources/world.h"

/* "http://127.0.0.1:PORT/path" */
const char *web_url(struct world *w, uint16_t port, const char *path);
/* How often the server was asked for that path. */
int64_t web_count_hits(struct world *w, uint16_t port, const char *path);

#endif
