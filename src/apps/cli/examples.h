/* Projects that `lintel init` makes. Each deploys as it is. */
#ifndef LINTEL_APPS_CLI_EXAMPLES_H
#define LINTEL_APPS_CLI_EXAMPLES_H

#include "base/sv.h"

struct example {
    sv name, summary;
    sv blueprint; /* in canonical layout */
};

/* Sorted by name. */
extern const struct example examples[];
extern const size_t example_count;
extern const sv example_project_file; /* lintel.yaml */
extern const sv example_ignore_file;  /* .gitignore */

#endif
