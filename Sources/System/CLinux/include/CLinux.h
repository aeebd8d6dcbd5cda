// What Glibc's Swift module lacks: epoll, eventfd, mallopt and the feature-guarded accept4.
#ifndef VARDE_CLINUX_H
#define VARDE_CLINUX_H

#include <malloc.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "SendRing.h"
#include "TCPReading.h"

// accept4 needs _GNU_SOURCE, under which glibc declares its address parameter as a transparent union
// that Swift cannot pass; the peer's address is asked for with getpeername where it is wanted.
int varde_accept(int listener);

// Names the calling thread, at most 15 bytes; pthread_setname_np needs _GNU_SOURCE too.
void varde_name_thread(const char *name);

// Unmaps the pages of the program's code and constants; those that are used again come back from the page cache.
// dl_iterate_phdr needs _GNU_SOURCE, and its callback reads C structures of varying size.
void varde_forget_program_pages(void);

// The bytes that the kernel has sent on a socket, without repetitions; -1 if the socket is not one of TCP, or the kernel
// is older than 4.19. glibc's tcp_info lacks the fields.
int64_t varde_tcp_bytes_sent(int socket);

#endif
