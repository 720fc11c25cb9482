/* Functions that take functions (FN-144 to FN-150). A function that needs another is entered again with each answer, so
 * its place in the work is in its state. */
#include "fn/internal.h"

/* One callback after the other over the items of an array. */
struct loop {
    struct list_builder out;
    value acc;
    value args[3];
    size_t next;
    bool waits; /* an answer is due */
};

static struct loop *get_loop(struct fn_call *c) {
    void **state = fn_call_get_state(c);
    if (*state == NULL) {
        struct loop *made = ARENA_NEW(c->arena, struct loop);
        made->out.arena = c->arena;
        *state = made;
    }
    return *state;
}

static bool is_settled(value answer) {
    return answer.kind != VALUE_UNKNOWN && answer.kind != VALUE_ERROR && answer.kind != VALUE_PENDING;
}

/* Applies the function to `count` of the loop's arguments and, where both sides have it, the index (FN-024). */
static value apply(struct fn_call *c, struct loop *l, size_t count, bool has_index) {
    const struct closure *f = c->args[1].function;
    l->waits = true;
    if (has_index && closure_takes_index(f, count)) {
        l->args[count++] = value_int((int64_t)l->next);
    }
    return fn_call_apply(c, f, l->args, count, l->next);
}

/* FN-026: the item's index is named. */
static value fail_result(struct fn_call *c, size_t item, const char *wanted, value answer) {
    return fn_call_fail(c, DIAG_invalid_function_argument, 1, "the function must give %s, but gives %s for item %zu",
                        wanted, value_get_kind_phrase((enum value_kind)answer.kind), item);
}

/* What map, filter and flatmap do with one answer; kind 0: go on. */
typedef value (*take_answer)(struct fn_call *c, struct loop *l, value item, value answer);

static value take_filtered(struct fn_call *c, struct loop *l, value item, value answer);

static value run_loop(struct fn_call *c, take_answer take) {
    struct loop *l = get_loop(c);
    value failed = {0};
    if (!l->waits && !fn_take_args(c, &failed)) {
        return failed;
    }
    const struct value_list *items = c->args[0].list;
    if (l->waits) {
        value answer = fn_call_get_answer(c);
        value end = is_settled(answer) ? take(c, l, items->items[l->next], answer) : answer;
        if (end.kind != 0) {
            return end;
        }
        l->next++;
    }
    if (l->next == items->len) {
        return list_done(&l->out);
    }
    l->args[0] = items->items[l->next];
    return apply(c, l, 1, take != take_filtered);
}

static value take_mapped(struct fn_call *c, struct loop *l, value item, value answer) {
    (void)c;
    (void)item;
    list_add(&l->out, answer);
    return (value){0};
}

static value take_filtered(struct fn_call *c, struct loop *l, value item, value answer) {
    int truth = fn_get_truth(answer);
    if (truth < 0) {
        return fail_result(c, l->next, "a boolean", answer);
    }
    list_add(&l->out, truth == 1 ? item : value_absent());
    return (value){0};
}

static value take_flat(struct fn_call *c, struct loop *l, value item, value answer) {
    (void)item;
    if (answer.kind == VALUE_ABSENT) {
        return (value){0};
    }
    if (answer.kind != VALUE_LIST) {
        return fail_result(c, l->next, "an array", answer);
    }
    value too_many = fn_check_items(c, l->out.len + answer.list->len);
    for (size_t i = 0; too_many.kind == 0 && i < answer.list->len; i++) {
        list_add(&l->out, answer.list->items[i]);
    }
    return too_many;
}

static value call_map(struct fn_call *c) {
    return run_loop(c, take_mapped);
}

static value call_filter(struct fn_call *c) {
    return run_loop(c, take_filtered);
}

static value call_flatmap(struct fn_call *c) {
    return run_loop(c, take_flat);
}

/* --- reduce --- */

static bool is_same_group(value a, value b) {
    bool numbers = (a.kind == VALUE_INT || a.kind == VALUE_FLOAT) && (b.kind == VALUE_INT || b.kind == VALUE_FLOAT);
    return numbers || a.kind == b.kind;
}

static value call_reduce(struct fn_call *c) {
    struct loop *l = get_loop(c);
    value failed = {0};
    if (!l->waits && !fn_take_args(c, &failed)) {
        return failed;
    }
    if (!l->waits) {
        l->acc = c->args[2];
    } else {
        l->acc = fn_call_get_answer(c);
        if (!is_settled(l->acc)) {
            return l->acc;
        }
        if (!is_same_group(l->acc, c->args[2])) {
            return fail_result(c, l->next, "what is of the kind of the initial value", l->acc);
        }
        l->next++;
    }
    if (l->next == c->args[0].list->len) {
        return l->acc;
    }
    l->args[0] = l->acc;
    l->args[1] = c->args[0].list->items[l->next];
    return apply(c, l, 2, true);
}

/* --- sort: bottom-up merging, one comparison at a time --- */

struct sorted_item {
    value item;
    size_t place; /* in the array as given */
};

struct sorting {
    struct sorted_item *from, *to;
    size_t len, width;       /* runs of `width` items in `from` */
    size_t start, a, b, out; /* the two runs being merged */
    value args[2];
    bool waits;
};

static struct sorting *start_sorting(struct fn_call *c) {
    const struct value_list *items = c->args[0].list;
    struct sorting *s = ARENA_NEW(c->arena, struct sorting);
    s->len = items->len;
    s->width = 1;
    s->from = ARENA_ARRAY(c->arena, struct sorted_item, items->len);
    s->to = ARENA_ARRAY(c->arena, struct sorted_item, items->len);
    for (size_t i = 0; i < items->len; i++) {
        s->from[i] = (struct sorted_item){items->items[i], i};
    }
    s->b = s->width;
    return s;
}

static size_t smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

/* Moves on until two items must be compared; false when all is sorted. */
static bool find_comparison(struct sorting *s) {
    while (s->width < s->len) {
        size_t middle = smaller(s->start + s->width, s->len), end = smaller(s->start + 2 * s->width, s->len);
        if (s->a < middle && s->b < end) {
            return true;
        }
        while (s->a < middle) {
            s->to[s->out++] = s->from[s->a++];
        }
        while (s->b < end) {
            s->to[s->out++] = s->from[s->b++];
        }
        s->start = end;
        if (s->start >= s->len) {
            struct sorted_item *merged = s->to;
            s->to = s->from;
            s->from = merged;
            s->width *= 2;
            s->start = s->out = 0;
        }
        s->a = s->start;
        s->b = smaller(s->start + s->width, s->len);
    }
    return false;
}

static value end_sorting(struct fn_call *c, const struct sorting *s) {
    struct list_builder list = {.arena = c->arena};
    for (size_t i = 0; i < s->len; i++) {
        list_add(&list, s->from[i].item);
    }
    return list_done(&list);
}

static value call_sort(struct fn_call *c) {
    void **state = fn_call_get_state(c);
    value failed = {0};
    if (*state == NULL) {
        if (!fn_take_args(c, &failed)) {
            return failed;
        }
        *state = start_sorting(c);
    }
    struct sorting *s = *state;
    if (s->waits) {
        value answer = fn_call_get_answer(c);
        if (answer.kind != VALUE_INT) {
            return is_settled(answer) ? fail_result(c, s->from[s->a].place, "an integer", answer) : answer;
        }
        s->to[s->out++] = answer.integer <= 0 ? s->from[s->a++] : s->from[s->b++];
    }
    if (!find_comparison(s)) {
        return end_sorting(c, s);
    }
    s->args[0] = s->from[s->a].item;
    s->args[1] = s->from[s->b].item;
    s->waits = true;
    return fn_call_apply(c, c->args[1].function, s->args, 2, s->from[s->a].place);
}

/* --- compose, pipe --- */

static value make_chain(struct fn_call *c, bool last_first) {
    value failed = {0};
    if (!fn_take_args(c, &failed)) {
        return failed;
    }
    const struct closure **chain = ARENA_ARRAY(c->arena, const struct closure *, c->count);
    for (size_t i = 0; i < c->count; i++) {
        chain[last_first ? c->count - 1 - i : i] = c->args[i].function;
    }
    struct closure *made = ARENA_NEW(c->arena, struct closure);
    made->chain = chain;
    made->chain_count = c->count;
    return value_function(made);
}

static value call_compose(struct fn_call *c) {
    return make_chain(c, true);
}

static value call_pipe(struct fn_call *c) {
    return make_chain(c, false);
}

/* --- types: what is known of items must fit the function, what it gives must fit its use (FN-031, FN-033) --- */

static const struct type *get_item_type(const struct fn_check *c) {
    const struct type *item = type_get_item(c->types[0]);
    return item == NULL ? &type_any : item;
}

/* Parameter number `at` of a function type; any when nothing is known of it. */
static const struct type *get_param_type(const struct type *f, size_t at) {
    if (f->kind != TYPE_FUNCTION || f->fields == NULL || f->field_count == 0) {
        return &type_any;
    }
    size_t last = f->field_count - 1;
    const struct type *t = at <= last || f->open ? f->fields[at < last ? at : last].type : NULL;
    return t == NULL ? &type_any : t;
}

static bool check_param(const struct fn_check *c, size_t at, const struct type *given, const char *what) {
    const struct type *wanted = get_param_type(c->types[1], at);
    if (type_fits(wanted, given)) {
        return true;
    }
    sv wanted_name = fn_print_type_phrase(c->arena, wanted), given_name = fn_print_type_phrase(c->arena, given);
    fn_check_fail(c, 1, "the function takes %.*s, but %s is %.*s", SV_ARG(wanted_name), what, SV_ARG(given_name));
    return false;
}

static void check_result(const struct fn_check *c, const struct type *wanted) {
    const struct type *given = fn_get_result_type(c, 1);
    if (type_fits(wanted, given)) {
        return;
    }
    sv wanted_name = fn_print_type_phrase(c->arena, wanted), given_name = fn_print_type_phrase(c->arena, given);
    fn_check_fail(c, 1, "the function must give %.*s, but gives %.*s", SV_ARG(wanted_name), SV_ARG(given_name));
}

static void check_map(const struct fn_check *c) {
    check_param(c, 0, get_item_type(c), "an item");
}

static void check_filter(const struct fn_check *c) {
    if (check_param(c, 0, get_item_type(c), "an item")) {
        check_result(c, &type_bool);
    }
}

static void check_flatmap(const struct fn_check *c) {
    if (check_param(c, 0, get_item_type(c), "an item")) {
        check_result(c, &type_list);
    }
}

static void check_sort(const struct fn_check *c) {
    const struct type *item = get_item_type(c);
    if (check_param(c, 0, item, "an item") && check_param(c, 1, item, "an item")) {
        check_result(c, &type_int);
    }
}

/* The type that stands for all values of a group (FN-146). */
static const struct type *get_group_type(const struct type *t) {
    static const struct type *const types[] = {&type_any,   &type_bool, &type_number, &type_string,
                                               &type_bytes, &type_list, &type_map};
    return types[fn_get_group(t)];
}

static void check_reduce(const struct fn_check *c) {
    bool ok = check_param(c, 0, c->types[2], "the initial value") && check_param(c, 1, get_item_type(c), "an item");
    if (ok) {
        check_result(c, get_group_type(c->types[2]));
    }
}

static const struct type *get_reduce_type(const struct fn_check *c) {
    return get_group_type(c->types[2]);
}

static const struct type *get_map_type(const struct fn_check *c) {
    return type_new_list(c->arena, fn_get_result_type(c, 1));
}

static const struct type *get_flatmap_type(const struct fn_check *c) {
    const struct type *t = fn_get_result_type(c, 1);
    return t->kind == TYPE_LIST ? t : &type_list;
}

static const struct type *get_same_type(const struct fn_check *c) {
    return c->types[0]->kind == TYPE_LIST ? c->types[0] : &type_list;
}

/* --- chains: `at` counts in the order of application --- */

static size_t get_link(const struct fn_check *c, size_t at, bool last_first) {
    return last_first ? c->count - 1 - at : at;
}

static void check_chain(const struct fn_check *c, bool last_first) {
    for (size_t i = 1; i < c->count; i++) {
        size_t arg = get_link(c, i, last_first);
        const struct type *given = fn_get_result_type(c, get_link(c, i - 1, last_first));
        const struct type *wanted = get_param_type(c->types[arg], 0);
        if (!type_fits(wanted, given)) {
            sv wanted_name = fn_print_type_phrase(c->arena, wanted), name = fn_print_type_phrase(c->arena, given);
            fn_check_fail(c, arg, "the function takes %.*s, but the one before it gives %.*s", SV_ARG(wanted_name),
                          SV_ARG(name));
        }
    }
}

static void check_compose(const struct fn_check *c) {
    check_chain(c, true);
}

static void check_pipe(const struct fn_check *c) {
    check_chain(c, false);
}

static const struct type *get_chain_type(const struct fn_check *c, bool last_first) {
    struct type_field *param = ARENA_NEW(c->arena, struct type_field);
    struct type *t = ARENA_NEW(c->arena, struct type);
    param->type = get_param_type(c->types[get_link(c, 0, last_first)], 0);
    *t = (struct type){.kind = TYPE_FUNCTION, .fields = param, .field_count = 1};
    t->item = fn_get_result_type(c, get_link(c, c->count - 1, last_first));
    return t;
}

static const struct type *get_compose_type(const struct fn_check *c) {
    return get_chain_type(c, true);
}

static const struct type *get_pipe_type(const struct fn_check *c) {
    return get_chain_type(c, false);
}

static const struct type_field binary_params[] = {{.type = &type_any}, {.type = &type_any}};
static const struct type binary_type = {
    .kind = TYPE_FUNCTION, .fields = binary_params, .field_count = FN_COUNT(binary_params)};

static const struct fn_param loop_params[] = {
    {SV_INIT("items"), &type_list, 0, SV_INIT("")},
    {SV_INIT("function"), &fn_type_unary, 0, SV_INIT("called with each item")},
};
static const struct fn_param reduce_params[] = {
    {SV_INIT("items"), &type_list, 0, SV_INIT("")},
    {SV_INIT("function"), &binary_type, 0, SV_INIT("called with the result so far and an item")},
    {SV_INIT("initial"), &type_any, 0, SV_INIT("every result must have its kind")},
};
static const struct fn_param sort_params[] = {
    {SV_INIT("items"), &type_list, 0, SV_INIT("")},
    {SV_INIT("order"), &binary_type, 0,
     SV_INIT("negative: the first item comes first; positive: the second; 0: equal")},
};
static const struct fn_param chain_params[] = {
    {SV_INIT("functions"), &fn_type_unary, FN_VARIADIC, SV_INIT("of one argument each")},
};

#define CALLBACK_FN(fn_name, fn_rule, parameters, count, type, body)                                 \
    .name = SV_INIT(fn_name), .rule = SV_INIT(fn_rule), .family = SV_INIT("Functions of functions"), \
    .params = (parameters), .param_count = (count), .result = (type), .call = (body), .flags = FN_PURE

static const struct fn_def fn_compose = {
    CALLBACK_FN("compose", "FN-149", chain_params, 1, &fn_type_unary, call_compose),
    .check = check_compose,
    .result_type = get_compose_type,
    .summary = SV_INIT("One function of several: the last one is applied first."),
    .example = SV_INIT("map(list(object(id=\" x \")), compose(trim, getattr(\"id\")))"),
    .example_result = SV_INIT("[\"x\"]"),
};
static const struct fn_def fn_filter = {
    CALLBACK_FN("filter", "FN-145", loop_params, 2, &type_list, call_filter),
    .result_type = get_same_type,
    .check = check_filter,
    .summary = SV_INIT("The items for which a function gives true."),
    .example = SV_INIT("filter(list(\"ab\", \"c\"), has_prefix_g(\"a\"))"),
    .example_result = SV_INIT("[\"ab\"]"),
};
static const struct fn_def fn_flatmap = {
    CALLBACK_FN("flatmap", "FN-148", loop_params, 2, &type_list, call_flatmap),
    .check = check_flatmap,
    .result_type = get_flatmap_type,
    .summary = SV_INIT("The arrays that a function gives for each item, joined."),
    .example = SV_INIT("flatmap(list(\"a,b\", \"c\"), split_g(\",\"))"),
    .example_result = SV_INIT("[\"a\",\"b\",\"c\"]"),
};
static const struct fn_def fn_map = {
    CALLBACK_FN("map", "FN-144", loop_params, 2, &type_list, call_map),
    .result_type = get_map_type,
    .check = check_map,
    .summary = SV_INIT("What a function gives for each item."),
    .example = SV_INIT("map(list(\" a\", \"b \"), trim)[1]"),
    .example_result = SV_INIT("b"),
};
static const struct fn_def fn_pipe = {
    CALLBACK_FN("pipe", "FN-150", chain_params, 1, &fn_type_unary, call_pipe),
    .check = check_pipe,
    .result_type = get_pipe_type,
    .summary = SV_INIT("One function of several: the first one is applied first."),
    .example = SV_INIT("map(list(object(id=\" x \")), pipe(getattr(\"id\"), trim))"),
    .example_result = SV_INIT("[\"x\"]"),
};
static const struct fn_def fn_reduce = {
    CALLBACK_FN("reduce", "FN-146", reduce_params, 3, &type_any, call_reduce),
    .check = check_reduce,
    .result_type = get_reduce_type,
    .summary = SV_INIT("Folds an array from the left into one value."),
    .example = SV_INIT("reduce(list(1, 5, 3), max, 0)"),
    .example_result = SV_INIT("5"),
};
static const struct fn_def fn_sort = {
    CALLBACK_FN("sort", "FN-147", sort_params, 2, &type_list, call_sort),
    .result_type = get_same_type,
    .check = check_sort,
    .summary = SV_INIT("A sorted copy; items that are equal keep their order."),
    .example = SV_INIT("sort(list(1, 0, -1), min)"),
    .example_result = SV_INIT("[1,0,-1]"),
};

/* sorted */
static const struct fn_def *const defs[] = {
    &fn_compose, &fn_filter, &fn_flatmap, &fn_map, &fn_pipe, &fn_reduce, &fn_sort,
};
const struct fn_table fn_table_callbacks = {defs, FN_COUNT(defs)};
