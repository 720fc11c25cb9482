#include "apps/cli/session.h"

#include <unistd.h>

bool secrecy_choose(struct cli *c, enum secrecy *secrecy) {
    *secrecy = REDACT;
    if (!settings_get_flag(c, "show-sensitive"))
        return true;
    if (isatty(STDOUT_FILENO) != 1 && !settings_get_flag(c, "yes-i-mean-it")) {
        output_usage_error(c, "'--show-sensitive' needs a terminal or --yes-i-mean-it");
        return false;
    }
    *secrecy = REVEAL;
    return true;
}
