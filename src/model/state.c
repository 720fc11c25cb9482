#include "model/state.h"

static const sv status_texts[] = {
    [STATUS_UNKNOWN] = SV_INIT("unknown"),
#define STATUS(name) [STATUS_##name] = SV_INIT(#name),
#include "model/statuses.def"
#undef STATUS
};

enum { STATUS_COUNT = sizeof status_texts / sizeof status_texts[0] };

sv status_get_text(enum status s) {
    return s >= STATUS_UNKNOWN && (size_t)s < STATUS_COUNT ? status_texts[s] : (sv){0};
}

enum status status_find(sv text) {
    for (size_t i = STATUS_UNKNOWN; i < STATUS_COUNT; i++) {
        if (sv_eq(status_texts[i], text)) {
            return (enum status)i;
        }
    }
    return 0;
}

void status_render(struct buf *out, enum status s) {
    sv text = status_get_text(s);
    for (size_t i = 0; i < text.len; i++) {
        char c = text.data[i];
        if (c == '_') {
            c = ' ';
        } else if (c >= 'a' && c <= 'z') {
            c = (char)(c - 'a' + 'A');
        }
        buf_append_char(out, c);
    }
}

/* Of a link between two of its phases. */
static bool is_between_phases(enum status s) {
    return s == STATUS_resource_a_updated || s == STATUS_resource_b_updated || s == STATUS_intermediaries_updated ||
           s == STATUS_resource_a_update_rollback_complete || s == STATUS_resource_b_update_rollback_complete ||
           s == STATUS_intermediaries_update_rollback_complete;
}

bool status_is_settled(enum status s) {
    bool is_back = sv_has_suffix(status_get_text(s), SV("rollback_complete")) && !is_between_phases(s);
    return s == STATUS_created || s == STATUS_updated || is_back;
}

/* Something is under way: the texts in "…ing" and "…rolling_back", and states between two steps of one operation. */
bool status_is_transitional(enum status s) {
    sv text = status_get_text(s);
    return sv_has_suffix(text, SV("ing")) || sv_has_prefix(text, SV("updating_")) || is_between_phases(s) ||
           sv_has_suffix(text, SV("rolling_back")) || s == STATUS_config_complete ||
           s == STATUS_update_config_complete || s == STATUS_update_rollback_config_complete ||
           s == STATUS_destroy_rollback_config_complete;
}
