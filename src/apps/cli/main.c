#include "apps/cli/cli.h"

#include <signal.h>

/* How many SIGINT and SIGTERM have come; the sign tells which came last: handlers can reach nothing but a global. */
static atomic_int signal_count;

static void count_signal(int number) {
    (void)number;
    atomic_fetch_add(&signal_count, 1);
}

int main(int argc, char **argv) {
    struct sigaction action = {.sa_handler = count_signal};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    signal(SIGPIPE, SIG_IGN); /* a closed pipe loses output, never a deployment */
    signal(SIGXFSZ, SIG_IGN); /* a file size limit is an error of the write */
    return cli_run(argc, (const char *const *)argv, &signal_count);
}
