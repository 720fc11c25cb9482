#include "dialects/module/language.h"

#include "base/num.h"
#include "dialects/module/language_internal.h"

#include <math.h>
#include <stdio.h>

/* --- tokens (section 7) --- */

enum {
    PART = LEXIS_PART,
    START = LEXIS_START | LEXIS_PART,
};
static const uint8_t classes[128] = {
    ['$'] = LEXIS_START, ['-'] = PART,  ['_'] = START, ['0'] = PART,  ['1'] = PART,  ['2'] = PART,  ['3'] = PART,
    ['4'] = PART,        ['5'] = PART,  ['6'] = PART,  ['7'] = PART,  ['8'] = PART,  ['9'] = PART,  ['A'] = START,
    ['B'] = START,       ['C'] = START, ['D'] = START, ['E'] = START, ['F'] = START, ['G'] = START, ['H'] = START,
    ['I'] = START,       ['J'] = START, ['K'] = START, ['L'] = START, ['M'] = START, ['N'] = START, ['O'] = START,
    ['P'] = START,       ['Q'] = START, ['R'] = START, ['S'] = START, ['T'] = START, ['U'] = START, ['V'] = START,
    ['W'] = START,       ['X'] = START, ['Y'] = START, ['Z'] = START, ['a'] = START, ['b'] = START, ['c'] = START,
    ['d'] = START,       ['e'] = START, ['f'] = START, ['g'] = START, ['h'] = START, ['i'] = START, ['j'] = START,
    ['k'] = START,       ['l'] = START, ['m'] = START, ['n'] = START, ['o'] = START, ['p'] = START, ['q'] = START,
    ['r'] = START,       ['s'] = START, ['t'] = START, ['u'] = START, ['v'] = START, ['w'] = START, ['x'] = START,
    ['y'] = START,       ['z'] = START};

static const sv literal_words[] = {SV_INIT("true"), SV_INIT("false"), SV_INIT("null")};
static const value literal_values[] = {
    {.kind = VALUE_BOOL, .boolean = true},
    {.kind = VALUE_BOOL, .boolean = false},
    {.kind = VALUE_NULL},
};

static const struct lexis lexis = {
    .open = SV_INIT("${{"),
    .close = SV_INIT("}}"),
    .classes = classes,
    .quotes = SV_INIT("\""),
    .word_steps = true,
    .floats = true,
    .double_numbers = true,
    .number_why = "bad number",
    .character_why = "unknown character",
    .literal_words = literal_words,
    .literal_values = literal_values,
    .literal_count = sizeof literal_words / sizeof *literal_words,
};

/* --- operators (MD-104): each level above the one before, two apart, so that all are left associative --- */

enum {
    POWER_OR = 2,
    POWER_AND = 4,
    POWER_COMPARE = 6,
    POWER_NOT = 8,
    POWER_ADD = 10,
    POWER_MULTIPLY = 12,
    POWER_DEFAULT = 14,
    POWER_NEGATE = 16,
};
#define LEFT(token_text, power, function) \
    { SV_INIT(token_text), (power), (power) + 1, false, &(function) }
#define PREFIX(token_text, power, function) \
    { SV_INIT(token_text), 0, (power), false, &(function) }

/* By token; of two with one token the prefix stands first. */
static const struct operator_def operators[] = {
    PREFIX("!", POWER_NOT, module_not),    LEFT("!=", POWER_COMPARE, module_ne),
    LEFT("&&", POWER_AND, module_and),     LEFT("*", POWER_MULTIPLY, module_multiply),
    LEFT("+", POWER_ADD, module_add),      PREFIX("-", POWER_NEGATE, module_negate),
    LEFT("-", POWER_ADD, module_subtract), LEFT("/", POWER_MULTIPLY, module_divide),
    LEFT("<", POWER_COMPARE, module_lt),   LEFT("<=", POWER_COMPARE, module_le),
    LEFT("==", POWER_COMPARE, module_eq),  LEFT(">", POWER_COMPARE, module_gt),
    LEFT(">=", POWER_COMPARE, module_ge),  LEFT(">>", POWER_DEFAULT, module_default),
    LEFT("||", POWER_OR, module_or),
};

/* --- roots (section 10) --- */

/* sorted */
static const struct root_def roots[] = {
    {.keyword = SV_INIT(""), .number = MODULE_ROOT_NAME, .max_steps = 255},
    {.keyword = SV_INIT("$env"), .number = MODULE_ROOT_ENV, .max_steps = 255},
    {.keyword = SV_INIT("$self"), .number = MODULE_ROOT_SELF, .max_steps = 255},
    {.keyword = SV_INIT("dependencies"), .number = MODULE_ROOT_DEPENDENCIES, .max_steps = 255},
    {.keyword = SV_INIT("for"), .number = MODULE_ROOT_FOR, .max_steps = 255},
    {.keyword = SV_INIT("module"), .number = MODULE_ROOT_MODULE, .max_steps = 255},
    {.keyword = SV_INIT("modules"), .number = MODULE_ROOT_MODULE, .max_steps = 255},
    {.keyword = SV_INIT("parameter"), .number = MODULE_ROOT_PARAMETER, .max_steps = 255},
};

static const struct fn_table *const tables[] = {&module_collection_functions, &module_data_functions,
                                                &module_text_functions};
static const struct fn_registry registry = {.tables = tables, .count = sizeof tables / sizeof *tables};

/* A mapping whose `if` is false is ABSENT and leaves what holds it (MD-161). */
static const struct eval_policy policy = {
    .null_in_text = OPERAND_FAIL,
    .absent_in_text = OPERAND_FAIL,
    .drop_absent_items = true,
    .print_scalar = module_print_scalar,
    .operand_code = DIAG_module_value,
    .type_code = DIAG_module_value,
    .text_code = DIAG_module_value,
};

const struct dialect module_dialect = {
    .name = SV_INIT("module"),
    .lexis = &lexis,
    .operators = operators,
    .operator_count = sizeof operators / sizeof *operators,
    .roots = roots,
    .root_count = sizeof roots / sizeof *roots,
    .call_styles = CALL_GROUPS | CALL_LIST_LITERALS | CALL_OBJECT_LITERALS | CALL_INDEX_EXPRS | CALL_IF_THEN_ELSE |
                   CALL_EMPTY_ITEMS | CALL_STEPS_ANYWHERE,
    .functions = &registry,
    .policy = &policy,
    .make_unknown = module_make_unknown,
    .syntax_code = DIAG_module_syntax,
    .unknown_function_code = DIAG_module_unknown_name,
    .arguments_code = DIAG_module_value,
};

/* --- values --- */

const char *module_kind_name(value v) {
    switch ((enum value_kind)v.kind) {
    case VALUE_NULL:
    case VALUE_ABSENT:
        return "null";
    case VALUE_BOOL:
        return "boolean";
    case VALUE_INT:
    case VALUE_FLOAT:
        return "number";
    case VALUE_STRING:
    case VALUE_BYTES:
        return "string";
    case VALUE_LIST:
        return "list";
    case VALUE_MAP:
        return "map";
    case VALUE_FUNCTION:
    case VALUE_UNKNOWN:
    case VALUE_ERROR:
    case VALUE_PENDING:
        break;
    }
    return value_get_kind_name((enum value_kind)v.kind);
}

/* The digits of "1.25e-7" with the point moved, so that no exponent is left. */
static void print_plain(struct buf *out, sv digits, int exponent) {
    int point = (int)digits.len + exponent;
    if (point <= 0) {
        buf_append_cstr(out, "0.");
        buf_append_repeat(out, '0', (size_t)-point);
        buf_append(out, digits);
        return;
    }
    size_t whole = (size_t)point < digits.len ? (size_t)point : digits.len;
    buf_append(out, sv_slice(digits, 0, whole));
    buf_append_repeat(out, '0', (size_t)point - whole);
    if (whole < digits.len) {
        buf_append_char(out, '.');
        buf_append(out, sv_slice(digits, whole, digits.len));
    }
}

static void print_number(struct buf *out, double x) {
    char text[NUM_TEXT_MAX], digits[NUM_TEXT_MAX];
    size_t len = num_print_double(fabs(x), text), count = 0;
    int exponent = 0;
    bool behind_point = false;
    for (size_t i = 0; i < len && text[i] != 'e'; i++) {
        if (text[i] != '.')
            digits[count++] = text[i];
        exponent -= behind_point && text[i] != '.';
        behind_point = behind_point || text[i] == '.';
    }
    sv written = sv_make(text, len);
    size_t e = sv_find_char(written, 'e');
    int64_t power = 0;
    if (e != SIZE_MAX && num_parse_i64(sv_slice(written, e + 1, len), 10, &power) == NUM_OK)
        exponent += (int)power;
    size_t first = 0;
    while (first + 1 < count && digits[first] == '0')
        first++;
    while (count > first + 1 && digits[count - 1] == '0') {
        count--;
        exponent++;
    }
    if (x < 0)
        buf_append_char(out, '-');
    print_plain(out, sv_make(digits + first, count - first), exponent);
}

void module_print_scalar(struct buf *out, value v) {
    bool is_integral = v.kind == VALUE_FLOAT && floor(v.number) == v.number;
    if (is_integral)
        buf_printf(out, "%.0f", v.number);
    else if (v.kind == VALUE_FLOAT)
        print_number(out, v.number);
    else
        value_print_scalar(out, v);
}

static value normalise_list(struct arena *a, value v) {
    struct list_builder b = {.arena = a};
    for (size_t i = 0; i < v.list->len; i++)
        list_add(&b, module_normalise(a, v.list->items[i]));
    return value_mark(list_done(&b), v.marks);
}

static value normalise_map(struct arena *a, value v) {
    struct map_builder b = {.arena = a};
    for (size_t i = 0; i < v.map->len; i++)
        map_add(&b, v.map->entries[i].key, module_normalise(a, v.map->entries[i].item));
    return value_mark(map_done(&b), v.marks);
}

value module_normalise(struct arena *a, value v) {
    if (v.kind == VALUE_INT || v.kind == VALUE_FLOAT)
        return value_mark(value_number(module_get_number(v)), v.marks);
    if (v.kind == VALUE_LIST)
        return normalise_list(a, v);
    return v.kind == VALUE_MAP ? normalise_map(a, v) : v;
}

/* --- steps (MD-117, MD-118) --- */

static value fail_step(struct evaluator *ev, value base, span at) {
    if (base.kind == VALUE_LIST)
        return eval_fail(ev, DIAG_module_value, at, "list index must be an integer");
    if (base.kind == VALUE_MAP)
        return eval_fail(ev, DIAG_module_value, at, "map key must be a string");
    return eval_fail(ev, DIAG_module_value, at, "cannot index a %s", module_kind_name(base));
}

/* Asked for what the general rules do not find: a name that a map has not, an index outside of a list, kinds that do
 * not fit. */
value module_walk(void *user, struct evaluator *ev, value base, const struct step *step, const struct expr *ref) {
    (void)user;
    (void)ref;
    bool fits = base.kind == VALUE_NULL || (base.kind == VALUE_MAP && step->kind == STEP_NAME) ||
                (base.kind == VALUE_LIST && step->kind == STEP_INDEX);
    return fits ? value_null() : fail_step(ev, base, step->at);
}

value module_step_by(void *user, struct evaluator *ev, value base, value index, span at) {
    (void)user;
    if (base.kind == VALUE_NULL)
        return value_null();
    if (base.kind == VALUE_MAP && index.kind == VALUE_STRING) {
        value found = value_map_find(base, value_get_text(index));
        return value_is_set(found) ? found : value_null();
    }
    bool is_whole = index.kind == VALUE_INT || (index.kind == VALUE_FLOAT && floor(index.number) == index.number);
    if (base.kind != VALUE_LIST || !is_whole)
        return fail_step(ev, base, at);
    bool is_inside = index.kind == VALUE_INT && index.integer >= 0 && (uint64_t)index.integer < base.list->len;
    return is_inside ? base.list->items[index.integer] : value_null();
}

value module_refuse(void *user, struct evaluator *ev, enum eval_refusal what, value v, span at) {
    (void)user;
    switch (what) {
    case REFUSE_IN_TEXT:
        return eval_fail(ev, DIAG_module_value, at, "a %s cannot be placed inside a string", module_kind_name(v));
    case REFUSE_AS_CONDITION:
        return eval_fail(ev, DIAG_module_value, at, "'if' needs a boolean");
    case REFUSE_AS_KEY:
        break;
    }
    return eval_fail(ev, DIAG_module_value, at, "map key must be a string");
}
