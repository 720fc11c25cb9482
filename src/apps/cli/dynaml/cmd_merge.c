#include "apps/cli/dynaml/commands.h"
#include "apps/cli/dynaml/work.h"

enum exit_code cmd_dynaml_merge_run(struct cli *c) {
    struct work w;
    if (!work_open(&w, c))
        return EXIT_USAGE;
    if (!work_read(&w, c->arguments.items, c->arguments.len))
        return EXIT_FAILED;
    dynaml_merge(w.run, w.documents, w.count, &w.result);
    return work_check_result(&w) ? work_print(&w, w.result.document) : EXIT_FAILED;
}
