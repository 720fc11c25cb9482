/* Arenas: memory that goes all at once.
 *
 * Invariants: a zero-initialised arena is valid and empty; allocation never returns NULL (running out of memory aborts
 * the process, see below); memory is zeroed and aligned for every type of its size (16 bytes when the
 * size is a multiple of 16, else 8); nothing is freed singly. Cleanups run in reverse order
 * of registration when the arena goes. One arena belongs to one thread at a time.
 *
 * With -Darena_debug=true each object is a malloc of its own, so that sanitizers see every overrun. */
#ifndef LINTEL_BASE_ARENA_H
#define LINTEL_BASE_ARENA_H

#include "base/sv.h"

#include <stdarg.h>
#include <stdint.h>

struct arena_block;
struct arena_cleanup;

struct arena {
    struct arena_block *blocks; /* newest first */
    struct arena_cleanup *cleanups;
    char *next, *end;   /* free part of the newest block */
    size_t total;       /* bytes taken from the system */
    uint64_t hash_seed; /* for the maps that live here; 0 until first asked for */
    bool secret;        /* cleared with explicit_bzero when it goes (LC-053) */
};

/* The part of arena_alloc that takes a new block. */
void *arena_alloc_slow(struct arena *a, size_t size);

/* Zeroed memory for `size` bytes. Aborts with one line on standard error when the system has none. */
static inline void *arena_alloc(struct arena *a, size_t size) {
#ifndef LINTEL_ARENA_DEBUG
    size_t align = size % 16 == 0 ? 16 : 8;
    size_t padding = (size_t)(-(uintptr_t)a->next) & (align - 1);
    size_t room = (size_t)((uintptr_t)a->end - (uintptr_t)a->next);
    /* size 0 wraps and takes the slow way, as does the empty arena */
    if (padding <= room && size - 1 < room - padding) {
        char *object = a->next + padding;
        a->next = object + size;
        return object;
    }
#endif
    return arena_alloc_slow(a, size);
}

/* The same for `count` objects; aborts when the product overflows. */
void *arena_alloc_array(struct arena *a, size_t count, size_t size);
/* Grows an array from `old_count` to `new_count` objects, in place when it is the newest object. Returns where it is
 * now; the new objects are zeroed. `old` may be NULL with `old_count` 0. The old place must not be used any more. */
void *arena_grow_array(struct arena *a, void *old, size_t old_count, size_t new_count, size_t size);
#define ARENA_NEW(a, T)      ((T *)arena_alloc((a), sizeof(T)))
#define ARENA_ARRAY(a, T, n) ((T *)arena_alloc_array((a), (n), sizeof(T)))

/* A copy that lives in `a`, with a NUL behind its last byte that is not counted. */
sv arena_copy_sv(struct arena *a, sv text);
char *arena_copy_cstr(struct arena *a, sv text);
/* Formatted text that lives in `a`. Never a format from user text. */
sv arena_printf(struct arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
sv arena_vprintf(struct arena *a, const char *format, va_list args) __attribute__((format(printf, 2, 0)));

/* `fn(object)` runs when the arena goes. */
void arena_add_cleanup(struct arena *a, void (*fn)(void *object), void *object);
/* Random per arena, so that nobody outside can foresee hash collisions. Never 0. */
uint64_t arena_get_hash_seed(struct arena *a);
/* Runs the cleanups and frees everything; the arena is empty and usable again. */
void arena_fini(struct arena *a);

#endif
