import Glibc

/// A connected TCP socket that never waits longer than `patience`.
///
/// It reads while it writes: an echo of 16 MiB does not fit into the buffers on the way, and two
/// ends that only write would wait for each other for ever.
struct TCPStream: ~Copyable {
    private let descriptor: Int32
    /// What was read while something was written.
    private var arrived: [UInt8] = []
    private var hasEnded = false
    private var buffer = [UInt8](repeating: 0, count: 1 << 16)

    /// A server that is silent for so long has hung.
    private static let patienceMilliseconds: Int32 = 10_000

    private init(connected descriptor: Int32) {
        self.descriptor = descriptor
    }

    static func connect(host: String, port: UInt16) throws(TCPError) -> TCPStream {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), &hints, &list) == 0, let address = list?.pointee
        else { throw TCPError("\(host) has no address") }
        defer { freeaddrinfo(list) }
        let descriptor = socket(address.ai_family, address.ai_socktype, 0)
        guard descriptor >= 0 else { throw TCPError(call: "socket") }
        guard Glibc.connect(descriptor, address.ai_addr, address.ai_addrlen) == 0 else {
            let error = TCPError(call: "connect")
            close(descriptor)
            throw error
        }
        // Pieces have to arrive as pieces.
        var on: Int32 = 1
        let length = socklen_t(MemoryLayout<Int32>.size)
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, length)
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        return TCPStream(connected: descriptor)
    }

    deinit { close(descriptor) }

    /// Sends a piece, as far as the server still takes it: one that has failed the connection need
    /// not, and what it said before is read all the same.
    mutating func send(_ piece: [UInt8]) throws(TCPError) {
        var sent = 0
        while sent < piece.count {
            let count = piece.withUnsafeBytes { bytes in
                Glibc.send(
                    descriptor,
                    bytes.baseAddress! + sent,
                    bytes.count - sent,
                    Int32(MSG_NOSIGNAL)
                )
            }
            if count >= 0 {
                sent += count
            } else if errno == EAGAIN {
                try wait(for: Int16(POLLIN | POLLOUT))
                // After the server's end of stream the socket is readable for ever.
                if !hasEnded { readWhatIsThere() }
            } else if errno != EINTR {
                return
            }
        }
    }

    /// The next bytes of the server; nil at the end of its stream.
    mutating func receive() throws(TCPError) -> [UInt8]? {
        while arrived.isEmpty && !hasEnded {
            try wait(for: Int16(POLLIN))
            readWhatIsThere()
        }
        defer { arrived = [] }
        return arrived.isEmpty ? nil : arrived
    }

    private func wait(for events: Int16) throws(TCPError) {
        var entry = pollfd(fd: descriptor, events: events, revents: 0)
        guard poll(&entry, 1, Self.patienceMilliseconds) != 0 else {
            throw TCPError("the server did nothing for \(Self.patienceMilliseconds / 1000) s")
        }
    }

    private mutating func readWhatIsThere() {
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count > 0 {
                arrived += buffer[..<count]
            } else if count == 0 || (errno != EAGAIN && errno != EINTR) {
                hasEnded = true
                return
            } else if errno == EAGAIN {
                return
            }
        }
    }
}

struct TCPError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }

    init(call: String) {
        description = "\(call): \(String(cString: strerror(errno)))"
    }
}
