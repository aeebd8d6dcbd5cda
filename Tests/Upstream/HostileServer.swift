import CLinux
import COpenSSL
import Glibc
import Reactor
import TLSTesting

/// A server that answers by script, on loopback. Each connection has a thread, on which `serve` runs.
///
/// A connection is ended in peace when `serve` returns, unless it has ended it itself.
final class HostileServer: Sendable {
    typealias Serve = @Sendable (ServerConnection) -> Void

    let port: UInt16
    /// Connections that were accepted, with TLS or without.
    let accepted = Counter()
    /// Threads that have not ended, of which one accepts.
    private let threads = Counter()
    private let listener: Int32
    private let tls: ServerTLS?
    private let serve: Serve
    private let open = Locked<[Int: ServerConnection]>([:])

    init(tls: ServerTLS? = nil, _ serve: @escaping Serve) throws {
        self.tls = tls
        self.serve = serve
        (listener, port) = try listenOnLoopback("127.0.0.1", port: 0, backlog: 256)
        startThread { [self] in accept() }
    }

    /// Ends all connections and waits for their threads.
    func stop() async {
        shutdown(listener, Int32(SHUT_RDWR))
        for connection in open.withLock({ Array($0.values) }) { connection.interrupt() }
        await threads.wait(for: 0)
    }

    private func accept() {
        var number = 0
        while true {
            let descriptor = Glibc.accept(listener, nil, nil)
            guard descriptor >= 0 else { break }
            // Children of tests that expect an exit get no connection.
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            let connection = ServerConnection(descriptor, number: number)
            open.withLock { $0[connection.number] = connection }
            accepted.increment()
            startThread { [self] in handle(connection) }
            number += 1
        }
        close(listener)
        for connection in open.withLock({ Array($0.values) }) { connection.interrupt() }
    }

    private func handle(_ connection: ServerConnection) {
        if tls.map({ connection.acceptTLS($0) }) != false { serve(connection) }
        connection.end(.fin)
        open.withLock { $0[connection.number] = nil }
    }

    private func startThread(_ body: @escaping @Sendable () -> Void) {
        threads.increment()
        let isStarted = startDetachedThread(name: "test-server") { [threads] in
            blockBrokenPipeSignals()
            body()
            // OpenSSL keeps memory for each thread that used it.
            OPENSSL_thread_stop()
            threads.increment(by: -1)
        }
        precondition(isStarted, "no thread for a test server")
    }
}

/// OpenSSL writes to sockets without `MSG_NOSIGNAL`. Only for the calling thread, so that a client that forgets
/// it is noticed.
private func blockBrokenPipeSignals() {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
}

/// A server for as long as `body` runs.
func withServer<Value>(
    tls: ServerTLS? = nil,
    _ serve: @escaping HostileServer.Serve,
    _ body: (HostileServer) async throws -> Value
) async throws -> Value {
    let server = try HostileServer(tls: tls, serve)
    do {
        let value = try await body(server)
        await server.stop()
        return value
    } catch {
        await server.stop()
        throw error
    }
}

/// A port that lets clients wait: its queue is full and nobody accepts, so the kernel answers no SYN.
final class SilentPort: Sendable {
    let port: UInt16
    private let descriptors: [Int32]

    /// - Parameters:
    ///   - host: an IPv4 address of loopback; with a port, one that nobody else listens on.
    ///   - port: 0 for any.
    init(host: String = "127.0.0.1", port: UInt16 = 0) throws {
        let (listener, port) = try listenOnLoopback(host, port: port, backlog: 0)
        self.port = port
        var descriptors = [listener]
        // A queue takes one more than its length; further ones are never established.
        for _ in 0..<3 {
            let type =
                Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
                | Int32(SOCK_CLOEXEC.rawValue)
            let descriptor = socket(AF_INET, type, 0)
            var address = loopbackAddress(host, port: port)
            _ = withSockaddr(&address) { connect(descriptor, $0, $1) }
            descriptors.append(descriptor)
        }
        self.descriptors = descriptors
    }

    deinit {
        for descriptor in descriptors { close(descriptor) }
    }
}

private func listenOnLoopback(
    _ host: String,
    port: UInt16,
    backlog: Int32
) throws -> (Int32, UInt16) {
    let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    let descriptor = socket(AF_INET, type, 0)
    guard descriptor >= 0 else { throw SystemTestError(code: errno) }
    var address = loopbackAddress(host, port: port)
    guard withSockaddr(&address, { bind(descriptor, $0, $1) }) == 0,
        listen(descriptor, backlog) == 0
    else {
        close(descriptor)
        throw SystemTestError(code: errno)
    }
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutablePointer(to: &address) {
        _ = $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            getsockname(descriptor, $0, &length)
        }
    }
    return (descriptor, UInt16(bigEndian: address.sin_port))
}

private func loopbackAddress(_ host: String, port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    inet_pton(AF_INET, host, &address.sin_addr)
    address.sin_port = port.bigEndian
    return address
}

private func withSockaddr<Address, Value>(
    _ address: inout Address,
    _ body: (UnsafePointer<sockaddr>, socklen_t) -> Value
) -> Value {
    withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            body($0, socklen_t(MemoryLayout<Address>.size))
        }
    }
}
