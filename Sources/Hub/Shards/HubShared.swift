import Access
import Bounds
import ClientWire
import Locking
import PubSub
import Reactor

/// What the loops of one hub have in common. May be used from any thread.
package final class HubShared: Sendable {
    package let presence = Locked(PresenceTable())
    package let clients: ClientCensus
    /// Whose access tokens open nothing any more.
    package let endedLogins: EndedLogins
    /// What all peers together may make the hub hold.
    package let budget: MemoryBudget
    /// Told when a token was signed with a key that is not known.
    package let keyWasUnknown: @Sendable () -> Void
    private let loops = Locked<[Mailbox<ShardMessage>]>([])

    package init(
        clients: ClientCensus = ClientCensus(),
        endedLogins: EndedLogins = EndedLogins(),
        budget: MemoryBudget = MemoryBudget(),
        keyWasUnknown: @escaping @Sendable () -> Void = {}
    ) {
        self.clients = clients
        self.endedLogins = endedLogins
        self.budget = budget
        self.keyWasUnknown = keyWasUnknown
    }

    package var loopCount: Int { loops.withLock { $0.count } }

    package func add(_ loop: Mailbox<ShardMessage>) {
        loops.withLock { $0.append(loop) }
    }

    /// Nil where there is no loop with this number.
    package func loop(_ index: Int) -> Mailbox<ShardMessage>? {
        loops.withLock { $0.indices.contains(index) ? $0[index] : nil }
    }

    /// Tells all loops of a client that has come into a topic or has left it, the client's own loop included:
    /// what it is answered goes before. Lost where a loop hangs.
    package func announce(_ topic: Topic, _ info: ClientInfo, isJoin: Bool) {
        for loop in loops.withLock({ $0 }) {
            _ = loop.post(.presence(topic, info, isJoin: isJoin))
        }
    }
}
