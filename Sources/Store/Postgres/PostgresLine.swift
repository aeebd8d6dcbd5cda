import Glibc

/// The server that a connection leads to.
package struct PostgresServer: Sendable, Hashable {
    package var host: String
    /// The numeric address; empty for a Unix socket.
    package var address: String
    package var port: String
}

/// The call that a connection has under way, for a watchdog on another thread.
///
/// The calls are numbered, so that a verdict about one of them never ends a later one.
final class PostgresLine: Sendable {
    /// A call that waits for the server.
    struct Call: Equatable {
        var number: UInt64
        /// The time since it began, or since bytes last arrived.
        var silence: Duration
        /// Whether the kernel has bytes that the server has not taken.
        var isSending: Bool
    }

    private struct State {
        var number: UInt64 = 0
        var began: ContinuousClock.Instant?
        /// A copy of that of libpq, which closes its own one at any time; nil once it was closed.
        var descriptor: Int32?
        var process: Int64?
        /// The silence of the call under way after which the server is asked.
        var askAfter: Duration?
        /// The silence for which the connection was given up.
        var silence: Duration?

        func shutDown() {
            if let descriptor { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }
        }
    }

    let server: PostgresServer
    private let state: Locked<State>

    /// - Parameter descriptor: a copy of the connection's, which `end` closes.
    init(_ server: PostgresServer, descriptor: Int32) {
        self.server = server
        state = Locked(State(descriptor: descriptor))
    }

    deinit { end() }

    /// The server must see the end of a connection that libpq has closed.
    func end() {
        state.withLock { state in
            if let descriptor = state.descriptor { close(descriptor) }
            state.descriptor = nil
        }
    }

    // MARK: The thread of the connection

    /// Runs a call of libpq that waits for the server.
    func waiting<Value>(_ body: () -> Value) -> Value {
        state.withLock { state in
            state.number += 1
            state.began = .now
            state.askAfter = nil
        }
        defer { state.withLock { $0.began = nil } }
        return body()
    }

    /// The server's process of the connection.
    var process: Int64? {
        get { state.withLock { $0.process } }
        set { state.withLock { $0.process = newValue } }
    }

    /// The silence for which the connection was given up; nil if it was not.
    var silence: Duration? { state.withLock { $0.silence } }

    // MARK: The watchdog

    /// The call under way; nil if there is none.
    func call(now: ContinuousClock.Instant) -> Call? {
        state.withLock { state in
            guard let began = state.began, state.silence == nil, let descriptor = state.descriptor
            else { return nil }
            // Bytes in a Unix socket cannot be lost, and none is slow.
            let quiet = Self.timeSinceBytes(descriptor)
            return Call(
                number: state.number,
                silence: quiet.map { min(now - began, $0) } ?? now - began,
                isSending: quiet != nil && Self.unsentBytes(descriptor) > 0
            )
        }
    }

    /// Whether the silence of a call is long enough for a question to the server.
    func isDoubtful(_ call: Call, _ rules: PostgresSilence) -> Bool {
        state.withLock { state in
            guard state.number == call.number else { return false }
            return call.silence >= state.askAfter ?? rules.doubtAfter
        }
    }

    /// Takes a verdict about a call. A connection that is given up is shut down: the call returns
    /// with an error, whatever the server does.
    func take(_ step: PostgresSilence.Step, about call: Call) {
        state.withLock { state in
            guard state.number == call.number, state.began != nil else { return }
            switch step {
            case .ask(let silence): state.askAfter = silence
            case .giveUp:
                state.silence = call.silence
                state.shutDown()
            }
        }
    }

    /// Shuts a connection down that has no call under way, whose server does not answer at all: the
    /// next call finds it lost, and does not have to wait for the limit.
    func shutDownIfIdle() {
        state.withLock { state in
            if state.began == nil { state.shutDown() }
        }
    }

    // MARK: The kernel

    /// The time since bytes last arrived; nil for a socket that is not one of TCP.
    ///
    /// An answer that is still arriving is not silence, on however slow a network.
    private static func timeSinceBytes(_ descriptor: Int32) -> Duration? {
        // `tcpi_last_data_recv` of Linux's `struct tcp_info`, in milliseconds.
        let place = 52
        var info = [UInt8](repeating: 0, count: place + 4)
        var length = socklen_t(info.count)
        guard
            getsockopt(descriptor, Int32(IPPROTO_TCP), tcpInformation, &info, &length) == 0,
            Int(length) == info.count
        else { return nil }
        let milliseconds = info.withUnsafeBytes {
            $0.loadUnaligned(fromByteOffset: place, as: UInt32.self)
        }
        return .milliseconds(Int(milliseconds))
    }

    /// `TCP_INFO` of Linux.
    private static let tcpInformation: Int32 = 11

    /// The bytes that the kernel has not sent, or whose receipt the server's has not acknowledged.
    private static func unsentBytes(_ descriptor: Int32) -> Int32 {
        var count: Int32 = 0
        guard ioctl(descriptor, outputQueue, &count) == 0 else { return 0 }
        return count
    }

    /// `SIOCOUTQ` of Linux.
    private static let outputQueue: UInt = 0x5411
}
