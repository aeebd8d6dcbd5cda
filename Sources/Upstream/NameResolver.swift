import Glibc
import Reactor

/// Resolves names to addresses.
package protocol NameResolver: Sendable {
    /// Calls `done` once, on any thread, with the result. Does not block.
    func resolve(
        _ name: String,
        _ done: @escaping @Sendable (Result<[SocketAddress], NameResolutionError>) -> Void
    )
}

extension NameResolver {
    /// Returns the addresses of a name, with port 0.
    package func addresses(of name: String) async throws(NameResolutionError) -> [SocketAddress] {
        let result = await withCheckedContinuation { continuation in
            resolve(name) { continuation.resume(returning: $0) }
        }
        return try result.get()
    }
}

/// The system's resolver: hosts file, DNS and the machine's other sources.
///
/// `getaddrinfo` blocks, for half a minute when name servers do not answer. So it runs on separate
/// threads, which exist only while names are looked up. Concurrent requests for one name share one
/// lookup, so a name that hangs blocks only one thread.
package final class SystemNameResolver: NameResolver {
    private typealias Done = @Sendable (Result<[SocketAddress], NameResolutionError>) -> Void

    private struct State {
        /// The callbacks for the names that are being looked up or queued.
        var waiters: [String: [Done]] = [:]
        var queue: [String] = []
        var threadCount = 0
    }

    private let state = Locked(State())
    private let threadsMax: Int
    private let lookUp: @Sendable (String) -> Result<[SocketAddress], NameResolutionError>

    /// The resolver of the process.
    package static let shared = SystemNameResolver()

    package convenience init() {
        self.init(threadsMax: 16) { name in
            do throws(NameResolutionError) {
                return .success(try SocketAddress.addresses(ofName: name, port: 0))
            } catch {
                return .failure(error)
            }
        }
    }

    /// - Parameter lookUp: may block.
    init(
        threadsMax: Int,
        lookUp: @escaping @Sendable (String) -> Result<[SocketAddress], NameResolutionError>
    ) {
        precondition(threadsMax > 0)
        self.threadsMax = threadsMax
        self.lookUp = lookUp
    }

    package func resolve(
        _ name: String,
        _ done: @escaping @Sendable (Result<[SocketAddress], NameResolutionError>) -> Void
    ) {
        let startsThread = state.withLock { state in
            state.waiters[name, default: []].append(done)
            guard state.waiters[name]!.count == 1 else { return false }
            state.queue.append(name)
            guard state.threadCount < threadsMax else { return false }
            state.threadCount += 1
            return true
        }
        guard startsThread else { return }
        let isStarted = startDetachedThread(name: "resolver") { [self] in work() }
        if !isStarted { giveUp() }
    }

    /// Looks up names until the queue is empty.
    private func work() {
        while let name = nextName() {
            let result = lookUp(name)
            let waiters = state.withLock { $0.waiters.removeValue(forKey: name) ?? [] }
            for waiter in waiters { waiter(result) }
        }
    }

    private func nextName() -> String? {
        state.withLock { state in
            guard !state.queue.isEmpty else {
                state.threadCount -= 1
                return nil
            }
            return state.queue.removeFirst()
        }
    }

    /// No thread could be started. Another running one continues with the queue; without one all
    /// lookups fail.
    private func giveUp() {
        let waiters = state.withLock { state -> [Done] in
            state.threadCount -= 1
            guard state.threadCount == 0 else { return [] }
            defer { state.queue = [] }
            return state.queue.flatMap { state.waiters.removeValue(forKey: $0) ?? [] }
        }
        for waiter in waiters { waiter(.failure(NameResolutionError("no thread to look it up"))) }
    }
}
