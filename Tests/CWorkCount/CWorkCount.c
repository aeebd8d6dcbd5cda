#include "CWorkCount.h"

#include <errno.h>
#include <stddef.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define IS_SANITIZED 1
#endif
#endif

static __thread int is_measured;
static __thread struct varde_work work;

void varde_work_begin(void) {
    work = (struct varde_work){0, 0};
    is_measured = 1;
}

struct varde_work varde_work_end(void) {
    is_measured = 0;
    return work;
}

#ifdef IS_SANITIZED

int varde_work_is_counted(void) { return 0; }

#else

int varde_work_is_counted(void) { return 1; }

// The functions of glibc behind those that a program may replace: "Replacing malloc" in its manual.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static void count(size_t size) {
    if (!is_measured) return;
    work.allocations += 1;
    work.bytes += size;
}

void *malloc(size_t size) {
    count(size);
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    count(number * size);
    return __libc_calloc(number, size);
}

void *realloc(void *block, size_t size) {
    count(size);
    return __libc_realloc(block, size);
}

void *memalign(size_t alignment, size_t size) {
    count(size);
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **block, size_t alignment, size_t size) {
    void *found = memalign(alignment, size);
    if (found == NULL) return ENOMEM;
    *block = found;
    return 0;
}

#endif
