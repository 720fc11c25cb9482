/* The formats of MD-054: RFC 3339, 5321, 1123, 3986, 4122. Texts are valid UTF-8. */
#include "dialects/module/json_schema_form.h"

#include "base/num.h"
#include "model/pattern.h"

#include <arpa/inet.h>

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_hex(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* Takes exactly `count` digits off the text. */
static bool take_digits(sv *text, size_t count, unsigned *number) {
    *number = 0;
    if (text->len < count)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (!is_digit(text->data[i]))
            return false;
        *number = *number * 10 + (unsigned)(text->data[i] - '0');
    }
    *text = sv_slice(*text, count, text->len);
    return true;
}

static bool take_char(sv *text, const char *one_of) {
    if (text->len == 0 || text->data[0] == '\0' || strchr(one_of, text->data[0]) == NULL)
        return false;
    *text = sv_slice(*text, 1, text->len);
    return true;
}

/* --- dates and times --- */

static bool take_date(sv *text) {
    static const unsigned char days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    unsigned year, month, day;
    if (!take_digits(text, 4, &year) || !take_char(text, "-") || !take_digits(text, 2, &month) ||
        !take_char(text, "-") || !take_digits(text, 2, &day))
        return false;
    if (month < 1 || month > 12 || day < 1)
        return false;
    bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return day <= days[month - 1] + (month == 2 && is_leap ? 1U : 0U);
}

static bool take_offset(sv *text, int *minutes) {
    *minutes = 0;
    if (take_char(text, "Zz"))
        return true;
    bool is_minus = text->len > 0 && text->data[0] == '-';
    unsigned hour, minute;
    if (!take_char(text, "+-") || !take_digits(text, 2, &hour) || !take_char(text, ":") ||
        !take_digits(text, 2, &minute) || hour > 23 || minute > 59)
        return false;
    *minutes = (int)(hour * 60 + minute) * (is_minus ? -1 : 1);
    return true;
}

static bool take_time(sv *text) {
    unsigned hour, minute, second, digit;
    int offset;
    if (!take_digits(text, 2, &hour) || !take_char(text, ":") || !take_digits(text, 2, &minute) ||
        !take_char(text, ":") || !take_digits(text, 2, &second))
        return false;
    if (take_char(text, ".")) {
        if (!take_digits(text, 1, &digit))
            return false;
        while (take_digits(text, 1, &digit))
            ;
    }
    if (hour > 23 || minute > 59 || second > 60 || !take_offset(text, &offset))
        return false;
    int at = ((int)(hour * 60 + minute) - offset + 2 * 1440) % 1440; /* of the day, in UTC */
    return second < 60 || at == 1439;                                /* leap seconds end a day */
}

static bool is_date(struct arena *a, sv text) {
    (void)a;
    return take_date(&text) && text.len == 0;
}

static bool is_time(struct arena *a, sv text) {
    (void)a;
    return take_time(&text) && text.len == 0;
}

static bool is_date_time(struct arena *a, sv text) {
    (void)a;
    return take_date(&text) && take_char(&text, "Tt") && take_time(&text) && text.len == 0;
}

/* --- hosts --- */

static bool is_host_label(sv label) {
    if (label.len == 0 || label.len > 63 || label.data[0] == '-' || label.data[label.len - 1] == '-')
        return false;
    for (size_t i = 0; i < label.len; i++) {
        if (!is_letter(label.data[i]) && !is_digit(label.data[i]) && label.data[i] != '-')
            return false;
    }
    return true;
}

static bool is_hostname(struct arena *a, sv text) {
    (void)a;
    if (text.len == 0 || text.len > 253 || text.data[text.len - 1] == '.')
        return false;
    while (text.len > 0) {
        if (!is_host_label(sv_cut(&text, '.')))
            return false;
    }
    return true;
}

static bool is_address(struct arena *a, sv text, int family) {
    unsigned char bytes[16];
    if (text.len > 64 || sv_find_char(text, '\0') != SIZE_MAX)
        return false;
    return inet_pton(family, arena_copy_cstr(a, text), bytes) == 1;
}

static bool is_ipv4(struct arena *a, sv text) {
    return is_address(a, text, AF_INET);
}

static bool is_ipv6(struct arena *a, sv text) {
    return is_address(a, text, AF_INET6);
}

/* --- mail addresses --- */

static bool is_atom(sv text) {
    bool after_point = true;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.data[i];
        bool is_point = c == '.';
        if (is_point && after_point)
            return false;
        if (!is_point && !is_letter(c) && !is_digit(c) && (c == '\0' || strchr("!#$%&'*+-/=?^_`{|}~", c) == NULL))
            return false;
        after_point = is_point;
    }
    return text.len > 0 && !after_point;
}

static bool is_quoted(sv text) {
    if (text.len < 2 || text.data[0] != '"' || text.data[text.len - 1] != '"')
        return false;
    for (size_t i = 1; i + 1 < text.len; i++) {
        if (text.data[i] == '\\' && ++i + 1 >= text.len)
            return false;
        bool is_bare_quote = text.data[i] == '"' && text.data[i - 1] != '\\';
        if (is_bare_quote || text.data[i] < ' ' || text.data[i] > '~')
            return false;
    }
    return true;
}

static bool is_address_literal(struct arena *a, sv domain) {
    if (domain.len < 2 || domain.data[0] != '[' || domain.data[domain.len - 1] != ']')
        return false;
    sv inside = sv_slice(domain, 1, domain.len - 1);
    if (sv_has_prefix(inside, SV("IPv6:")))
        return is_ipv6(a, sv_slice(inside, 5, inside.len));
    return is_ipv4(a, inside);
}

static bool is_email(struct arena *a, sv text) {
    size_t at = sv_rfind_char(text, '@');
    if (at == SIZE_MAX)
        return false;
    sv local = sv_slice(text, 0, at), domain = sv_slice(text, at + 1, text.len);
    return local.len <= 64 && (is_atom(local) || is_quoted(local)) &&
           (is_hostname(a, domain) || is_address_literal(a, domain));
}

/* --- URIs --- */

static bool is_uri_text(sv text, const char *besides) {
    for (size_t i = 0; i < text.len; i++) {
        char c = text.data[i];
        if (c == '%') {
            if (i + 2 >= text.len || !is_hex(text.data[i + 1]) || !is_hex(text.data[i + 2]))
                return false;
            i += 2;
        } else if (!is_letter(c) && !is_digit(c) &&
                   (c == '\0' || (strchr("-._~!$&'()*+,;=", c) == NULL && strchr(besides, c) == NULL))) {
            return false;
        }
    }
    return true;
}

static bool is_port(sv text) {
    for (size_t i = 0; i < text.len; i++) {
        if (!is_digit(text.data[i]))
            return false;
    }
    return true;
}

static bool is_host_and_port(struct arena *a, sv text) {
    if (text.len > 0 && text.data[0] == '[') {
        size_t end = sv_find_char(text, ']');
        sv rest = end == SIZE_MAX ? SV("x") : sv_slice(text, end + 1, text.len);
        bool is_rest = rest.len == 0 || (rest.data[0] == ':' && is_port(sv_slice(rest, 1, rest.len)));
        return is_rest && is_ipv6(a, sv_slice(text, 1, end));
    }
    size_t colon = sv_rfind_char(text, ':');
    if (colon != SIZE_MAX && !is_port(sv_slice(text, colon + 1, text.len)))
        return false;
    return is_uri_text(sv_slice(text, 0, colon), "");
}

static bool is_authority(struct arena *a, sv text) {
    size_t at = sv_rfind_char(text, '@');
    if (at == SIZE_MAX)
        return is_host_and_port(a, text);
    return is_uri_text(sv_slice(text, 0, at), ":") && is_host_and_port(a, sv_slice(text, at + 1, text.len));
}

static bool take_scheme(sv *text) {
    size_t colon = sv_find_char(*text, ':');
    if (colon == SIZE_MAX || colon == 0 || !is_letter(text->data[0]))
        return false;
    for (size_t i = 1; i < colon; i++) {
        char c = text->data[i];
        if (!is_letter(c) && !is_digit(c) && c != '+' && c != '-' && c != '.')
            return false;
    }
    *text = sv_slice(*text, colon + 1, text->len);
    return true;
}

static bool is_uri(struct arena *a, sv text) {
    if (!take_scheme(&text))
        return false;
    size_t fragment = sv_find_char(text, '#');
    if (fragment != SIZE_MAX && !is_uri_text(sv_slice(text, fragment + 1, text.len), ":@/?"))
        return false;
    text = sv_slice(text, 0, fragment);
    size_t query = sv_find_char(text, '?');
    if (query != SIZE_MAX && !is_uri_text(sv_slice(text, query + 1, text.len), ":@/?"))
        return false;
    text = sv_slice(text, 0, query);
    if (!sv_has_prefix(text, SV("//")))
        return is_uri_text(text, ":@/");
    text = sv_slice(text, 2, text.len);
    size_t path = sv_find_char(text, '/');
    return is_authority(a, sv_slice(text, 0, path)) &&
           (path == SIZE_MAX || is_uri_text(sv_slice(text, path, text.len), ":@/"));
}

/* --- others --- */

static bool is_uuid(struct arena *a, sv text) {
    (void)a;
    if (text.len != 36)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;
        if (is_dash ? text.data[i] != '-' : !is_hex(text.data[i]))
            return false;
    }
    return true;
}

static bool is_regex(struct arena *a, sv text) {
    return pattern_new(a, text, NULL) != NULL;
}

const struct schema_format *schema_format_find(sv name) {
    static const struct schema_format formats[] = {
        {SV_INIT("date-time"), is_date_time, "a date and time as 2024-05-01T10:00:00Z (RFC 3339)"},
        {SV_INIT("date"), is_date, "a date as 2024-05-01"},
        {SV_INIT("time"), is_time, "a time with offset as 10:00:00Z (RFC 3339)"},
        {SV_INIT("email"), is_email, "a mail address"},
        {SV_INIT("hostname"), is_hostname, "a host name"},
        {SV_INIT("ipv4"), is_ipv4, "an IPv4 address"},
        {SV_INIT("ipv6"), is_ipv6, "an IPv6 address"},
        {SV_INIT("uri"), is_uri, "a URI with its scheme"},
        {SV_INIT("uuid"), is_uuid, "a UUID"},
        {SV_INIT("regex"), is_regex, "a regular expression"},
    };
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (sv_eq(formats[i].name, name))
            return &formats[i];
    }
    return NULL;
}
