/* Documents merged: a template and stubs out of one input, between them lines of four percent signs. No program, file
 * or variable is to be had; small limits.
 *
 * What must hold whatever the input: a run gives a document, or says what is unresolved or which limit was met; a
 * second run gives the same; the document is written as YAML that gives the same bytes when it is read and written
 * again (DY-328), and so does a question that asks for a part of it. */
#include "base/utf8.h"
#include "dialects/dynaml/dynaml.h"
#include "dialects/dynaml/output.h"
#include "dialects/dynaml/stage.h"

#include <stdlib.h>

enum { DOCUMENTS_MAX = 4, TEXT_MAX = 16384 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool ok) {
    if (!ok)
        abort();
}

struct session {
    struct arena arena;
    struct sources sources;
    struct diags diags;
    struct dynaml_run *run;
};

static void open_session(struct session *s) {
    *s = (struct session){0};
    sources_init(&s->sources, &s->arena);
    diags_init(&s->diags, &s->arena, &s->sources);
    struct dynaml_options o = {
        .arena = &s->arena,
        .diags = &s->diags,
        .sources = &s->sources,
        .limits = {.file = 65536,
                   .depth = 40,
                   .expression = 60,
                   .calls = 60,
                   .steps = 20000,
                   .items = 2000,
                   .memory = UINT64_C(32) << 20,
                   .aliases = 200},
        .no_exec = true,
        .no_read = true,
        .no_env = true,
    };
    s->run = dynaml_run_new(&o);
}

static struct dynaml_document *read_text(struct session *s, sv name, sv text) {
    sv why = {0};
    struct source *source = sources_add(&s->sources, name, arena_copy_sv(&s->arena, text));
    struct dynaml_document *d = dynaml_read(s->run, name, source, &why);
    require((d == NULL) == (why.len > 0));
    return d;
}

/* The number of documents; 0: one of them is none. */
static size_t read_all(struct session *s, sv text, struct dynaml_document **documents) {
    size_t count = 0;
    while (count < DOCUMENTS_MAX && (text.len > 0 || count == 0)) {
        size_t end = sv_find(text, SV("%%%%\n"));
        documents[count] = read_text(s, count == 0 ? SV("T") : SV("S"), sv_slice(text, 0, end));
        if (documents[count++] == NULL)
            return 0;
        text = end == SIZE_MAX ? (sv){0} : sv_slice(text, end + 5, text.len);
    }
    return count;
}

static void check_written(sv written) {
    struct session s;
    open_session(&s);
    struct buf again = BUF(&s.arena);
    const struct dynaml_document *d = written.len <= 65536 ? read_text(&s, SV("again"), written) : NULL;
    require(d != NULL || written.len > 65536);
    if (d != NULL) {
        dynaml_write_yaml(&again, d->written);
        require(sv_eq(buf_get_sv(&again), written) || sv_find(written, SV("-0\n")) != SIZE_MAX); /* an integer then */
    }
    arena_fini(&s.arena);
}

static void write_result(struct buf *out, const struct dynaml_result *r) {
    require(r->is_resolved || r->unresolved_count > 0 || r->limit.len > 0);
    for (size_t i = 0; i < r->unresolved_count; i++)
        require(r->unresolved[i].expression.len > 0);
    if (r->is_resolved)
        dynaml_write_yaml(out, r->document);
    else if (r->limit.len > 0)
        buf_append(out, r->limit);
    else
        dynaml_print_report(out, r);
}

static sv merge(struct session *s, sv text, bool *is_resolved) {
    struct dynaml_document *documents[DOCUMENTS_MAX];
    struct dynaml_result r = {0};
    struct buf out = BUF(&s->arena);
    size_t count = read_all(s, text, documents);
    *is_resolved = false;
    if (count == 0)
        return SV("");
    dynaml_merge(s->run, documents, count, &r);
    *is_resolved = r.is_resolved;
    write_result(&out, &r);
    return buf_get_sv(&out);
}

/* The first key of the document at its own place. */
static void ask(sv text) {
    struct session s;
    struct dynaml_document *documents[DOCUMENTS_MAX];
    struct dynaml_result r = {0};
    open_session(&s);
    size_t count = read_all(&s, text, documents);
    if (count > 0 && documents[0]->written.kind == VALUE_MAP && documents[0]->written.map->len > 0) {
        sv step = documents[0]->written.map->entries[0].key;
        struct dynaml_question q = {.expression = SV("(( [a, merge || 1, .b] || c ))"), .at = &step, .at_count = 1};
        struct buf out = BUF(&s.arena);
        dynaml_eval(s.run, documents, count, &q, &r);
        write_result(&out, &r);
    }
    arena_fini(&s.arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct session first, second;
    bool is_resolved, is_again;
    if (size > TEXT_MAX)
        return 0;
    sv text = sv_make((const char *)data, size);
    open_session(&first);
    open_session(&second);
    sv one = merge(&first, text, &is_resolved), two = merge(&second, text, &is_again);
    require(is_resolved == is_again && sv_eq(one, two));
    if (is_resolved)
        check_written(one);
    ask(text);
    arena_fini(&first.arena);
    arena_fini(&second.arena);
    return 0;
}
