/* Evaluates the templates of a guide: every block between ```yaml and ``` that says with `# gives:` what comes out,
 * with the built-in providers; expectations as in rule_check.h. All blocks are run by tests/docs. usage: blueprint_docs
 * FILE. Prints TAP, one case per block. */
#include "lang/blueprint/rule_check.h"

#include "api/builtin.h"

#include <stdio.h>

static bool run_block(sv text, size_t line, int number) {
    struct harness h;
    struct buf why = {0};
    harness_init(&h, &builtin_providers);
    harness_load_source(&h, sources_add(&h.sources, SV("block.yaml"), arena_copy_sv(&h.arena, text)));
    bool ok = rule_check(&h, &why);
    printf("%s %d - the block of line %zu\n%s", ok ? "ok" : "not ok", number, line, ok ? "" : why.data);
    harness_fini(&h);
    return ok;
}

static int run_guide(sv text) {
    const sv open = SV("```yaml\n"), close = SV("\n```");
    size_t line = 1;
    int number = 0, failed = 0;
    for (size_t at = sv_find(text, open); at != SIZE_MAX; at = sv_find(text, open)) {
        for (size_t i = 0; i < at + open.len; i++) {
            line += text.data[i] == '\n';
        }
        text = sv_slice(text, at + open.len, text.len);
        size_t end = sv_find(text, close);
        sv block = sv_slice(text, 0, end == SIZE_MAX ? text.len : end + 1);
        if (sv_find(block, SV("# gives: ")) != SIZE_MAX) {
            failed += !run_block(block, line, ++number);
        }
    }
    printf("1..%d\n", number);
    return failed > 0 || number == 0;
}

int main(int argc, char **argv) {
    struct arena arena = {0};
    struct sources sources;
    struct source *source = NULL;
    sources_init(&sources, &arena);
    if (argc != 2 ||
        sources_read_file(&sources, sv_from_cstr(argv[1]), (size_t)1 << 24, &source, NULL) != SOURCE_READ_OK) {
        return 2;
    }
    int status = run_guide(source->bytes);
    arena_fini(&arena);
    return status;
}
