#define _GNU_SOURCE
#include "SendRing.h"

#include <errno.h>
#include <linux/io_uring.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

// Whether the kernel has the operation.
static int can_send(int descriptor) {
    enum { operations = IORING_OP_SEND + 1 };
    size_t size = sizeof(struct io_uring_probe) + operations * sizeof(struct io_uring_probe_op);
    struct io_uring_probe *probe = calloc(1, size);
    if (!probe) return 0;
    int result = (int)syscall(SYS_io_uring_register, descriptor, IORING_REGISTER_PROBE, probe, operations);
    int can = result >= 0 && probe->last_op >= IORING_OP_SEND &&
              (probe->ops[IORING_OP_SEND].flags & IO_URING_OP_SUPPORTED);
    free(probe);
    return can;
}

struct varde_send_ring *varde_send_ring_open(uint32_t entries) {
    struct varde_send_ring *ring = calloc(1, sizeof *ring);
    if (!ring) return NULL;
    struct io_uring_params params = {0};
    ring->descriptor = (int)syscall(SYS_io_uring_setup, entries, &params);
    if (ring->descriptor < 0) {
        free(ring);
        return NULL;
    }
    // The first: both rings are in one mapping. The second: completions are not dropped.
    uint32_t features = IORING_FEAT_SINGLE_MMAP | IORING_FEAT_NODROP;
    if ((params.features & features) != features || !can_send(ring->descriptor)) {
        varde_send_ring_close(ring);
        errno = ENOSYS;
        return NULL;
    }
    size_t sq_size = params.sq_off.array + params.sq_entries * sizeof(uint32_t);
    size_t cq_size = params.cq_off.cqes + params.cq_entries * sizeof(struct io_uring_cqe);
    ring->rings_size = sq_size > cq_size ? sq_size : cq_size;
    ring->sqes_size = params.sq_entries * sizeof(struct io_uring_sqe);
    int protection = PROT_READ | PROT_WRITE, flags = MAP_SHARED | MAP_POPULATE;
    char *rings = mmap(NULL, ring->rings_size, protection, flags, ring->descriptor, IORING_OFF_SQ_RING);
    void *sqes = mmap(NULL, ring->sqes_size, protection, flags, ring->descriptor, IORING_OFF_SQES);
    ring->rings = rings == MAP_FAILED ? NULL : rings;
    ring->sqes = sqes == MAP_FAILED ? NULL : sqes;
    if (!ring->rings || !ring->sqes) {
        int error = errno;
        varde_send_ring_close(ring);
        errno = error;
        return NULL;
    }
    ring->sq_tail = (uint32_t *)(rings + params.sq_off.tail);
    ring->sq_mask = *(uint32_t *)(rings + params.sq_off.ring_mask);
    ring->cq_head = (uint32_t *)(rings + params.cq_off.head);
    ring->cq_tail = (uint32_t *)(rings + params.cq_off.tail);
    ring->cq_mask = *(uint32_t *)(rings + params.cq_off.ring_mask);
    ring->cqes = (struct io_uring_cqe *)(rings + params.cq_off.cqes);
    // All are sends, in the order of their places.
    uint32_t *places = (uint32_t *)(rings + params.sq_off.array);
    for (uint32_t place = 0; place < params.sq_entries; place++) {
        places[place] = place;
        ring->sqes[place].opcode = IORING_OP_SEND;
        // With MSG_DONTWAIT, the operation ends within io_uring_enter: it is never left to a thread of the kernel.
        ring->sqes[place].msg_flags = MSG_NOSIGNAL | MSG_DONTWAIT;
    }
    return ring;
}

void varde_send_ring_close(struct varde_send_ring *ring) {
    if (ring->sqes) munmap(ring->sqes, ring->sqes_size);
    if (ring->rings) munmap(ring->rings, ring->rings_size);
    close(ring->descriptor);
    free(ring);
}

static uint32_t completed(struct varde_send_ring *ring) {
    return __atomic_load_n(ring->cq_tail, __ATOMIC_ACQUIRE) - *ring->cq_head;
}

static int submit(struct varde_send_ring *ring) {
    __atomic_store_n(ring->sq_tail, *ring->sq_tail + ring->added, __ATOMIC_RELEASE);
    ring->submitted += ring->added;
    uint32_t left = ring->added;
    ring->added = 0;
    while (left > 0 || completed(ring) < ring->submitted) {
        uint32_t missing = ring->submitted - completed(ring);
        int result = (int)syscall(
            SYS_io_uring_enter, ring->descriptor, left, missing, IORING_ENTER_GETEVENTS, NULL, 0
        );
        if (result >= 0) {
            left -= (uint32_t)result;
        } else if (errno != EINTR) {
            return -1;
        }
    }
    return 0;
}

int varde_send_ring_submit(struct varde_send_ring *ring, int32_t *results) {
    int result = submit(ring);
    uint32_t count = completed(ring), head = *ring->cq_head;
    for (uint32_t index = 0; index < count; index++) {
        const struct io_uring_cqe *cqe = &ring->cqes[(head + index) & ring->cq_mask];
        results[cqe->user_data] = cqe->res;
    }
    __atomic_store_n(ring->cq_head, head + count, __ATOMIC_RELEASE);
    ring->submitted -= count;
    return result;
}
