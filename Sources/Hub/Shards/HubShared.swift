import Access
import Bounds
import ClientWire
import Locking
import PubSub
import Reactor

/// The state that the loops of one hub share. May be used from any thread.
package final class HubShared: Sendable {
    package let presence = Locked(PresenceTable())
    package let clients: ClientCensus
    /// The logins whose access tokens are no longer accepted.
    package let endedLogins: EndedLogins
    /// The memory limit of all peers together.
    package let budget: MemoryBudget
    /// Called when a token is signed with an unknown key.
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

    /// Nil if there is no loop with this number.
    package func loop(_ index: Int) -> Mailbox<ShardMessage>? {
        loops.withLock { $0.indices.contains(index) ? $0[index] : nil }
    }

    /// Reports to all loops that a client has joined or left a topic. The client's own loop also
    /// receives it through its mailbox, so the client's reply is sent first. Lost if a loop hangs.
    package func announce(_ topic: Topic, _ info: ClientInfo, isJoin: Bool) {
        for loop in loops.withLock({ $0 }) {
            _ = loop.post(.presence(topic, info, isJoin: isJoin))
        }
    }
}
