import Reactor
import Synchronization
import Upstream

/// Resolves every name to 127.0.0.1, so that no connection leaves the machine. Counts connections:
/// the client resolves a name once for each.
final class LoopbackResolver: NameResolver {
    private let count = Atomic(0)

    var connectionCount: Int { count.load(ordering: .relaxed) }

    func resolve(
        _ name: String,
        _ done: @escaping @Sendable (Result<[SocketAddress], NameResolutionError>) -> Void
    ) {
        count.add(1, ordering: .relaxed)
        guard let address = SocketAddress(numericHost: "127.0.0.1", port: 0) else {
            return done(.failure(NameResolutionError("no IPv4 on this machine")))
        }
        done(.success([address]))
    }
}
