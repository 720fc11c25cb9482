#include "sources/aws.h"

#include <fcntl.h>

enum { FILE_MAX = 1 << 20 };

/* The text of `name` in the section, both files have the form of INI; empty without. The last of equals counts. */
static sv find_setting(sv text, sv section, sv name) {
    bool is_inside = false;
    sv found = {0};
    while (text.len > 0) {
        sv line = sv_trim(sv_cut(&text, '\n'));
        size_t equals = sv_find_char(line, '=');
        if (line.len == 0 || line.data[0] == '#' || line.data[0] == ';') {
            continue;
        }
        if (line.data[0] == '[') {
            is_inside = sv_eq(sv_trim(sv_slice(line, 1, sv_find_char(line, ']'))), section);
        } else if (is_inside && equals != SIZE_MAX && sv_eq(sv_trim(sv_slice(line, 0, equals)), name)) {
            found = sv_trim(sv_slice(line, equals + 1, line.len));
        }
    }
    return found;
}

static sv get_first_env(struct gatherer *g, struct arena *a, sv first, sv second) {
    sv text = sources_get_env(g, a, first);
    return text.len > 0 ? text : sources_get_env(g, a, second);
}

/* The file that a variable names, or the one in the home directory. */
static sv read_shared(struct gatherer *g, struct arena *a, sv variable, const char *in_home) {
    sv path = sources_get_env(g, a, variable);
    sv home = sources_get_env(g, a, SV("HOME"));
    sv text = {0};
    if (path.len == 0 && home.len > 0) {
        struct buf out = BUF(a);
        buf_append(&out, home);
        buf_append_cstr(&out, in_home);
        path = buf_get_sv(&out);
    }
    return path.len > 0 && files_read(a, AT_FDCWD, path, 0, FILE_MAX, &text) == FILE_READ_OK ? text : (sv){0};
}

static bool take_keys(struct sigv4_credentials *c, sv access_key, sv secret_key, sv session_token) {
    if (access_key.len == 0 || secret_key.len == 0) {
        return false;
    }
    *c = (struct sigv4_credentials){access_key, secret_key, session_token};
    return true;
}

static bool take_profile_keys(struct sigv4_credentials *c, sv text, sv section) {
    return take_keys(c, find_setting(text, section, SV("aws_access_key_id")),
                     find_setting(text, section, SV("aws_secret_access_key")),
                     find_setting(text, section, SV("aws_session_token")));
}

void aws_read_settings(struct gatherer *g, struct arena *a, struct aws_settings *result) {
    *result = (struct aws_settings){0};
    sv profile = get_first_env(g, a, SV("AWS_PROFILE"), SV("AWS_DEFAULT_PROFILE"));
    sv section = profile.len == 0 ? SV("default") : profile;
    bool is_default = sv_eq(section, SV("default"));
    sv in_config = is_default ? section : arena_printf(a, "profile %.*s", SV_ARG(section));
    sv shared = read_shared(g, a, SV("AWS_SHARED_CREDENTIALS_FILE"), "/.aws/credentials");
    sv config = read_shared(g, a, SV("AWS_CONFIG_FILE"), "/.aws/config");
    struct sigv4_credentials *c = &result->credentials;
    if (!take_keys(c, sources_get_env(g, a, SV("AWS_ACCESS_KEY_ID")),
                   sources_get_env(g, a, SV("AWS_SECRET_ACCESS_KEY")),
                   sources_get_env(g, a, SV("AWS_SESSION_TOKEN"))) &&
        !take_profile_keys(c, shared, section)) {
        take_profile_keys(c, config, in_config);
    }
    result->region = get_first_env(g, a, SV("AWS_REGION"), SV("AWS_DEFAULT_REGION"));
    if (result->region.len == 0) {
        result->region = find_setting(config, in_config, SV("region"));
    }
    if (result->region.len == 0) {
        result->region = find_setting(shared, section, SV("region"));
    }
    result->endpoint = get_first_env(g, a, SV("AWS_ENDPOINT_URL_S3"), SV("AWS_ENDPOINT_URL"));
}
