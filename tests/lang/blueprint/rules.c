/* Runs rule files (rule_check.h). usage: blueprint_rules FILE… Prints TAP, one case per file. */
#include "lang/blueprint/rule_check.h"

#include <stdio.h>

static bool run_file(const char *path, int number) {
    struct harness h;
    struct buf why = {0};
    if (!harness_load(&h, path)) {
        printf("not ok %d - %s cannot be read\n", number, path);
        return false;
    }
    bool ok = rule_check(&h, &why);
    const char *slash = strrchr(path, '/');
    printf("%s %d - %s\n%s", ok ? "ok" : "not ok", number, slash != NULL ? slash + 1 : path, ok ? "" : why.data);
    harness_fini(&h);
    return ok;
}

int main(int argc, char **argv) {
    int failed = 0;
    printf("1..%d\n", argc - 1);
    for (int i = 1; i < argc; i++) {
        failed += !run_file(argv[i], i);
    }
    return failed > 0;
}
