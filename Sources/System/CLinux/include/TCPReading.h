#ifndef VARDE_TCP_READING_H
#define VARDE_TCP_READING_H

#include <stdint.h>

// How far the peer of a TCP socket has read, as far as the kernel knows.
struct varde_tcp_reading {
    // The bytes that it has acknowledged, and the room that it offers behind them: the end of its window. Its kernel
    // acknowledges what it has not read, but moves the end only when it reads.
    uint64_t window_end;
    // The bytes that it has not acknowledged, with those that are not sent.
    uint64_t unacknowledged;
};

// Returns 0, or -1 if the socket is not one of TCP. Without its window, which kernels before 5.4 do not report, the end
// is that of the acknowledged bytes.
int varde_tcp_reading(int socket, struct varde_tcp_reading *reading);

#endif
