/*
 * Replays fuzz corpora without libFuzzer: each file named on the command line, and each file below each directory
 * named there, goes once through LLVMFuzzerTestOneInput. Prints TAP, one case per file; the sanitizers do the judging.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct replay {
    int count;
    int failed;
};

static uint8_t *read_file(const char *path, size_t size) {
    FILE *in = fopen(path, "rb");
    /* malloc of exactly the size lets ASan see reads past the end; one byte for the empty file. */
    uint8_t *data = in ? malloc(size ? size : 1) : NULL;
    if (data && fread(data, 1, size, in) != size) {
        free(data);
        data = NULL;
    }
    if (in)
        fclose(in);
    return data;
}

static void replay_file(struct replay *replay, const char *path, size_t size) {
    uint8_t *data = read_file(path, size);
    replay->count++;
    if (!data) {
        replay->failed++;
        printf("not ok %d - %s\n", replay->count, path);
        return;
    }
    LLVMFuzzerTestOneInput(data, size);
    free(data);
    printf("ok %d - %s\n", replay->count, path);
    fflush(stdout);
}

static int by_name(const struct dirent **a, const struct dirent **b) {
    return strcmp((*a)->d_name, (*b)->d_name);
}

static void replay_directory(struct replay *replay, const char *path);

static void replay_path(struct replay *replay, const char *path) {
    struct stat info;
    if (stat(path, &info) != 0) {
        replay->count++;
        replay->failed++;
        printf("not ok %d - %s is missing\n", replay->count, path);
    } else if (S_ISDIR(info.st_mode)) {
        replay_directory(replay, path);
    } else {
        replay_file(replay, path, (size_t)info.st_size);
    }
}

static void replay_directory(struct replay *replay, const char *path) {
    struct dirent **entries = NULL;
    int count = scandir(path, &entries, NULL, by_name);
    for (int i = 0; i < count; i++) {
        char child[4096];
        int length = snprintf(child, sizeof child, "%s/%s", path, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.' && length > 0 && (size_t)length < sizeof child)
            replay_path(replay, child);
        free(entries[i]);
    }
    free(entries);
}

int main(int argc, char **argv) {
    struct replay replay = {0};
    for (int i = 1; i < argc; i++)
        replay_path(&replay, argv[i]);
    printf("1..%d\n", replay.count);
    return replay.failed > 0 || replay.count == 0;
}
