/* Includes of real files: what is loaded, where it may lie, and how much of it there may be. */
#include "dialects/blueprint/blueprint.h"
#include "dialects/blueprint/data.h"
#include "unit/sources/world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

struct unit {
    struct world *w;
    struct sources sources;
    struct diags diags;
    struct limits limits;
    struct load_request request;
    struct template *template;
};

static struct unit *begin(void **state) {
    struct world *w = *state;
    struct unit *u = ARENA_NEW(&w->arena, struct unit);
    u->w = w;
    u->limits = limits_default;
    sources_init(&u->sources, &w->arena);
    diags_init(&u->diags, &w->arena, &u->sources);
    u->request = (struct load_request){.arena = &w->arena,
                                       .sources = &u->sources,
                                       .diags = &u->diags,
                                       .limits = &u->limits,
                                       .host = &w->host,
                                       .fetcher = w->f};
    return u;
}

/* The root blueprint, with that text behind its version. */
static void load(struct unit *u, const char *text) {
    world_write(u->w, "tree/root.yaml", arena_printf(&u->w->arena, "version: 2025-11-02\n%s", text));
    u->request.file = world_get_path(u->w, "tree/root.yaml");
    u->template = blueprint_load(&u->request);
}

static void write_child(struct unit *u, const char *name, const char *text) {
    world_write(u->w, name, arena_printf(&u->w->arena, "version: 2025-11-02\n%s", text));
}

static const struct diag *get_only(struct unit *u) {
    for (size_t i = 0; i < u->diags.items.len; i++) {
        const struct diag *d = u->diags.items.items[i];
        print_message("%.*s %.*s: %.*s\n", SV_ARG(diag_get_code_name(d)), SV_ARG(d->path), SV_ARG(d->message));
    }
    assert_int_equal(u->diags.items.len, 1);
    return u->diags.items.items[0];
}

static void check_only(struct unit *u, enum diag_code code, size_t line) {
    const struct diag *d = get_only(u);
    assert_int_equal(d->code, code);
    assert_int_equal(source_get_pos(sources_find(&u->sources, d->at.source), d->at.offset).line, line);
}

static const struct template *get_child(const struct unit *u, const char *address) {
    const struct element *e = template_find(u->template, sv_from_cstr(address));
    const struct blueprint_data *data = u->template->dialect_data;
    return data->children[template_get_number(u->template, e)]->template;
}

static const char resources[] = "resources: {a: {type: test/x, spec: {}}}\n";

/* --- what is loaded --- */

static void a_file_is_loaded_once(void **state) {
    struct unit *u = begin(state); /* BP-171, BP-179: one real path */
    write_child(u, "tree/sub/child.yaml", resources);
    world_link(u->w, "tree/link.yaml", "sub/child.yaml");
    load(u, "include:\n  a: {path: sub/child.yaml}\n  b: {path: link.yaml}\n  c: {path: "
            "\"${cwd()}/./sub/../sub/child.yaml\"}\n");
    assert_int_equal(u->diags.items.len, 0);
    assert_int_equal(u->sources.items.len, 2);
    assert_non_null(get_child(u, "children.a"));
    assert_ptr_equal(get_child(u, "children.a"), get_child(u, "children.b"));
    assert_ptr_equal(get_child(u, "children.a"), get_child(u, "children.c"));
    assert_int_equal(get_child(u, "children.a")->digest.len, 64);
}

static void findings_tell_the_way(void **state) {
    struct unit *u = begin(state); /* BP-181, BP-307 */
    write_child(u, "tree/mid.yaml", "include:\n  in: {path: sub/in.yaml}\n");
    write_child(u, "tree/sub/in.yaml", "resources: {a: {type: test/x, spec: {text: \"${variables.no}\"}}}\n");
    load(u, "include:\n  mid: {path: mid.yaml}\n");
    const struct diag *d = get_only(u);
    assert_int_equal(d->code, DIAG_missing_variable);
    assert_true(sv_eq(d->path, SV("children.mid/children.in/resources.a.spec.text")));
    assert_true(sv_eq(d->group, SV("resource_validation_errors")));
    assert_true(sv_has_suffix(sources_find(&u->sources, d->at.source)->name, SV("in.yaml")));
    assert_int_equal(d->related.len, 2); /* innermost first */
    assert_true(sv_has_suffix(sources_find(&u->sources, d->related.items[0].at.source)->name, SV("mid.yaml")));
    assert_true(sv_has_suffix(sources_find(&u->sources, d->related.items[1].at.source)->name, SV("root.yaml")));
}

static void what_a_broken_child_exports_is_not_known(void **state) {
    struct unit *u = begin(state); /* BP-302 */
    write_child(u, "tree/child.yaml", "resources: {a: {type: 7, spec: {}}}\n");
    load(u, "include:\n  c: {path: child.yaml, variables: {x: 1}}\n"
            "resources: {a: {type: test/x, spec: {text: \"${children.c.whatever}\"}}}\n");
    check_only(u, DIAG_invalid_resource_type, 2);
}

static void a_secret_path_is_not_told(void **state) {
    struct unit *u = begin(state); /* BP-281 */
    write_child(u, "tree/hunter2.yaml", "resources: {a: {type: 7, spec: {}}}\n");
    load(u, "variables: {p: {type: string, secret: true, default: hunter2}}\n"
            "include:\n  c: {path: \"${variables.p}.yaml\"}\n  d: {path: \"${variables.p}.json\"}\n");
    assert_int_equal(u->diags.errors, 2);
    for (size_t i = 0; i < 2; i++) {
        const struct diag *d = u->diags.items.items[i];
        assert_true(sv_find(d->message, SV("hunter2")) == SIZE_MAX);
        assert_true(sv_find(sources_find(&u->sources, d->at.source)->name, SV("hunter2")) == SIZE_MAX);
    }
}

/* --- where it may lie (BP-171, BP-176) --- */

static void no_way_leads_out(void **state) {
    struct unit *u = begin(state);
    write_child(u, "outside/child.yaml", resources);
    world_link(u->w, "tree/link.yaml", "../outside/child.yaml");
    world_link(u->w, "tree/dir", "../outside");
    load(u, "include:\n"
            "  up: {path: ../outside/child.yaml}\n"
            "  link: {path: link.yaml}\n"
            "  dir: {path: dir/child.yaml}\n"
            "  system: {path: /etc/passwd}\n");
    assert_int_equal(u->diags.errors, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(u->diags.items.items[i]->code, DIAG_include_path_outside_root);
    }
}

static void a_directory_is_no_blueprint(void **state) {
    struct unit *u = begin(state);
    write_child(u, "tree/sub.yaml/child.yaml", resources);
    load(u, "include:\n  c: {path: sub.yaml}\n");
    check_only(u, DIAG_invalid_include, 3);
}

static void a_pipe_is_not_waited_for(void **state) {
    struct unit *u = begin(state);
    assert_int_equal(mkfifo(world_get_path(u->w, "tree/pipe.yaml").data, 0600), 0);
    int64_t before = world_get_now_ms();
    load(u, "include:\n  c: {path: pipe.yaml}\n");
    assert_in_range(world_get_now_ms() - before, 0, 5000);
    check_only(u, DIAG_invalid_include, 3);
}

static void no_file_has_a_nul_in_its_name(void **state) {
    struct unit *u = begin(state);
    write_child(u, "tree/child.yaml", resources);
    load(u, "include:\n  c: {path: \"child.yaml\\0.txt\"}\n");
    assert_int_equal(u->diags.errors, 1);
    bool is_expected = u->diags.items.items[0]->code == DIAG_include_path_not_found ||
                       u->diags.items.items[0]->code == DIAG_invalid_include;
    assert_true(is_expected);
}

static void what_goes_on_for_ever_ends(void **state) {
    struct unit *u = begin(state);
    u->w->o.allow_outside = true;
    world_open(u->w);
    u->request.fetcher = u->w->f;
    int64_t before = world_get_now_ms();
    load(u, "include:\n  c: {path: /dev/zero}\n");
    assert_in_range(world_get_now_ms() - before, 0, 10000);
    assert_int_equal(u->diags.errors, 1);
}

/* --- contents that changed (BP-174) --- */

static void a_pinned_file_has_to_stay(void **state) {
    struct unit *u = begin(state);
    write_child(u, "tree/child.yaml", resources);
    load(u, "include:\n  c: {path: child.yaml}\n");
    assert_int_equal(u->diags.errors, 0);
    const struct content *content = u->w->f->contents.items[0];
    const struct content_pin good = {content->location, content->digest, {0}};
    const struct content_pin bad = {content->location, SV("00"), {0}};
    struct unit *again = begin(state);
    again->request.pins = &good;
    again->request.pin_count = 1;
    load(again, "include:\n  c: {path: child.yaml}\n");
    assert_int_equal(again->diags.errors, 0);
    struct unit *changed = begin(state);
    changed->request.pins = &bad;
    changed->request.pin_count = 1;
    load(changed, "include:\n  c: {path: child.yaml}\n");
    check_only(changed, DIAG_include_changed_since_staging, 3);
}

static void a_digest_is_checked(void **state) {
    struct unit *u = begin(state);
    write_child(u, "tree/child.yaml", resources);
    load(u, "include:\n  c:\n    path: child.yaml\n    metadata: {digest: \"sha256:"
            "0000000000000000000000000000000000000000000000000000000000000000\"}\n");
    check_only(u, DIAG_include_digest_mismatch, 5);
}

/* --- how much there may be --- */

static void doubling_is_bounded(void **state) {
    struct unit *u = begin(state); /* 2^14 copies of the last file, which no file shows */
    for (int i = 2; i < 16; i++) {
        sv text = arena_printf(&u->w->arena, "include:\n  a: {path: b%d.yaml}\n  b: {path: b%d.yaml}\n", i + 1, i + 1);
        write_child(u, arena_printf(&u->w->arena, "tree/b%d.yaml", i).data, text.data);
    }
    write_child(u, "tree/b16.yaml", resources);
    u->limits.elements = 10000;
    int64_t before = world_get_now_ms();
    load(u, "include:\n  a: {path: b2.yaml}\n");
    assert_in_range(world_get_now_ms() - before, 0, 10000);
    assert_int_equal(get_only(u)->code, DIAG_limit_exceeded);
}

static void many_children_take_linear_time(void **state) {
    struct unit *u = begin(state);
    struct buf text = BUF(&u->w->arena);
    write_child(u, "tree/child.yaml",
                "variables: {n: {type: integer}}\nvalues: {v: {type: integer, value: \"${variables.n}\"}}\n"
                "resources: {a: {type: test/x, spec: {n: \"${values.v}\"}}}\n");
    buf_append_cstr(&text, "values:\n  dir: {type: string, value: \"${cwd()}\"}\ninclude:\n");
    for (int i = 0; i < 5000; i++) {
        buf_printf(&text, "  c%d: {path: \"${values.dir}/child.yaml\", variables: {n: %d}}\n", i, i);
    }
    buf_append_char(&text, '\0');
    int64_t before = world_get_now_ms();
    load(u, buf_get_sv(&text).data);
    assert_int_equal(u->diags.items.len, 0);
    assert_in_range(world_get_now_ms() - before, 0, 20000);
}

/* --- modules (BP-291) --- */

static void modules_are_found_in_their_roots(void **state) {
    struct unit *u = begin(state);
    sv roots[] = {world_get_path(u->w, "tree/one"), world_get_path(u->w, "tree/two")};
    write_child(u, "tree/one/net/lb/1.10/blueprint.json", ""); /* found before the second root, and no JSON */
    world_write(u->w, "tree/two/net/lb/1.10/blueprint.yaml",
                SV("version: 2025-11-02\nresources: {x: {type: test/x, spec: {}}}\n"));
    write_child(u, "tree/two/net/lb/2.0/blueprint.yml", "include: {near: {path: ../shared.yaml}}\n");
    write_child(u, "tree/two/net/lb/shared.yaml", resources);
    u->request.module_roots = roots;
    u->request.module_root_count = 2;
    load(u, "resources:\n"
            "  broken: {type: lintel/blueprint, spec: {module: {name: net/lb, version: 1.10}}}\n"
            "  good: {type: lintel/blueprint, spec: {module: {name: net/lb, version: 2.0}}}\n"
            "  gone: {type: lintel/blueprint, spec: {module: {name: net/lb, version: \"2\"}}}\n");
    assert_int_equal(u->diags.errors, 2);
    assert_int_equal(u->diags.items.items[0]->code, DIAG_invalid_syntax);
    assert_int_equal(u->diags.items.items[1]->code, DIAG_include_path_not_found);
    assert_true(sv_find(u->diags.items.items[1]->message, SV("version '2' of module 'net/lb'")) != SIZE_MAX);
}

static void modules_may_lie_outside(void **state) {
    struct unit *u = begin(state); /* with what is below their root, and nothing else */
    sv roots[] = {world_get_path(u->w, "outside/modules")};
    write_child(u, "outside/modules/a/1/blueprint.yaml", "include: {near: {path: ../../near.yaml}}\n");
    write_child(u, "outside/modules/b/1/blueprint.yaml", "include: {far: {path: ../../../far.yaml}}\n");
    write_child(u, "outside/modules/near.yaml", resources);
    write_child(u, "outside/far.yaml", resources);
    u->w->o.module_roots = roots;
    u->w->o.module_root_count = 1;
    world_open(u->w);
    u->request.fetcher = u->w->f;
    u->request.module_roots = roots;
    u->request.module_root_count = 1;
    load(u, "resources:\n"
            "  a: {type: lintel/blueprint, spec: {module: {name: a, version: 1}}}\n"
            "  b: {type: lintel/blueprint, spec: {module: {name: b, version: 1}}}\n");
    assert_int_equal(u->diags.errors, 1);
    assert_int_equal(u->diags.items.items[0]->code, DIAG_include_path_outside_root);
    assert_true(sv_eq(u->diags.items.items[0]->path, SV("resources.b/children.far.path")));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WORLD_CASE(a_file_is_loaded_once),
        WORLD_CASE(findings_tell_the_way),
        WORLD_CASE(what_a_broken_child_exports_is_not_known),
        WORLD_CASE(a_secret_path_is_not_told),
        WORLD_CASE(no_way_leads_out),
        WORLD_CASE(a_directory_is_no_blueprint),
        WORLD_CASE(a_pipe_is_not_waited_for),
        WORLD_CASE(no_file_has_a_nul_in_its_name),
        WORLD_CASE(what_goes_on_for_ever_ends),
        WORLD_CASE(a_pinned_file_has_to_stay),
        WORLD_CASE(a_digest_is_checked),
        WORLD_CASE(doubling_is_bounded),
        WORLD_CASE(many_children_take_linear_time),
        WORLD_CASE(modules_are_found_in_their_roots),
        WORLD_CASE(modules_may_lie_outside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
