/* Transforms as executables: real programs of shell and python, and programs that mean no good. */
#include "api/transforms.h"

#include "adapters/process/process.h"
#include "dialects/blueprint/blueprint.h"
#include "model/host.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

struct world {
    struct arena arena;
    char dir[64]; /* plugins, and what they leave */
    struct transforms_options options;
};

static int set_up(void **state) {
    struct world *w = calloc(1, sizeof *w);
    snprintf(w->dir, sizeof w->dir, "/tmp/lintel-transforms-XXXXXX");
    if (mkdtemp(w->dir) == NULL) {
        return -1;
    }
    w->options =
        (struct transforms_options){.arena = &w->arena, .host = &host_system, .plugin_path = sv_from_cstr(w->dir)};
    *state = w;
    return 0;
}

static int tear_down(void **state) {
    struct world *w = *state;
    sv command = arena_printf(&w->arena, "rm -rf '%s'", w->dir);
    int status = system(command.data);
    arena_fini(&w->arena);
    free(w);
    return status;
}

static const char *get_path(struct world *w, const char *name) {
    return arena_printf(&w->arena, "%s/%s", w->dir, name).data;
}

static void write_file(const char *path, const char *text, mode_t mode) {
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(chmod(path, mode), 0);
}

static void add_transform(struct world *w, const char *name, const char *text) {
    write_file(arena_printf(&w->arena, "%s/lintel-transform-%s", w->dir, name).data, text, 0755);
}

static sv read_file(struct world *w, const char *name) {
    FILE *f = fopen(get_path(w, name), "r");
    char text[4096] = {0};
    size_t len = f != NULL ? fread(text, 1, sizeof text - 1, f) : 0;
    if (f != NULL) {
        fclose(f);
    }
    return arena_copy_sv(&w->arena, sv_make(text, len));
}

struct outcome {
    bool is_good;
    sv output, messages;
    struct fetch_failure failure;
    int64_t took_ms;
};

static int64_t now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static struct outcome run_with(struct world *w, const struct transforms *t, const char *name, const char *document) {
    struct transform_run r = {.arena = &w->arena, .name = sv_from_cstr(name), .document = sv_from_cstr(document)};
    int64_t before = now_ms();
    bool is_good = t->run(t->user, &r);
    struct outcome o = {.is_good = is_good, .output = r.output, .messages = r.diagnostics, .failure = r.failure};
    o.took_ms = now_ms() - before;
    return o;
}

static struct outcome run(struct world *w, const char *name, const char *document) {
    return run_with(w, transforms_new(&w->options), name, document);
}

static bool has(sv text, const char *part) {
    return sv_find(text, sv_from_cstr(part)) != SIZE_MAX;
}

/* --- what they get and give --- */

static void a_program_gets_the_document_and_a_small_environment(void **state) {
    struct world *w = *state; /* BP-058, BP-060 */
    setenv("LINTEL_VAR_password", "hunter2", 1);
    add_transform(w, "look", "#!/bin/sh\nenv | sed 's/=.*//' | sort | tr '\\n' ' ' >&2\npwd >&2\ncat\n");
    struct outcome o = run(w, "look", "{\"a\":1}");
    unsetenv("LINTEL_VAR_password");
    assert_true(o.is_good);
    assert_true(sv_eq(o.output, SV("{\"a\":1}")));
    assert_true(has(o.messages, "HOME ") && has(o.messages, "PATH "));
    assert_false(has(o.messages, "LINTEL"));
    assert_false(has(o.messages, "USER"));
    char cwd[4096];
    assert_non_null(getcwd(cwd, sizeof cwd));
    assert_true(has(o.messages, cwd));
}

static void the_first_directory_wins(void **state) {
    struct world *w = *state; /* BP-057 */
    assert_int_equal(mkdir(get_path(w, "one"), 0755), 0);
    assert_int_equal(mkdir(get_path(w, "two"), 0755), 0);
    write_file(get_path(w, "one/lintel-transform-x"), "#!/bin/sh\necho no\n", 0644); /* no program */
    write_file(get_path(w, "two/lintel-transform-x"), "#!/bin/sh\necho two\n", 0755);
    write_file(get_path(w, "lintel-transform-x"), "#!/bin/sh\necho last\n", 0755);
    w->options.plugin_path = arena_printf(&w->arena, ":%s/gone:%s/one:%s/two:%s:", w->dir, w->dir, w->dir, w->dir);
    assert_true(sv_eq(run(w, "x", "{}").output, SV("two\n")));
    const struct transforms *t = transforms_new(&w->options);
    assert_true(t->find(t->user, SV("x")));
    assert_false(t->find(t->user, SV("y")));
    struct outcome o = run(w, "y", "{}");
    assert_false(o.is_good);
    assert_int_equal(o.failure.code, DIAG_missing_transformers);
}

static void relative_directories_are_below_the_working_directory(void **state) {
    struct world *w = *state; /* BP-057 */
    char cwd[4096];
    assert_non_null(getcwd(cwd, sizeof cwd));
    add_transform(w, "x", "#!/bin/sh\necho here\n");
    assert_int_equal(chdir("/tmp"), 0);
    w->options.plugin_path = sv_from_cstr(w->dir + sizeof "/tmp/" - 1);
    struct outcome o = run(w, "x", "{}");
    assert_int_equal(chdir(cwd), 0);
    assert_true(sv_eq(o.output, SV("here\n")));
}

static void the_same_document_is_given_once(void **state) {
    struct world *w = *state; /* BP-060 */
    add_transform(w, "count", "#!/bin/sh\necho run >> \"${0%/*}/runs\"\ncat\n");
    const struct transforms *t = transforms_new(&w->options);
    for (int i = 0; i < 3; i++) {
        assert_true(sv_eq(run_with(w, t, "count", "{}").output, SV("{}")));
    }
    run_with(w, t, "count", "{ }");
    assert_true(sv_eq(read_file(w, "runs"), SV("run\nrun\n")));
}

static void nothing_is_run_when_nothing_may(void **state) {
    struct world *w = *state;
    add_transform(w, "x", "#!/bin/sh\necho run >> \"${0%/*}/runs\"\ncat\n");
    w->options.pure = true;
    struct outcome o = run(w, "x", "{}");
    assert_false(o.is_good);
    assert_int_equal(o.failure.code, DIAG_transform_failed);
    assert_int_equal(read_file(w, "runs").len, 0);
}

/* --- failures (BP-059) --- */

static void failures_are_told(void **state) {
    struct world *w = *state;
    add_transform(w, "status", "#!/bin/sh\necho why >&2\nexit 3\n");
    add_transform(w, "signal", "#!/bin/sh\nkill -SEGV $$\n");
    add_transform(w, "gone", "#!/no/such/interpreter\n");
    struct outcome o = run(w, "status", "{}");
    assert_int_equal(o.failure.code, DIAG_transform_failed);
    assert_true(has(o.failure.message, "ended with status 3"));
    assert_true(has(o.messages, "why"));
    assert_true(has(run(w, "signal", "{}").failure.message, "ended by signal 11"));
    o = run(w, "gone", "{}");
    assert_false(o.is_good);
    assert_true(has(o.failure.message, "cannot be run"));
}

static void output_is_bounded(void **state) {
    struct world *w = *state;
    add_transform(w, "flood", "#!/bin/sh\nhead -c 1073741824 /dev/zero\n");
    add_transform(w, "noise", "#!/bin/sh\nyes complaint >&2\n");
    struct outcome o = run(w, "flood", "{}");
    assert_false(o.is_good);
    assert_true(has(o.failure.message, "wrote more than 67108864 bytes"));
    assert_in_range(o.took_ms, 0, 20000);
    o = run(w, "noise", "{}");
    assert_true(has(o.failure.message, "wrote more than 1048576 bytes"));
    assert_in_range(o.messages.len, 1, 1048576);
}

/* Whether a process that left its number in a file is gone within a second. */
static bool is_gone(struct world *w, const char *name) {
    struct process_info info;
    long pid = strtol(read_file(w, name).data, NULL, 10);
    assert_true(pid > 1);
    for (int i = 0; i < 100; i++) {
        if (!process_look(pid, &info) || info.state == 'Z' || info.state == 'X') {
            return true;
        }
        usleep(10000);
    }
    return false;
}

static void time_is_bounded_and_nothing_is_left(void **state) {
    struct world *w = *state;
    add_transform(w, "sleeps",
                  "#!/bin/sh\necho $$ > \"${0%/*}/pid\"\nsleep 300 &\necho $! > \"${0%/*}/child\"\nwait\n");
    w->options.timeout_ms = 300;
    struct outcome o = run(w, "sleeps", "{}");
    assert_false(o.is_good);
    assert_true(has(o.failure.message, "did not end within 0.3 s"));
    assert_in_range(o.took_ms, 250, 5000);
    assert_true(is_gone(w, "pid"));
    assert_true(is_gone(w, "child"));
}

static void what_it_leaves_behind_is_ended(void **state) {
    struct world *w = *state; /* the one that stays holds the output open */
    add_transform(w, "forks", "#!/bin/sh\nsleep 300 &\necho $! > \"${0%/*}/child\"\ncat\n");
    struct outcome o = run(w, "forks", "{\"a\": 1}");
    assert_true(o.is_good);
    assert_true(sv_eq(o.output, SV("{\"a\": 1}")));
    assert_in_range(o.took_ms, 0, 10000);
    assert_true(is_gone(w, "child"));
}

static void who_leaves_the_group_is_not_waited_for(void **state) {
    struct world *w = *state;
    add_transform(w, "escapes",
                  "#!/bin/sh\nsetsid sh -c 'echo $$ > \"$1\"; exec sleep 8' sh \"${0%/*}/child\" &\nsleep 0.3\ncat\n");
    struct outcome o = run(w, "escapes", "{}");
    assert_true(o.is_good && sv_eq(o.output, SV("{}")));
    assert_in_range(o.took_ms, 0, 6000);
}

static void input_need_not_be_read(void **state) {
    struct world *w = *state;
    add_transform(w, "deaf", "#!/bin/sh\nexec <&-\necho '{}'\n");
    struct buf text = BUF(&w->arena);
    buf_append_repeat(&text, ' ', 1 << 20);
    buf_append_char(&text, '\0');
    assert_true(run(w, "deaf", buf_get_sv(&text).data).is_good);
}

/* --- with a blueprint --- */

struct unit {
    struct sources sources;
    struct diags diags;
    struct template *template;
};

static void load(struct world *w, struct unit *u, const char *text) {
    sources_init(&u->sources, &w->arena);
    diags_init(&u->diags, &w->arena, &u->sources);
    const struct load_request r = {.arena = &w->arena,
                                   .sources = &u->sources,
                                   .diags = &u->diags,
                                   .limits = &limits_default,
                                   .host = (struct host *)&host_system,
                                   .transforms = transforms_new(&w->options),
                                   .file = SV("a.yaml"),
                                   .source = sources_add(&u->sources, SV("a.yaml"), sv_from_cstr(text))};
    u->template = blueprint_load(&r);
    for (size_t i = 0; i < u->diags.items.len; i++) {
        const struct diag *d = u->diags.items.items[i];
        print_message("%.*s: %.*s\n", SV_ARG(diag_get_code_name(d)), SV_ARG(d->message));
    }
}

static const char python_adds[] =
    "#!/usr/bin/env python3\n"
    "import json, sys\n"
    "doc = json.load(sys.stdin)\n"
    "for name in list(doc['resources']):\n"
    "    doc['resources'][name + '-log'] = {'type': 'local/file', 'spec': {'path': name}}\n"
    "print(json.dumps({'severity': 'info', 'message': 'logs added', 'path': '/resources'}), file=sys.stderr)\n"
    "json.dump(doc, sys.stdout)\n";

static void a_program_adds_resources(void **state) {
    struct world *w = *state; /* BP-056, BP-058 */
    struct unit u;
    add_transform(w, "logs", python_adds);
    load(w, &u, "version: 2025-11-02\ntransform: [logs, logs]\nresources:\n  a: {type: local/file, spec: {path: x}}\n");
    assert_int_equal(u.diags.errors, 0);
    assert_non_null(u.template);
    assert_int_equal(u.template->element_count, 3);
    assert_non_null(template_find(u.template, SV("resources.a-log-log")));
    assert_int_equal(u.diags.items.len, 2); /* one per transform: their names have places of their own */
}

static void secrets_stay_here(void **state) {
    struct world *w = *state; /* BP-060 */
    struct unit u;
    add_transform(w, "spy", "#!/bin/sh\ntee \"${0%/*}/seen\"\n");
    load(w, &u,
         "version: 2025-11-02\ntransform: spy\n"
         "variables:\n  p: {type: string, secret: true, default: hunter2}\n  q: {type: string, default: open}\n"
         "values:\n  v: {type: object, secret: true, value: {a: tiger3, b: \"${variables.q}\", c: 4711}}\n"
         "resources:\n  a: {type: local/file, spec: {path: \"${variables.p}${values.v.a}\"}}\n");
    assert_int_equal(u.diags.errors, 0);
    sv seen = read_file(w, "seen");
    assert_true(has(seen, "open") && has(seen, "${variables.q}"));
    assert_false(has(seen, "hunter2") || has(seen, "tiger3") || has(seen, "4711"));
    const struct element *p = template_find(u.template, SV("variables.p"));
    assert_true(sv_eq(value_get_text(p->expr->literal), SV("hunter2")));
    assert_int_equal(p->expr->at.source, 1); /* where it is written */
}

static void findings_of_a_transformed_document_have_its_group(void **state) {
    struct world *w = *state; /* BP-061 */
    struct unit u;
    add_transform(w, "same", "#!/bin/sh\ncat\n");
    load(w, &u,
         "version: 2025-11-02\ntransform: same\nresources:\n  a: {type: local/file, spec: {path: "
         "\"${variables.x}\"}}\n");
    assert_int_equal(u.diags.errors, 1);
    const struct diag *d = u.diags.items.items[0];
    assert_true(sv_eq(d->group, SV("transform_validation_errors")));
    assert_int_equal(source_get_pos(sources_find(&u.sources, d->at.source), d->at.offset).line, 4);
}

static void a_large_document_goes_through(void **state) {
    struct world *w = *state; /* linear: what is reversed is found by a map */
    struct unit u;
    add_transform(w, "turn",
                  "#!/usr/bin/env python3\n"
                  "import json, sys\n"
                  "doc = json.load(sys.stdin)\n"
                  "doc['resources'] = dict(reversed(list(doc['resources'].items())))\n"
                  "json.dump(doc, sys.stdout)\n");
    struct buf text = BUF(&w->arena);
    buf_append_cstr(&text, "version: 2025-11-02\ntransform: turn\nresources:\n");
    for (int i = 0; i < 20000; i++) {
        buf_printf(&text, "  r%d: {type: local/file, spec: {path: x%d}}\n", i, i);
    }
    buf_append_char(&text, '\0');
    int64_t before = now_ms();
    load(w, &u, buf_get_sv(&text).data);
    assert_int_equal(u.diags.errors, 0);
    assert_int_equal(u.template->element_count, 20000);
    assert_true(sv_eq(u.template->elements[0].name, SV("r19999")));
    assert_int_equal(u.template->elements[0].at.source, 1);
    assert_in_range(now_ms() - before, 0, 20000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_program_gets_the_document_and_a_small_environment, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_first_directory_wins, set_up, tear_down),
        cmocka_unit_test_setup_teardown(relative_directories_are_below_the_working_directory, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_same_document_is_given_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nothing_is_run_when_nothing_may, set_up, tear_down),
        cmocka_unit_test_setup_teardown(failures_are_told, set_up, tear_down),
        cmocka_unit_test_setup_teardown(output_is_bounded, set_up, tear_down),
        cmocka_unit_test_setup_teardown(time_is_bounded_and_nothing_is_left, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_it_leaves_behind_is_ended, set_up, tear_down),
        cmocka_unit_test_setup_teardown(who_leaves_the_group_is_not_waited_for, set_up, tear_down),
        cmocka_unit_test_setup_teardown(input_need_not_be_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_program_adds_resources, set_up, tear_down),
        cmocka_unit_test_setup_teardown(secrets_stay_here, set_up, tear_down),
        cmocka_unit_test_setup_teardown(findings_of_a_transformed_document_have_its_group, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_large_document_goes_through, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
