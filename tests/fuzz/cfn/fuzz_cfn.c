/* Templates resolved. What must hold whatever the input: a run ends with a template or with errors; a second run gives
 * the same bytes and as many diagnostics; what was printed is a template again, and resolving that gives the same bytes
 * once more (CF-008, CF-025); without errors JSON is printed, too. */
#include "base/utf8.h"
#include "dialects/cfn/cfn.h"
#include "dialects/cfn/inputs.h"

#include <stdlib.h>

enum { TEXT_MAX = 16384 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool ok) {
    if (!ok)
        abort();
}

struct outcome {
    sv text;
    size_t errors, warnings;
    bool is_written;
};

static struct outcome resolve(struct arena *a, sv text, enum cfn_format format) {
    struct sources sources;
    struct diags diags;
    struct outcome o = {0};
    sources_init(&sources, a);
    diags_init(&diags, a, &sources);
    struct source *source = sources_add(&sources, SV("T"), arena_copy_sv(a, text));
    struct cfn *cfn = cfn_load(&(struct cfn_load_options){.arena = a, .diags = &diags, .sources = &sources}, source);
    if (cfn != NULL) {
        struct cfn_inputs *inputs = cfn_inputs_new(a, &sources, &diags);
        cfn_inputs_close(inputs);
        struct cfn_options options = {
            .arena = a, .diags = &diags, .sources = &sources, .allow_missing = true, .is_validation = false};
        struct cfn_run *run = cfn_run_open(cfn, inputs, &options);
        struct buf out = BUF(a);
        if (cfn_run_check(run))
            cfn_run_resolve(run);
        o.is_written = cfn_run_write(run, &(struct cfn_style){.format = format}, &out);
        o.text = buf_get_sv(&out);
        const struct cfn_report_entry *entries;
        cfn_run_get_report(run, &entries);
        cfn_run_close(run);
    }
    o.errors = diags.errors;
    o.warnings = diags.warnings;
    require(o.is_written == (cfn != NULL && o.errors == 0));
    return o;
}

static void check(sv text) {
    struct arena a = {0};
    struct outcome first = resolve(&a, text, CFN_YAML), second = resolve(&a, text, CFN_YAML);
    require(first.is_written == second.is_written && first.errors == second.errors &&
            first.warnings == second.warnings && sv_eq(first.text, second.text));
    struct outcome json = resolve(&a, text, CFN_JSON);
    require(json.is_written == first.is_written);
    if (first.is_written) {
        require(utf8_check(first.text) == first.text.len && utf8_check(json.text) == json.text.len);
        struct outcome again = resolve(&a, first.text, CFN_YAML);
        require(!again.is_written || sv_eq(again.text, first.text));
    }
    arena_fini(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size <= TEXT_MAX)
        check(sv_make((const char *)data, size));
    return 0;
}
