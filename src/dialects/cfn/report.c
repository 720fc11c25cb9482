/* The report beside the template (CF-215). */
#include "dialects/cfn/output.h"
#include "dialects/cfn/transforms.h"

#include "text/source.h"

static const char *const kind_names[] = {
    [CFN_REPORT_UNKNOWN] = "unknown",   [CFN_REPORT_ASSUMED] = "assumed", [CFN_REPORT_STAND_IN] = "stand-in",
    [CFN_REPORT_WITHHELD] = "withheld", [CFN_REPORT_OFF] = "off",         [CFN_REPORT_KEPT] = "kept"};

static const char *const reason_names[CFN_REASON_COUNT] = {
#define CFN_REASON(name) [CFN_REASON_##name] = #name,
    CFN_REASONS(CFN_REASON)
#undef CFN_REASON
};

static const char *const reason_hints[CFN_REASON_COUNT] = {
    [CFN_REASON_account] = "give 'ParameterAttributes' in a symbol file",
    [CFN_REASON_attribute] = "give it with --set ID.ATTRIBUTE=VALUE or in 'Resources' of a symbol file",
    [CFN_REASON_cidr_bits] = "give the third argument of Fn::Cidr",
    [CFN_REASON_dynamic] = "give 'SSM', 'SSMSecure' or 'Secrets' in a symbol file",
    [CFN_REASON_foreach] = "give what the loop goes over",
    [CFN_REASON_generated] = "give it with --set ID.ATTRIBUTE=VALUE, or use --stand-ins",
    [CFN_REASON_import] = "give it with --import NAME=VALUE or in 'Exports' of a symbol file",
    [CFN_REASON_macro] = "run the macro before",
    [CFN_REASON_nested] = "give 'Outputs.NAME' in 'Resources' of a symbol file",
    [CFN_REASON_network] = "allow it with --allow-network",
    [CFN_REASON_parameter] = "give it with -p NAME=VALUE",
    [CFN_REASON_sam] = "give it with --set ID=VALUE",
    [CFN_REASON_ssm] = "give 'SSM' in a symbol file",
    [CFN_REASON_stack_output] = "give 'StackOutputs' in a symbol file",
    [CFN_REASON_type] = "give it with --set ID.ATTRIBUTE=VALUE or in 'Types' of a symbol file, or use --stand-ins",
    [CFN_REASON_zones] = "give 'Zones' in a symbol file",
};

/* What is kept until somebody asks for the entries. */
void cfn_report_put(struct cfn_run *run, enum cfn_report_kind kind, span at, value v) {
    run->counts[kind]++;
    VEC_PUSH(run->arena, &run->remarks, ((struct cfn_remark){kind, at, v.word & CFN_WORD_NOTE}));
}

void cfn_keep_unknown(struct cfn_run *run, enum cfn_reason reason, span at) {
    run->keeps_ifs = true;
    cfn_report_put(run, CFN_REPORT_UNKNOWN, at, cfn_unknown(run, reason, at, (sv){0}));
}

size_t cfn_run_count(const struct cfn_run *run, enum cfn_report_kind kind) {
    return run->counts[kind];
}

static sv print_reasons(struct cfn_run *run, uint32_t note) {
    struct buf out = BUF(run->arena);
    const struct cfn_note *n = &run->notes.items[note];
    for (uint32_t r = 1; r < CFN_REASON_other; r++) {
        if ((n->reasons & UINT32_C(1) << r) != 0)
            buf_printf(&out, "%s%s", out.len > 0 ? " " : "", reason_names[r]);
    }
    for (; note != 0; note = run->notes.items[note].cause) {
        const struct cfn_note_more *more = run->notes.items[note].more;
        if (more != NULL && more->reason_text.len > 0) {
            buf_printf(&out, "%s%.*s", out.len > 0 ? " " : "", SV_ARG(more->reason_text));
            break;
        }
    }
    return buf_get_sv(&out);
}

static sv find_hint(const struct cfn_run *run, uint32_t note) {
    uint32_t reasons = run->notes.items[note].reasons;
    for (uint32_t n = note; n != 0; n = run->notes.items[n].cause) {
        const struct cfn_note_more *more = run->notes.items[n].more;
        if (more != NULL && more->hint.len > 0)
            return more->hint;
    }
    for (uint32_t r = 1; r < CFN_REASON_COUNT; r++) {
        if ((reasons & UINT32_C(1) << r) != 0 && reason_hints[r] != NULL)
            return sv_from_cstr(reason_hints[r]);
    }
    return (sv){0};
}

static void add_chain(struct cfn_run *run, struct cfn_report_entry *e, uint32_t note) {
    enum { LONGEST = 24 };
    span *chain = ARENA_ARRAY(run->arena, span, LONGEST);
    for (uint32_t n = note; n != 0 && e->chain_len < LONGEST; n = run->notes.items[n].cause) {
        if (!span_is_none(run->notes.items[n].at))
            chain[e->chain_len++] = run->notes.items[n].at;
    }
    e->chain = chain;
}

static struct cfn_report_entry make_entry(struct cfn_run *run, const struct cfn_remark *r) {
    struct cfn_report_entry e = {.kind = r->kind, .at = r->at, .path = cfn_path_find(run, r->at)};
    if (r->note == 0)
        return e;
    const struct cfn_note *note = &run->notes.items[r->note];
    e.function = cfn_function_get((enum cfn_function)note->function)->name;
    if (r->kind == CFN_REPORT_UNKNOWN) {
        e.reason = print_reasons(run, r->note);
        e.hint = find_hint(run, r->note);
        add_chain(run, &e, r->note);
    }
    return e;
}

static bool is_before(span a, span b) {
    return a.source != b.source ? a.source < b.source : a.offset < b.offset;
}

/* Merges two runs of remarks, stable. */
static void merge(const struct cfn_remark *from, struct cfn_remark *to, size_t start, size_t middle, size_t end) {
    size_t a = start, b = middle;
    for (size_t i = start; i < end; i++) {
        bool takes_second = a == middle || (b < end && is_before(from[b].at, from[a].at));
        to[i] = takes_second ? from[b++] : from[a++];
    }
}

/* In the order of the text; what loops have made of one place stays in its order. */
static void sort_remarks(struct cfn_run *run) {
    size_t count = run->remarks.len;
    struct cfn_remark *from = run->remarks.items, *to = ARENA_ARRAY(run->arena, struct cfn_remark, count + 1);
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t i = 0; i < count; i += 2 * width) {
            size_t middle = i + width < count ? i + width : count;
            merge(from, to, i, middle, middle + width < count ? middle + width : count);
        }
        struct cfn_remark *former = from;
        from = to;
        to = former;
    }
    run->remarks.items = from;
    run->remarks.cap = count;
    run->is_report_sorted = true;
}

size_t cfn_run_get_report(struct cfn_run *run, const struct cfn_report_entry **entries) {
    if (!run->is_report_sorted)
        sort_remarks(run);
    for (size_t i = run->report.len; i < run->remarks.len; i++) {
        struct cfn_report_entry e = make_entry(run, &run->remarks.items[i]);
        VEC_PUSH(run->arena, &run->report, e);
    }
    *entries = run->report.items;
    return run->report.len;
}

/* --- JSON --- */

static void write_place(struct jsonw *j, const struct sources *sources, span at) {
    struct source *s = sources_find(sources, at.source);
    if (s == NULL)
        return;
    struct text_pos pos = source_get_pos(s, at.offset);
    jsonw_put_text(j, "file", s->name);
    jsonw_put_i64(j, "line", (int64_t)pos.line);
    jsonw_put_i64(j, "column", (int64_t)pos.column);
}

static void write_entry(struct jsonw *j, const struct sources *sources, const struct cfn_report_entry *e) {
    jsonw_begin_object(j);
    jsonw_put_text(j, "kind", sv_from_cstr(kind_names[e->kind]));
    jsonw_put_text(j, "path", e->path);
    write_place(j, sources, e->at);
    jsonw_put_text(j, "function", e->function);
    jsonw_put_text(j, "reason", e->reason);
    jsonw_put_text(j, "hint", e->hint);
    jsonw_key(j, SV("chain"));
    jsonw_begin_array(j);
    for (size_t i = 0; i < e->chain_len; i++) {
        jsonw_begin_object(j);
        write_place(j, sources, e->chain[i]);
        jsonw_end_object(j);
    }
    jsonw_end_array(j);
    jsonw_end_object(j);
}

void cfn_run_write_report(struct cfn_run *run, struct jsonw *j) {
    const struct cfn_report_entry *entries;
    size_t count = cfn_run_get_report(run, &entries);
    jsonw_begin_array(j);
    for (size_t i = 0; i < count; i++)
        write_entry(j, run->o.sources, &entries[i]);
    jsonw_end_array(j);
}
