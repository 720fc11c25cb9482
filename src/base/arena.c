#include "base/arena.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#if defined(LINTEL_ARENA_DEBUG) && defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#elif defined(LINTEL_ARENA_DEBUG)
#define ASAN_POISON_MEMORY_REGION(address, size)   ((void)(address), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
#endif

enum {
    BLOCK_FIRST = 4 * 1024, /* most arenas are scratch for one small thing, and a new block is zeroed */
    BLOCK_MAX = 1024 * 1024,
    /* An object of this size or more gets a block of its own, so that it wastes no free part and can be moved by
       realloc. */
    OBJECT_BIG = 128 * 1024,
};

/* In front of each block's bytes; in debug mode the bytes are an allocation of their own. */
struct arena_block {
    struct arena_block *older;
    char *data;
    size_t size;
    bool is_single; /* holds one object */
};

struct arena_cleanup {
    struct arena_cleanup *older;
    void (*fn)(void *object);
    void *object;
};

_Static_assert(sizeof(struct arena_block) % 16 == 0, "a block's bytes follow its header, aligned for every type");

static _Noreturn void die(const char *why) {
    ssize_t ignored = write(STDERR_FILENO, why, strlen(why));
    (void)ignored;
    abort();
}

static _Noreturn void die_out_of_memory(void) {
    die("lintel: out of memory\n");
}

static size_t check_product(size_t count, size_t size) {
    size_t product;
    if (__builtin_mul_overflow(count, size, &product)) {
        die("lintel: an array is larger than the address space\n");
    }
    return product;
}

#ifdef LINTEL_ARENA_DEBUG
static struct arena_block *block_open(size_t size) {
    struct arena_block *block = malloc(sizeof *block);
    char *data = calloc(1, size);
    if (block == NULL || data == NULL) {
        die_out_of_memory();
    }
    *block = (struct arena_block){.data = data, .size = size};
    return block;
}

static void block_close(struct arena_block *block, bool secret) {
    ASAN_UNPOISON_MEMORY_REGION(block->data, block->size);
    if (secret) {
        explicit_bzero(block->data, block->size);
    }
    free(block->data);
    free(block);
}
#else
static struct arena_block *block_open(size_t size) {
    size_t total;
    if (__builtin_add_overflow(size, sizeof(struct arena_block), &total)) {
        die_out_of_memory();
    }
    struct arena_block *block = calloc(1, total);
    if (block == NULL) {
        die_out_of_memory();
    }
    block->data = (char *)(block + 1);
    block->size = size;
    return block;
}

static void block_close(struct arena_block *block, bool secret) {
    if (secret) {
        explicit_bzero(block->data, block->size);
    }
    free(block);
}
#endif

static void arena_push_block(struct arena *a, struct arena_block *block) {
    block->older = a->blocks;
    a->blocks = block;
    a->total += block->size + sizeof *block;
}

/* A block for one object; the free part of the current block stays in use. */
static void *arena_alloc_single(struct arena *a, size_t size) {
    struct arena_block *block = block_open(size);
    block->is_single = true;
    arena_push_block(a, block);
    return block->data;
}

void *arena_alloc_slow(struct arena *a, size_t size) {
    if (size == 0) {
        return arena_alloc(a, 1); /* the block under way may have room for it */
    }
#ifdef LINTEL_ARENA_DEBUG
    return arena_alloc_single(a, size);
#else
    if (size >= OBJECT_BIG) {
        return arena_alloc_single(a, size);
    }
    size_t block_size = BLOCK_FIRST;
    while (block_size < BLOCK_MAX && (block_size <= a->total || block_size < size + 16)) {
        block_size *= 2;
    }
    struct arena_block *block = block_open(block_size);
    arena_push_block(a, block);
    a->next = block->data + size;
    a->end = block->data + block->size;
    return block->data;
#endif
}

void *arena_alloc_array(struct arena *a, size_t count, size_t size) {
    return arena_alloc(a, check_product(count, size));
}

#ifndef LINTEL_ARENA_DEBUG
/* Where the pointer to the block that holds `object` alone is kept, or NULL. */
static struct arena_block **arena_find_single(struct arena *a, const char *object) {
    for (struct arena_block **at = &a->blocks; *at != NULL; at = &(*at)->older) {
        if ((*at)->is_single && (*at)->data == object) {
            return at;
        }
    }
    return NULL;
}

/* Moves a block of one object; the system can often do that without copying. */
static void *arena_resize_single(struct arena *a, struct arena_block **at, size_t new_size) {
    size_t old_size = (*at)->size;
    size_t total;
    if (__builtin_add_overflow(new_size, sizeof(struct arena_block), &total)) {
        die_out_of_memory();
    }
    struct arena_block *block = realloc(*at, total);
    if (block == NULL) {
        die_out_of_memory();
    }
    block->data = (char *)(block + 1);
    block->size = new_size;
    memset(block->data + old_size, 0, new_size - old_size);
    *at = block;
    a->total += new_size - old_size;
    return block->data;
}

/* The array at its new size without a copy of ours, or NULL. */
static void *arena_grow_in_place(struct arena *a, char *old, size_t old_size, size_t new_size) {
    if (old + old_size == a->next && new_size - old_size <= (size_t)(a->end - a->next) && new_size < OBJECT_BIG) {
        a->next += new_size - old_size;
        return old;
    }
    if (old_size >= OBJECT_BIG && !a->secret) { /* realloc would leave secrets behind */
        struct arena_block **at = arena_find_single(a, old);
        if (at != NULL && (*at)->size <= new_size) {
            return arena_resize_single(a, at, new_size);
        }
    }
    return NULL;
}
#endif

void *arena_grow_array(struct arena *a, void *old, size_t old_count, size_t new_count, size_t size) {
    assert(old_count <= new_count);
    size_t old_size = check_product(old_count, size);
    size_t new_size = check_product(new_count, size);
    if (old == NULL || old_size == 0) {
        return arena_alloc(a, new_size);
    }
    if (old_size == new_size) {
        return old;
    }
#ifndef LINTEL_ARENA_DEBUG
    void *grown = arena_grow_in_place(a, old, old_size, new_size);
    if (grown != NULL) {
        return grown;
    }
#endif
    void *moved = arena_alloc(a, new_size);
    memcpy(moved, old, old_size);
#ifdef LINTEL_ARENA_DEBUG
    ASAN_POISON_MEMORY_REGION(old, old_size);
#endif
    return moved;
}

/* Text needs no alignment: it takes exactly its bytes. */
static char *arena_alloc_text(struct arena *a, size_t size) {
#ifndef LINTEL_ARENA_DEBUG
    if (size - 1 < (size_t)(a->end - a->next)) {
        char *text = a->next;
        a->next += size;
        return text;
    }
#endif
    return arena_alloc_slow(a, size);
}

char *arena_copy_cstr(struct arena *a, sv text) {
    if (text.len == SIZE_MAX) {
        die_out_of_memory();
    }
    char *copy = arena_alloc_text(a, text.len + 1);
    if (text.len > 0) {
        memcpy(copy, text.data, text.len);
    }
    return copy; /* the memory is zeroed: the NUL is there */
}

sv arena_copy_sv(struct arena *a, sv text) {
    return sv_make(arena_copy_cstr(a, text), text.len);
}

sv arena_printf(struct arena *a, const char *format, ...) {
    va_list args;
    va_start(args, format);
    sv text = arena_vprintf(a, format, args);
    va_end(args);
    return text;
}

sv arena_vprintf(struct arena *a, const char *format, va_list args) {
    char small[256];
    va_list again;
    va_copy(again, args);
    int len = vsnprintf(small, sizeof small, format, args);
    assert(len >= 0);
    size_t size = (size_t)len + 1;
    char *text = arena_alloc_text(a, size);
    if (size <= sizeof small) {
        memcpy(text, small, size);
    } else {
        (void)vsnprintf(text, size, format, again);
    }
    va_end(again);
    if (a->secret) {
        explicit_bzero(small, sizeof small);
    }
    return sv_make(text, (size_t)len);
}

void arena_add_cleanup(struct arena *a, void (*fn)(void *object), void *object) {
    struct arena_cleanup *cleanup = ARENA_NEW(a, struct arena_cleanup);
    *cleanup = (struct arena_cleanup){.older = a->cleanups, .fn = fn, .object = object};
    a->cleanups = cleanup;
}

uint64_t arena_get_hash_seed(struct arena *a) {
    if (a->hash_seed == 0 && getrandom(&a->hash_seed, sizeof a->hash_seed, GRND_NONBLOCK) != sizeof a->hash_seed) {
        /* Early boot or a kernel without getrandom: less secret, still different from run to run. */
        struct timespec now = {0};
        (void)clock_gettime(CLOCK_MONOTONIC, &now);
        a->hash_seed = (uint64_t)now.tv_nsec * UINT64_C(0x9E3779B97F4A7C15) ^ (uint64_t)(uintptr_t)a;
    }
    a->hash_seed += a->hash_seed == 0;
    return a->hash_seed;
}

void arena_fini(struct arena *a) {
    /* A cleanup may still allocate, even register another one. */
    while (a->cleanups != NULL) {
        struct arena_cleanup *cleanup = a->cleanups;
        a->cleanups = cleanup->older;
        cleanup->fn(cleanup->object);
    }
    for (struct arena_block *block = a->blocks; block != NULL;) {
        struct arena_block *older = block->older;
        block_close(block, a->secret);
        block = older;
    }
    *a = (struct arena){.secret = a->secret};
}
