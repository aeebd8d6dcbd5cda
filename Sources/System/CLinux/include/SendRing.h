#ifndef VARDE_SEND_RING_H
#define VARDE_SEND_RING_H

// A ring of io_uring(7) that sends on many sockets with one system call. In C, because the structures of the kernel
// have unnamed unions, and its counters need loads and stores with memory order.

#include <linux/io_uring.h>
#include <stddef.h>
#include <stdint.h>

struct varde_send_ring {
    int descriptor;
    // Added, and not submitted.
    uint32_t added;
    // Submitted, and not completed.
    uint32_t submitted;
    void *rings;
    size_t rings_size;
    struct io_uring_sqe *sqes;
    size_t sqes_size;
    uint32_t *sq_tail, sq_mask;
    uint32_t *cq_head, *cq_tail, cq_mask;
    struct io_uring_cqe *cqes;
};

// Returns NULL with errno if the kernel has no io_uring, does not permit it, or cannot send with it.
struct varde_send_ring *varde_send_ring_open(uint32_t entries);
void varde_send_ring_close(struct varde_send_ring *ring);

// Adds a send without blocking. At most `entries` can be added before they are submitted. The bytes must stay until then.
static inline void varde_send_ring_add(struct varde_send_ring *ring, int socket, const void *bytes, uint32_t count) {
    // Only this thread writes the tail.
    struct io_uring_sqe *sqe = &ring->sqes[(*ring->sq_tail + ring->added) & ring->sq_mask];
    // The other fields are set once, and the kernel only reads them.
    sqe->fd = socket;
    sqe->addr = (uint64_t)(uintptr_t)bytes;
    sqe->len = count;
    sqe->user_data = ring->added;
    ring->added += 1;
}

// Submits what was added, and waits until all of it has completed. Returns 0, or -1 with errno.
//
// `results` gets the result of each send at the number of those added before it: that of send(2), with the negative
// errno in place of -1. The result of a send that the kernel has refused stays as it was.
int varde_send_ring_submit(struct varde_send_ring *ring, int32_t *results);

#endif
