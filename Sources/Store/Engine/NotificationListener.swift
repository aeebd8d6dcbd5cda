import Dispatch
import Glibc

/// Waits for the notifications of a channel (`NOTIFY`), on a connection and a thread of its own.
///
/// It only wakes: a notification has no content, and one that is lost delays its receiver until the
/// next look. A lost connection is made again, for as long as that takes.
///
/// The thread waits in `poll` and not in a source of Dispatch, which does not report the end of a
/// connection on Linux.
package final class NotificationListener: Sendable {
    package enum Event: Sendable {
        /// There may be news: there was a notification, or there is a connection again.
        case wake
        /// There is no connection. Only the first failure in a row is reported.
        case lost(any Error)
    }

    private struct State {
        var isStopped = false
        /// A copy of the connection's descriptor: libpq may close its own one at any time. The
        /// function that takes it closes it.
        var descriptor: Int32?

        mutating func takeDescriptor() -> Int32? {
            defer { descriptor = nil }
            return descriptor
        }
    }

    /// The silence after which the server is asked, in milliseconds.
    private static let askPause: Int32 = 5000

    private let channel: String
    private let retryAfter: Duration
    private let connect: @Sendable () throws -> PostgresConnection
    private let queue = DispatchQueue(label: "store.listener")
    private let state = Locked(State())

    /// - Parameters:
    ///   - channel: the name of a schema, which needs no quotation marks.
    ///   - connect: makes a connection, and may block.
    init(
        channel: String,
        retryAfter: Duration,
        _ connect: @escaping @Sendable () throws -> PostgresConnection
    ) {
        self.channel = channel
        self.retryAfter = retryAfter
        self.connect = connect
    }

    /// Begins to listen, until `stop`. Does not wait. Once only.
    ///
    /// - Parameter handler: called on the listener's thread; it must be quick.
    package func begin(_ handler: @escaping @Sendable (Event) -> Void) {
        queue.async { self.run(isLost: false, handler) }
    }

    /// Ends the connection and the thread. Does not wait.
    package func stop() {
        let descriptor = state.withLock { state in
            state.isStopped = true
            return state.takeDescriptor()
        }
        if let descriptor {
            _ = shutdown(descriptor, Int32(SHUT_RDWR))
            close(descriptor)
        }
    }

    // MARK: On the thread

    /// - Parameter isLost: whether the loss of the connection was reported.
    private func run(isLost: Bool, _ handler: @escaping @Sendable (Event) -> Void) {
        var isLost = isLost
        do {
            try listen {
                isLost = false
                handler(.wake)
            }
        } catch {
            guard !isStopped else { return }
            if !isLost { handler(.lost(error)) }
            isLost = true
        }
        guard !isStopped else { return }
        queue.asyncAfter(deadline: .now() + retryAfter.inSeconds) { [isLost] in
            self.run(isLost: isLost, handler)
        }
    }

    private var isStopped: Bool { state.withLock { $0.isStopped } }

    /// Listens until the connection is lost.
    ///
    /// - Parameter wake: also called when there is a connection, for what was committed before.
    private func listen(_ wake: () -> Void) throws {
        guard !isStopped else { return }
        let connection = try connect()
        let descriptor = try connection.copyOfDescriptor()
        state.withLock { $0.descriptor = descriptor }
        defer {
            if let descriptor = state.withLock({ $0.takeDescriptor() }) { close(descriptor) }
        }
        try connection.execute("LISTEN \(channel)")
        wake()
        while !isStopped {
            if try connection.waitForNotification(milliseconds: Self.askPause) {
                wake()
            } else {
                // A server that hangs, or that another one has replaced, does not end the connection.
                try connection.execute("LISTEN \(channel)")
            }
        }
    }
}
