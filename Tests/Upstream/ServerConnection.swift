import Base
import CLinux
import COpenSSL
import Expectations
import Glibc

/// A connection of a `HostileServer`: a blocking socket, with TLS or without.
///
/// Belongs to the thread that serves it; only `interrupt` is called from another one.
final class ServerConnection: @unchecked Sendable {
    /// What has not come after so long does not come: the test fails.
    static let patienceSeconds: Int32 = 540

    enum End: CaseIterable, Sendable {
        /// The end of the stream, with TLS after close_notify.
        case fin
        /// The end of the stream, with TLS without close_notify.
        case cut
        /// A reset.
        case reset
    }

    /// In the order of accepting, from 0.
    let number: Int
    private let descriptor: Int32
    private var ssl: OpaquePointer?
    private let isClosed = Locked(false)
    private var unread: [UInt8] = []

    init(_ descriptor: Int32, number: Int) {
        self.descriptor = descriptor
        self.number = number
        setSocketOption(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        var patience = timeval(tv_sec: Int(ServerConnection.patienceSeconds), tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            let size = socklen_t(MemoryLayout<timeval>.size)
            setsockopt(descriptor, SOL_SOCKET, option, &patience, size)
        }
    }

    deinit {
        SSL_free(ssl)
    }

    /// False when the handshake failed.
    func acceptTLS(_ tls: ServerTLS) -> Bool {
        ERR_clear_error()
        ssl = SSL_new(tls.context)
        SSL_set_fd(ssl, descriptor)
        return SSL_accept(ssl) == 1
    }

    var isResumed: Bool { SSL_session_reused(ssl) == 1 }

    /// The name that the client asked for (RFC 6066 §3).
    var serverName: String? {
        SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name).map { String(cString: $0) }
    }

    // MARK: Reading

    /// What has come, at least a byte; empty at the end.
    func read() -> [UInt8] {
        guard unread.isEmpty else {
            defer { unread = [] }
            return unread
        }
        // The descriptor may be another connection's by now.
        guard !isClosed.withLock({ $0 }) else { return [] }
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        var count: Int
        if let ssl {
            ERR_clear_error()
            count = Int(SSL_read(ssl, &piece, Int32(piece.count)))
        } else {
            repeat {
                count = recv(descriptor, &piece, piece.count, 0)
            } while count < 0 && errno == EINTR
        }
        if count < 0, errno == EAGAIN { Issue.record("the client neither sends nor ends") }
        count = max(count, 0)
        return Array(piece[..<count])
    }

    /// A request with its content; nil when the client ends before one is whole.
    func readRequest() -> ReceivedRequest? {
        guard var request = readHead() else { return nil }
        while request.content.count < request.contentLength {
            let more = read()
            guard !more.isEmpty else { return nil }
            request.content += more
        }
        unread = Array(request.content[request.contentLength...])
        request.content.removeSubrange(request.contentLength...)
        return request
    }

    /// A request whose content is not waited for; what has come of it is in `content`.
    func readHead() -> ReceivedRequest? {
        var bytes: [UInt8] = []
        while true {
            if let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) {
                let head = String(decoding: bytes[..<end.upperBound], as: UTF8.self)
                return ReceivedRequest(head: head, content: Array(bytes[end.upperBound...]))
            }
            let more = read()
            guard !more.isEmpty else { return nil }
            bytes += more
        }
    }

    // MARK: Writing

    func write(_ text: String) { write(Array(text.utf8)) }

    func write(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = writeSome(Array(rest))
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Each byte in a segment of its own, and with TLS in a record of its own.
    func writeByteByByte(_ bytes: [UInt8]) {
        for byte in bytes { write([byte]) }
    }

    private func writeSome(_ bytes: [UInt8]) -> Int {
        guard !isClosed.withLock({ $0 }) else { return 0 }
        guard let ssl else { return send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }
        ERR_clear_error()
        return Int(SSL_write(ssl, bytes, Int32(bytes.count)))
    }

    // MARK: The end

    /// Ends the connection; only the first call counts.
    ///
    /// What the client still sends is read, because otherwise the kernel would answer with a reset.
    func end(_ end: End) {
        guard !isClosed.withLock({ $0 }) else { return }
        if end == .reset {
            var atOnce = linger(l_onoff: 1, l_linger: 0)
            let size = socklen_t(MemoryLayout<linger>.size)
            setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &atOnce, size)
            return closeSocket()
        }
        ERR_clear_error()
        if end == .fin, let ssl, SSL_is_init_finished(ssl) == 1 { SSL_shutdown(ssl) }
        shutdown(descriptor, Int32(SHUT_WR))
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while recv(descriptor, &piece, piece.count, 0) > 0 {}
        closeSocket()
    }

    /// Ends what the connection's thread waits for.
    func interrupt() {
        isClosed.withLock { isClosed in
            if !isClosed { shutdown(descriptor, Int32(SHUT_RDWR)) }
        }
    }

    private func closeSocket() {
        isClosed.withLock { isClosed in
            isClosed = true
            close(descriptor)
        }
    }
}

struct ReceivedRequest: Sendable {
    let head: String
    var content: [UInt8]

    var method: String { String(head.prefix { $0 != " " }) }
    var target: String { String(head.split(separator: " ")[1]) }
    var contentLength: Int { field("Content-Length").flatMap { Int($0) } ?? 0 }

    /// The value of a field; names are compared as they are written.
    func field(_ name: String) -> String? {
        head.split(separator: "\r\n").first { $0.hasPrefix("\(name): ") }
            .map { String($0.dropFirst(name.count + 2)) }
    }
}

func setSocketOption(_ descriptor: Int32, _ level: Int32, _ name: Int32, _ value: Int32) {
    var value = value
    setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
}
