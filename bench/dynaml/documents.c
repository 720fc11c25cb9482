#include "bench/dynaml/documents.h"

static struct documents take_two(struct buf *first, struct buf *second) {
    struct documents d = {.count = second == NULL ? 1 : 2};
    d.texts[0] = buf_get_sv(first);
    if (second != NULL)
        d.texts[1] = buf_get_sv(second);
    return d;
}

/* --- a deployment --- */

static void add_job(struct buf *out, size_t i) {
    buf_printf(out, "- name: job%zu\n  instances: (( merge || meta.count ))\n  template: tpl%zu\n", i, i % 7);
    buf_printf(out, "  resource_pool: pool%zu\n  networks:\n", i % 3);
    for (int network = 1; network <= 2; network++)
        buf_printf(out, "  - name: net%d\n    static_ips: (( static_ips(%zu, %zu) ))\n", network, 2 * i, 2 * i + 1);
    buf_printf(out,
               "  properties:\n"
               "    <<: (( merge ))\n"
               "    domain: (( meta.domain ))\n"
               "    env: (( meta.env ))\n"
               "    url: (( \"https://job%zu.\" domain ))\n"
               "    port: (( meta.base + %zu ))\n"
               "    me: (( jobs.job%zu.template ))\n"
               "    text: something that is no expression %zu\n"
               "    list: [1, 2, 3]\n",
               i, i, i, i);
}

static sv make_template(struct arena *a, size_t n) {
    struct buf out = BUF(a);
    buf_append_cstr(&out, "meta: (( merge ))\nnetworks: (( merge ))\nname: (( meta.env \"-dep\" ))\njobs:\n");
    for (size_t i = 0; i < n; i++)
        add_job(&out, i);
    buf_append_cstr(&out, "resource_pools:\n");
    for (int i = 0; i < 3; i++)
        buf_printf(&out, "- name: pool%d\n  size: (( auto ))\n", i);
    return buf_get_sv(&out);
}

static sv make_networks(struct arena *a, size_t n) {
    struct buf out = BUF(a);
    buf_append_cstr(&out, "meta: (( merge ))\nnetworks:\n");
    for (int i = 1; i <= 2; i++)
        buf_printf(&out, "- name: net%d\n  subnets:\n  - static:\n    - 10.%d.0.10 - 10.%d.250.250\n", i, i, i);
    buf_append_cstr(&out, "jobs:\n");
    for (size_t i = 0; i < n; i++)
        buf_printf(&out, "- name: job%zu\n  instances: %zu\n  properties: {extra%zu: v}\n", i, 1 + i % 2, i);
    return buf_get_sv(&out);
}

static sv make_settings(struct arena *a, size_t n) {
    struct buf out = BUF(a);
    buf_append_cstr(&out,
                    "meta:\n  env: prod\n  domain: (( env \".example.com\" ))\n  base: 8000\n  count: 1\njobs:\n");
    for (size_t i = 0; i < n; i++)
        buf_printf(&out, "- name: job%zu\n  template: (( \"other\" %zu ))\n", i, i);
    return buf_get_sv(&out);
}

struct documents documents_make_deployment(struct arena *a, size_t n) {
    struct buf pools = BUF(a);
    buf_append_cstr(&pools, "jobs:\n");
    for (size_t i = n; i-- > 0;)
        buf_printf(&pools, "- name: job%zu\n  resource_pool: pool0\n", i);
    return (struct documents){
        .texts = {make_template(a, n), make_networks(a, n), make_settings(a, n), buf_get_sv(&pools)}, .count = 4};
}

/* --- one thing many times --- */

struct documents documents_make_chain(struct arena *a, size_t n) {
    struct buf out = BUF(a);
    for (size_t i = 0; i < n; i++)
        buf_printf(&out, "k%zu: (( k%zu ))\n", i, i + 1);
    buf_printf(&out, "k%zu: 1\n", n);
    return take_two(&out, NULL);
}

struct documents documents_make_appends(struct arena *a, size_t n) {
    struct buf out = BUF(a);
    buf_append_cstr(&out, "a0: (( [0] ))\n");
    for (size_t i = 1; i < n; i++)
        buf_printf(&out, "a%zu: (( a%zu [%zu] ))\n", i, i - 1, i);
    return take_two(&out, NULL);
}

struct documents documents_make_recursion(struct arena *a, size_t n) {
    struct buf out = BUF(a);
    buf_printf(&out, "f: (( |l,i|-> i == 0 ? l :_(l i, i - 1) ))\nlen: (( length(.f([], %zu)) ))\n", n);
    return take_two(&out, NULL);
}

struct documents documents_make_fibonacci(struct arena *a, size_t n) {
    struct buf out = BUF(a);
    buf_printf(&out,
               "fibonacci: (( lambda |x|-> x <= 0 ? 0 :x == 1 ? 1 :_(x - 2) + _(x - 1) ))\nv: (( .fibonacci(%zu) ))\n",
               n);
    return take_two(&out, NULL);
}

struct documents documents_make_named(struct arena *a, size_t n) {
    struct buf out = BUF(a), stub = BUF(a);
    buf_append_cstr(&out, "l:\n");
    buf_append_cstr(&stub, "l:\n");
    for (size_t i = 0; i < n; i++) {
        buf_printf(&out, "- {name: item%zu, v: 1}\n", i);
        buf_printf(&stub, "- {name: item%zu, v: 2}\n", n - 1 - i);
    }
    return take_two(&out, &stub);
}

static void add_records(struct buf *out, size_t n, const char *what) {
    for (size_t i = 0; i < n; i++)
        buf_printf(out,
                   "k%zu:\n  name: n%zu\n  text: some longer text that stands here %s %zu\n  list:\n  - a%zu\n  - b\n"
                   "  - {name: x%zu, v: %zu}\n  m: {a: 1, b: true, c: ~}\n",
                   i, i, what, i, i, i, i);
}

struct documents documents_make_plain(struct arena *a, size_t n) {
    struct buf out = BUF(a), stub = BUF(a);
    add_records(&out, n, "one");
    add_records(&stub, n, "two");
    return take_two(&out, &stub);
}
