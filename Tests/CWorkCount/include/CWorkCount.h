#ifndef VARDE_WORK_COUNT_H
#define VARDE_WORK_COUNT_H

// Counts the allocations of the calling thread. In C, because the functions that count take the place of malloc, and
// because Swift has no variables of a thread.

#include <stdint.h>

struct varde_work {
    uint64_t allocations;
    uint64_t bytes;
};

// Returns 0 if allocations are not counted: a sanitizer has taken the place of malloc.
int varde_work_is_counted(void);
void varde_work_begin(void);
struct varde_work varde_work_end(void);

#endif
