// The floor: what the same work costs in C with nothing around it. One epoll loop, one thread, plain text.
//
//     floor PORT echo                 every message goes back to its sender
//     floor PORT fanout               a publication goes to all subscribers, one send for each
//     floor PORT fanout-coalesced     the same, one send per connection and turn
//
// The fan-outs say what the hub says, byte for byte as far as a load can tell: the commands of the Centrifuge protocol
// in the spelling of varde-load, one channel, an offset counted on. A receiver that has other work to do with what comes
// is asleep at other times, and waking it is a good part of a send.
//
// It makes the calls that the hub makes - accept4, TCP_NODELAY, a level-triggered epoll with batches of 256, recv
// into one shared buffer, send with MSG_NOSIGNAL - and frames a message once for all. It keeps no history, checks no
// text, has no timers, pings and fragments, and gives up a connection that does not take all of a write: a floor
// that a server can stand on, not a server.
#define _GNU_SOURCE
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/evp.h>
#include <openssl/sha.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    READY_MAX = 256,
    INPUT_SIZE = 64 << 10,
    CONNECTIONS_MAX = 32768,
    // What a turn may queue; the longest burst of the load is far below.
    OUTPUT_SIZE = 16 << 20,
};

enum mode { ECHO, FANOUT, FANOUT_COALESCED };

struct connection {
    bool is_open;
    // The bytes of a request or of a frame whose end is not here yet.
    char *rest;
    uint32_t rest_length;
    // Its place in `subscribers`, -1 for none.
    int32_t place;
};

static struct connection connections[CONNECTIONS_MAX];
static int subscribers[CONNECTIONS_MAX];
static int subscriber_count;
static uint8_t input[INPUT_SIZE + INPUT_SIZE];
static uint8_t *output;
static size_t output_length;
// What a turn answers to the connection that it reads from.
static uint8_t replies[INPUT_SIZE * 2];
static size_t reply_length;
static unsigned long offset;
static enum mode mode;
static int epoll;

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static void end(int descriptor) {
    struct connection *connection = &connections[descriptor];
    if (connection->place >= 0) {
        int last = subscribers[--subscriber_count];
        subscribers[connection->place] = last;
        connections[last].place = connection->place;
    }
    free(connection->rest);
    memset(connection, 0, sizeof *connection);
    close(descriptor);
}

static void transmit(int descriptor, const void *bytes, size_t length) {
    if (send(descriptor, bytes, length, MSG_NOSIGNAL) == (ssize_t)length) return;
    // A reader that falls behind would falsify every figure.
    fprintf(stderr, "floor: a peer does not take %zu bytes: %s\n", length, strerror(errno));
    exit(1);
}

// RFC 6455 section 4.2.2, as far as a well-behaved client needs it.
static size_t upgrade(int descriptor, uint8_t *bytes, size_t length) {
    uint8_t *end_of_head = memmem(bytes, length, "\r\n\r\n", 4);
    if (!end_of_head) return 0;
    *end_of_head = 0;
    char *key = strcasestr((char *)bytes, "sec-websocket-key:");
    if (!key) {
        end(descriptor);
        return length;
    }
    key += strlen("sec-websocket-key:");
    key += strspn(key, " ");
    char text[128];
    int text_length = snprintf(
        text, sizeof text, "%.*s258EAFA5-E914-47DA-95CA-C5AB0DC85B11", (int)strcspn(key, "\r\n "), key);
    uint8_t digest[SHA_DIGEST_LENGTH];
    SHA1((uint8_t *)text, text_length, digest);
    char accept[64];
    EVP_EncodeBlock((uint8_t *)accept, digest, sizeof digest);
    char response[256];
    int response_length = snprintf(
        response, sizeof response,
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Accept: %s\r\n\r\n",
        accept);
    struct connection *connection = &connections[descriptor];
    connection->is_open = true;
    transmit(descriptor, response, response_length);
    return end_of_head + 4 - bytes;
}

static size_t append_header(uint8_t *to, uint8_t first, uint64_t length) {
    to[0] = first;
    if (length < 126) {
        to[1] = length;
        return 2;
    }
    if (length < 65536) {
        to[1] = 126;
        to[2] = length >> 8;
        to[3] = length;
        return 4;
    }
    to[1] = 127;
    for (int index = 0; index < 8; index++) to[2 + index] = length >> (8 * (7 - index));
    return 10;
}

static void append(uint8_t first, const void *payload, uint64_t length) {
    if (output_length + length + 10 > OUTPUT_SIZE) {
        fprintf(stderr, "floor: too much for one turn\n");
        exit(1);
    }
    output_length += append_header(output + output_length, first, length);
    memcpy(output + output_length, payload, length);
    output_length += length;
}

static void send_to_all(void) {
    for (int index = 0; index < subscriber_count; index++) transmit(subscribers[index], output, output_length);
    output_length = 0;
}

static void reply(const char *format, int id) {
    char text[256];
    int length = snprintf(text, sizeof text, format, id);
    if (reply_length + length + 10 > sizeof replies) {
        fprintf(stderr, "floor: too many commands for one turn\n");
        exit(1);
    }
    reply_length += append_header(replies + reply_length, 0x81, length);
    memcpy(replies + reply_length, text, length);
    reply_length += length;
}

// One command, {"id":1,"method":{…}}, of those that varde-load sends.
static void command(int descriptor, const char *line, size_t length) {
    static const char id_start[] = "{\"id\":", publish[] = "\"publish\":{", data_start[] = ",\"data\":";
    if (length < sizeof id_start || memcmp(line, id_start, sizeof id_start - 1) != 0) return;
    char *method;
    int id = strtol(line + sizeof id_start - 1, &method, 10);
    method++;
    const char *end_of_line = line + length;
    if (strncmp(method, "\"connect\"", 9) == 0) {
        reply("{\"id\":%d,\"connect\":{\"client\":\"floor\",\"version\":\"0\",\"ping\":25,\"pong\":true}}", id);
    } else if (strncmp(method, "\"subscribe\"", 11) == 0) {
        connections[descriptor].place = subscriber_count;
        subscribers[subscriber_count++] = descriptor;
        reply("{\"id\":%d,\"subscribe\":{\"epoch\":\"0\",\"offset\":0}}", id);
    } else if (strncmp(method, publish, sizeof publish - 1) == 0) {
        const char *parameters = method + sizeof publish - 1;
        const char *data = memmem(parameters, end_of_line - parameters, data_start, sizeof data_start - 1);
        if (!data) return;
        char push[INPUT_SIZE];
        // "channel":"…","data":… without the two braces that end the command.
        int push_length = snprintf(
            push, sizeof push, "{\"push\":{%.*s,\"pub\":{%.*s,\"offset\":%lu}}}", (int)(data - parameters), parameters,
            (int)(end_of_line - 2 - (data + 1)), data + 1, ++offset);
        append(0x81, push, push_length);
        if (mode == FANOUT) send_to_all();
        reply("{\"id\":%d,\"publish\":{}}", id);
    }
}

static void message(int descriptor, uint8_t first, const char *payload, size_t length) {
    if (mode == ECHO) return append(first, payload, length);
    while (length > 0) {
        const char *newline = memchr(payload, '\n', length);
        size_t line_length = newline ? (size_t)(newline - payload) : length;
        command(descriptor, payload, line_length);
        if (newline) line_length++;
        payload += line_length;
        length -= line_length;
    }
}

// Takes one frame; returns how many bytes it had, 0 when its end is not here.
static size_t take_frame(int descriptor, uint8_t *bytes, size_t length) {
    if (length < 2) return 0;
    uint64_t payload_length = bytes[1] & 127;
    size_t header_length = 6;
    if (payload_length == 126) {
        header_length = 8;
        if (length < header_length) return 0;
        payload_length = bytes[2] << 8 | bytes[3];
    } else if (payload_length == 127) {
        header_length = 14;
        if (length < header_length) return 0;
        payload_length = 0;
        for (int index = 0; index < 8; index++) payload_length = payload_length << 8 | bytes[2 + index];
    }
    if (length < header_length + payload_length) return 0;
    uint8_t *payload = bytes + header_length;
    uint8_t *key = payload - 4;
    for (uint64_t index = 0; index < payload_length; index++) payload[index] ^= key[index & 3];
    switch (bytes[0] & 15) {
    case 1:
    case 2:
        message(descriptor, bytes[0], (char *)payload, payload_length);
        break;
    case 8:
        end(descriptor);
        break;
    }
    return header_length + payload_length;
}

static void receive(int descriptor) {
    struct connection *connection = &connections[descriptor];
    size_t length = connection->rest_length;
    if (length > 0) memcpy(input, connection->rest, length);
    ssize_t count = recv(descriptor, input + length, INPUT_SIZE, 0);
    if (count <= 0) {
        if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
        return end(descriptor);
    }
    length += count;
    free(connection->rest);
    connection->rest = NULL;
    connection->rest_length = 0;
    size_t used = 0;
    output_length = 0;
    reply_length = 0;
    bool was_open = connection->is_open;
    while (used < length) {
        size_t taken = connection->is_open ? take_frame(descriptor, input + used, length - used)
                                           : upgrade(descriptor, input + used, length - used);
        if (taken == 0) break;
        used += taken;
        if (was_open && !connection->is_open) return;
        was_open = connection->is_open;
    }
    if (used < length) {
        if (length - used > INPUT_SIZE) {
            fprintf(stderr, "floor: a frame is too long\n");
            exit(1);
        }
        connection->rest_length = length - used;
        connection->rest = malloc(connection->rest_length);
        memcpy(connection->rest, input + used, connection->rest_length);
    }
    if (mode == ECHO) {
        if (output_length > 0) transmit(descriptor, output, output_length);
        return;
    }
    if (output_length > 0) send_to_all();
    if (reply_length > 0) transmit(descriptor, replies, reply_length);
}

static void accept_all(int listener) {
    for (;;) {
        int descriptor = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (descriptor < 0) return;
        if (descriptor >= CONNECTIONS_MAX) {
            close(descriptor);
            continue;
        }
        int one = 1;
        setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        connections[descriptor] = (struct connection){.place = -1};
        struct epoll_event event = {.events = EPOLLIN, .data.fd = descriptor};
        if (epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) < 0) fail("epoll_ctl");
    }
}

int main(int count, char **arguments) {
    const char *names[] = {"echo", "fanout", "fanout-coalesced"};
    int named = -1;
    for (int index = 0; count == 3 && index < 3; index++)
        if (strcmp(arguments[2], names[index]) == 0) named = index;
    if (named < 0) {
        fprintf(stderr, "usage: floor PORT echo|fanout|fanout-coalesced\n");
        return 2;
    }
    mode = named;
    signal(SIGPIPE, SIG_IGN);
    output = malloc(OUTPUT_SIZE);
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    int one = 1;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    struct sockaddr_in address = {
        .sin_family = AF_INET,
        .sin_port = htons(atoi(arguments[1])),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
    };
    if (bind(listener, (struct sockaddr *)&address, sizeof address) < 0) fail("bind");
    if (listen(listener, 4096) < 0) fail("listen");
    epoll = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = listener};
    if (epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &event) < 0) fail("epoll_ctl");
    static struct epoll_event events[READY_MAX];
    for (;;) {
        int ready = epoll_wait(epoll, events, READY_MAX, -1);
        for (int index = 0; index < ready; index++) {
            if (events[index].data.fd == listener) accept_all(listener);
            else receive(events[index].data.fd);
        }
    }
}
