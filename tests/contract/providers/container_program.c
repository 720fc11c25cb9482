/* What runs in the containers of tests, alone: an HTTP server. "/env/NAME" gives a variable, "/file/PATH" a file, all
 * else a greeting. With the argument "check" it asks itself, with "fail" it ends at once. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PORT = 8080, TEXT_MAX = 4096 };

static void on_end(int number) {
    _exit(number == SIGTERM ? 0 : 1);
}

static struct sockaddr_in make_address(uint32_t host) {
    return (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(PORT), .sin_addr.s_addr = htonl(host)};
}

static int check(void) {
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = make_address(INADDR_LOOPBACK);
    return connect(fd, (struct sockaddr *)&address, sizeof address) == 0 ? 0 : 1;
}

static size_t read_file(const char *path, char *text) {
    int fd = open(path, O_RDONLY);
    ssize_t len = fd < 0 ? -1 : read(fd, text, TEXT_MAX);
    close(fd);
    return len < 0 ? 0 : (size_t)len;
}

static size_t make_answer(char *request, char *text) {
    char *path = strchr(request, '/');
    char *end = path == NULL ? NULL : strchr(path, ' ');
    if (end != NULL) {
        *end = 0;
    }
    if (end != NULL && strncmp(path, "/env/", 5) == 0) {
        const char *found = getenv(path + 5);
        return (size_t)snprintf(text, TEXT_MAX, "%s", found == NULL ? "(none)" : found);
    }
    if (end != NULL && strncmp(path, "/file/", 6) == 0) {
        return read_file(path + 5, text);
    }
    return (size_t)snprintf(text, TEXT_MAX, "hello\n");
}

static void answer(int fd) {
    static const char head[] = "HTTP/1.0 200 OK\r\nConnection: close\r\n\r\n";
    char request[TEXT_MAX], text[TEXT_MAX];
    ssize_t len = read(fd, request, sizeof request - 1);
    if (len > 0) {
        request[len] = 0;
        size_t size = make_answer(request, text);
        if (write(fd, head, sizeof head - 1) < 0 || write(fd, text, size < TEXT_MAX ? size : TEXT_MAX) < 0) {
            perror("write");
        }
    }
    close(fd);
}

int main(int argc, char **argv) {
    signal(SIGTERM, on_end);
    signal(SIGPIPE, SIG_IGN);
    if (argc > 1 && strcmp(argv[1], "check") == 0) {
        return check();
    }
    if (argc > 1 && strcmp(argv[1], "fail") == 0) {
        fprintf(stderr, "the shelves are empty\n");
        return 3;
    }
    int listener = socket(AF_INET, SOCK_STREAM, 0), on = 1;
    struct sockaddr_in address = make_address(INADDR_ANY);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 16) != 0) {
        return 1;
    }
    for (;;) {
        int fd = accept(listener, NULL, NULL);
        if (fd >= 0) {
            answer(fd);
        }
    }
}
