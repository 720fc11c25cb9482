/* The one table of exit codes (CLI-033). */
#include "apps/cli/cli.h"

const enum exit_code exit_codes[] = {EXIT_OK,          EXIT_FAILED,   EXIT_CHANGES, EXIT_DRIFT,
                                     EXIT_INVALID,     EXIT_USAGE,    EXIT_LOCKED,  EXIT_STALE,
                                     EXIT_ROLLED_BACK, EXIT_PART_WAY, EXIT_SIGINT,  EXIT_SIGTERM};
const size_t exit_code_count = sizeof exit_codes / sizeof *exit_codes;

sv exit_code_get_meaning(enum exit_code code) {
    switch (code) {
    case EXIT_OK:
        return SV("done, or no change");
    case EXIT_FAILED:
        return SV("failed");
    case EXIT_CHANGES:
        return SV("there are changes (with --detailed-exitcode or fmt --check)");
    case EXIT_DRIFT:
        return SV("drift found");
    case EXIT_INVALID:
        return SV("invalid input");
    case EXIT_USAGE:
        return SV("wrong usage, or no consent");
    case EXIT_LOCKED:
        return SV("locked by another run, or lease lost");
    case EXIT_STALE:
        return SV("the plan is stale");
    case EXIT_ROLLED_BACK:
        return SV("failed and rolled back");
    case EXIT_PART_WAY:
        return SV("failed part way; the state is true");
    case EXIT_SIGINT:
        return SV("ended by SIGINT");
    case EXIT_SIGTERM:
        return SV("ended by SIGTERM");
    }
    return SV("");
}
