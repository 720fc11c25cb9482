/* The digits of stand-ins. */
#include "dialects/cfn/form.h"

#include "adapters/crypto/crypto.h"

struct cfn_digits cfn_digits_start(struct arena *a, sv stack, sv id, sv type, sv attribute) {
    struct buf seed = BUF(a);
    const sv parts[] = {stack, id, type, attribute};
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        buf_append(&seed, parts[i]);
        buf_append_char(&seed, '\0');
    }
    return (struct cfn_digits){.arena = a, .seed = buf_get_sv(&seed), .used = sizeof((struct cfn_digits){0}.block)};
}

static uint8_t take_byte(struct cfn_digits *d) {
    if (d->used == sizeof(d->block)) {
        sv text = d->blocks == 0 ? d->seed : arena_printf(d->arena, "%.*s%zu", SV_ARG(d->seed), d->blocks);
        crypto_digest_sha256(text, d->block);
        d->used = 0;
        d->blocks++;
    }
    return d->block[d->used++];
}

static void print_hex(struct cfn_digits *d, size_t count, struct buf *out) {
    for (size_t i = 0; i < count; i++) {
        buf_append_char(out, "0123456789abcdef"[take_byte(d) & 15]);
    }
}

static void print_letters(struct cfn_digits *d, size_t count, struct buf *out) {
    for (size_t i = 0; i < count; i++) {
        buf_append_char(out, "abcdefghijklmnopqrstuvwxyz0123456789"[take_byte(d) % 36]);
    }
}

static void print_uuid(struct cfn_digits *d, struct buf *out) {
    print_hex(d, 8, out);
    buf_append_char(out, '-');
    print_hex(d, 4, out);
    buf_append(out, SV("-4"));
    print_hex(d, 3, out);
    buf_append_char(out, '-');
    buf_append_char(out, "89ab"[take_byte(d) & 3]);
    print_hex(d, 3, out);
    buf_append_char(out, '-');
    print_hex(d, 12, out);
}

bool cfn_digits_print(struct cfn_digits *d, sv name, struct buf *out) {
    if (sv_eq(name, SV("hex4"))) {
        print_hex(d, 4, out);
    } else if (sv_eq(name, SV("hex16"))) {
        print_hex(d, 16, out);
    } else if (sv_eq(name, SV("hex17"))) {
        print_hex(d, 17, out);
    } else if (sv_eq(name, SV("alnum7"))) {
        print_letters(d, 7, out);
    } else if (sv_eq(name, SV("alnum10"))) {
        print_letters(d, 10, out);
    } else if (sv_eq(name, SV("uuid"))) {
        print_uuid(d, out);
    } else if (sv_eq(name, SV("byte"))) {
        buf_printf(out, "%u", 1 + take_byte(d) % 254U);
    } else {
        return false;
    }
    return true;
}
