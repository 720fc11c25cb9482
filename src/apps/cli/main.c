#include "apps/cli/cli.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

/* A signal handler can reach nothing but a global. */
static struct cli_signals signals;

static void note_signal(int number) {
    atomic_store(&signals.last, number);
    atomic_fetch_add(&signals.count, 1);
}

/* A descriptor 0, 1 or 2 that is closed would be given to the next file opened, and output would go into it. Writing to
 * what stands in for it fails as it does on a closed one. */
static void fill_closed_descriptors(void) {
    for (int fd = 0; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) >= 0)
            continue;
        int filled = open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY); /* gets the lowest free number */
        if (filled != fd)
            _exit(EXIT_FAILED);
    }
}

int main(int argc, char **argv) {
    fill_closed_descriptors();
    struct sigaction action = {.sa_handler = note_signal};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    signal(SIGPIPE, SIG_IGN); /* a closed pipe loses output, never a deployment */
    signal(SIGXFSZ, SIG_IGN); /* a file size limit is an error of the write */
    return cli_run(argc, (const char *const *)argv, &signals);
}
