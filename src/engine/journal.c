#include "engine/journal.h"

#include "engine/fields.h"

/* What the MAC covers: every member with its length in front, so that no two rows give the same bytes. */
static void put_number(struct buf *b, uint64_t n) {
    for (int shift = 0; shift < 64; shift += 8) {
        buf_append_char(b, (char)(unsigned char)(n >> shift));
    }
}

static void put_text(struct buf *b, sv text) {
    put_number(b, text.len);
    buf_append(b, text);
}

static sv row_bytes(struct arena *a, sv instance_id, const struct journal_row *r) {
    struct buf b = BUF(a);
    put_text(&b, instance_id);
    put_number(&b, (uint64_t)r->sequence);
    put_number(&b, (uint64_t)r->kind);
    put_text(&b, r->run_id);
    put_number(&b, r->token);
    put_number(&b, (uint64_t)r->wall_ms);
    put_text(&b, r->operation);
    put_text(&b, r->address);
    put_text(&b, r->action);
    put_text(&b, r->body);
    return buf_get_sv(&b);
}

static enum store_result append(struct journal *j, struct arena *scratch, struct journal_row *row) {
    row->sequence = j->sequence + 1;
    seal_mac(j->sealer, j->mac, row_bytes(scratch, j->instance_id, row), row->mac);
    enum store_result result = j->store->ops->append_journal(j->store, j->instance_id, row);
    if (result == STORE_OK) {
        j->sequence = row->sequence;
        memcpy(j->mac, row->mac, sizeof j->mac);
    }
    return result;
}

enum store_result journal_append_row(struct journal *j, struct arena *scratch, const struct journal_row *earlier) {
    struct journal_row row = *earlier;
    return append(j, scratch, &row);
}

enum store_result journal_append(struct journal *j, struct arena *scratch, const struct journal_entry *entry) {
    struct seal_place place = {.instance_id = j->instance_id, .address = SV("journal")};
    struct journal_row row = {
        .kind = entry->kind,
        .run_id = j->run_id,
        .token = j->token,
        .wall_ms = entry->wall_ms,
        .operation = entry->operation,
        .address = entry->address,
        .action = entry->action,
        .body = value_is_set(entry->body) ? seal_encode(j->sealer, scratch, &place, entry->body) : SV("{}"),
    };
    return append(j, scratch, &row);
}

void journal_make_mac(struct sealer *sealer, sv instance_id, const uint8_t before[32], struct journal_row *row) {
    struct arena scratch = {0};
    seal_mac(sealer, before, row_bytes(&scratch, instance_id, row), row->mac);
    arena_fini(&scratch);
}

struct journal_mark journal_get_mark(const struct journal *j) {
    struct journal_mark mark = {.sequence = j->sequence};
    memcpy(mark.mac, j->mac, sizeof mark.mac);
    return mark;
}

void journal_return(struct journal *j, struct journal_mark mark) {
    j->sequence = mark.sequence;
    memcpy(j->mac, mark.mac, sizeof j->mac);
}

bool journal_check_chain(const struct journal_check *c, int64_t *broken, struct journal_mark *last) {
    struct journal_mark mark = c->anchor;
    bool ok = true;
    for (size_t i = 0; i < c->count && ok; i++) {
        const struct journal_row *row = &c->rows[i];
        struct arena scratch = {0};
        uint8_t mac[32];
        seal_mac(c->sealer, mark.mac, row_bytes(&scratch, c->instance_id, row), mac);
        arena_fini(&scratch);
        if (row->sequence != mark.sequence + 1 || memcmp(mac, row->mac, sizeof mac) != 0) {
            *broken = mark.sequence + 1;
            ok = false;
        }
        mark.sequence = row->sequence;
        memcpy(mark.mac, row->mac, sizeof mark.mac);
    }
    *last = mark;
    return ok;
}

/* --- open intents --- */

static value open_body(struct record_codec *codec, const struct journal_row *row) {
    struct seal_place place = {.instance_id = codec->instance_id, .address = SV("journal")};
    return seal_decode(codec->sealer, codec->arena, &place, row->body, &codec->unopened, codec->diags);
}

void journal_find_open(struct record_codec *codec, const struct journal_row *rows, size_t count,
                       struct open_intents *result) {
    struct map open =
        MAP(codec->arena); /* operation → number in `intents` + 1; an operation has at most one open intent */
    struct open_intents intents = {0};
    for (size_t i = 0; i < count; i++) {
        const struct journal_row *row = &rows[i];
        if (row->kind == JOURNAL_INTENT) {
            struct open_intent *intent = VEC_ADD(codec->arena, &intents.items);
            intent->row = row;
            map_put(&open, row->operation, (void *)(uintptr_t)intents.items.len);
        } else if (row->kind == JOURNAL_OUTCOME) {
            map_remove(&open, row->operation);
        } else if (row->kind == JOURNAL_PROGRESS) {
            uintptr_t number = (uintptr_t)map_find(&open, row->operation);
            if (number != 0) {
                intents.items.items[number - 1].progress = field_get_value(open_body(codec, row), "token");
            }
        }
    }
    for (size_t i = 0; i < intents.items.len; i++) {
        struct open_intent *intent = &intents.items.items[i];
        if ((uintptr_t)map_find(&open, intent->row->operation) == i + 1) {
            intent->body = open_body(codec, intent->row);
            VEC_PUSH(codec->arena, &result->items, *intent);
        }
    }
}
