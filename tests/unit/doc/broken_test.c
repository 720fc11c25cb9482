/* Files with several independent mistakes: each mistake is reported once, at its place, and the healthy entries are in
 * the tree. Beside each file NAME stands NAME.expect: a line "LINE:COLUMN message | hint" for each report, and lines
 * "has PATH=TEXT" for entries that must be there. Prints TAP itself, one case per file of the directory named on the
 * command line. */
#include "suite.h"

#include "base/num.h"

#include <stdio.h>
#include <string.h>

static const char suffix[] = ".expect";

static sv print_reports(struct arena *a, struct reading *r) {
    struct buf out = BUF(a);
    diags_sort(&r->diags);
    for (size_t i = 0; i < r->diags.items.len; i++) {
        const struct diag *d = r->diags.items.items[i];
        struct text_pos pos = source_get_pos(r->stream->source, d->at.offset);
        buf_printf(&out, "%zu:%zu ", pos.line, pos.column);
        buf_append(&out, d->message);
        buf_append_cstr(&out, " | ");
        buf_append(&out, d->hint);
        buf_append_char(&out, '\n');
    }
    return buf_get_sv(&out);
}

/* The node at a path of keys and item numbers, as in "a.b.0"; in whichever document has it. */
static const struct node *find_path(const struct node *n, sv path) {
    while (n && path.len > 0) {
        sv step = sv_cut(&path, '.');
        if (n->kind == NODE_SEQUENCE) {
            int64_t index;
            bool is_there = num_parse_i64(step, 10, &index) == NUM_OK && index >= 0 && index < n->count;
            n = is_there ? n->items[index] : NULL;
        } else {
            n = node_find(n, step);
        }
    }
    return n;
}

static bool has_entry(const struct doc_stream *stream, sv entry) {
    sv path = sv_cut(&entry, '=');
    for (size_t i = 0; i < stream->documents.len; i++) {
        const struct node *n = find_path(stream->documents.items[i].root, path);
        if (n && n->kind == NODE_SCALAR && sv_eq(n->text, entry))
            return true;
    }
    return false;
}

/* Splits the expectation: entries are checked at once, the rest is the reports. */
static bool check(struct arena *a, struct reading *r, sv expected) {
    struct buf reports = BUF(a);
    bool is_good = true;
    while (expected.len > 0) {
        sv line = sv_cut(&expected, '\n');
        sv entry = sv_slice(line, 4, line.len);
        if (sv_has_prefix(line, SV("has "))) {
            if (!has_entry(r->stream, entry)) {
                printf("# missing: %.*s\n", SV_ARG(entry));
                is_good = false;
            }
        } else {
            buf_append(&reports, line);
            buf_append_char(&reports, '\n');
        }
    }
    sv got = print_reports(a, r);
    is_good = is_good && sv_eq(got, buf_get_sv(&reports));
    for (sv rest = got; !is_good && rest.len > 0;) {
        sv line = sv_cut(&rest, '\n');
        printf("# got: %.*s\n", SV_ARG(line));
    }
    return is_good;
}

int main(int argc, char **argv) {
    struct arena arena = {0};
    size_t count = 0, cases = 0, failed = 0;
    char **names = argc > 1 ? suite_list(&arena, argv[1], &count) : NULL;
    for (size_t i = 0; i < count; i++) {
        if (sv_has_suffix(sv_from_cstr(names[i]), sv_from_cstr(suffix)))
            continue;
        sv path = arena_printf(&arena, "%s/%s", argv[1], names[i]);
        struct doc_options options = doc_options_yaml;
        options.format = doc_find_format(path);
        struct reading r;
        reading_open(&r, suite_read_file(&arena, path.data), &options);
        bool is_good = check(&arena, &r, suite_read_file(&arena, arena_printf(&arena, "%s%s", path.data, suffix).data));
        reading_close(&r);
        cases++;
        failed += !is_good;
        printf("%sok %zu - %s\n", is_good ? "" : "not ", cases, names[i]);
    }
    printf("1..%zu\n", cases);
    arena_fini(&arena);
    return failed > 0 || cases == 0;
}
