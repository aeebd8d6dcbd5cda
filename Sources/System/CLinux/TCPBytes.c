// A file of its own: linux/tcp.h, which has the later fields of tcp_info, cannot be included with netinet/tcp.h.
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "TCPReading.h"

int64_t varde_tcp_bytes_sent(int socket) {
    struct tcp_info info;
    socklen_t length = sizeof info;
    // IPPROTO_TCP, which netinet/in.h declares.
    if (getsockopt(socket, 6, TCP_INFO, &info, &length) != 0) return -1;
    if (length < offsetof(struct tcp_info, tcpi_bytes_retrans) + sizeof info.tcpi_bytes_retrans) return -1;
    return (int64_t)(info.tcpi_bytes_sent - info.tcpi_bytes_retrans);
}

int varde_tcp_reading(int socket, struct varde_tcp_reading *reading) {
    struct tcp_info info;
    socklen_t length = sizeof info;
    int unacknowledged = 0;
    if (getsockopt(socket, 6, TCP_INFO, &info, &length) != 0) return -1;
    if (length < offsetof(struct tcp_info, tcpi_bytes_acked) + sizeof info.tcpi_bytes_acked) return -1;
    if (ioctl(socket, SIOCOUTQ, &unacknowledged) != 0) return -1;
    reading->window_end = info.tcpi_bytes_acked;
    if (length >= offsetof(struct tcp_info, tcpi_snd_wnd) + sizeof info.tcpi_snd_wnd)
        reading->window_end += info.tcpi_snd_wnd;
    reading->unacknowledged = (uint64_t)unacknowledged;
    return 0;
}
