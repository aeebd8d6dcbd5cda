import ClientWire
import Reactor
import Service

/// A subscription with presence, or with joins and leaves, that begins or ends.
package struct PresenceChange: Sendable {
    package var topic: Topic
    package var info: ClientInfo
    package var isJoin: Bool
    /// Whether the client is in the topic's presence.
    package var isPresent: Bool
    /// Whether subscribers receive the join or leave.
    package var isAnnounced: Bool

    package init(
        topic: Topic,
        info: ClientInfo,
        isJoin: Bool,
        isPresent: Bool,
        isAnnounced: Bool
    ) {
        self.topic = topic
        self.info = info
        self.isJoin = isJoin
        self.isPresent = isPresent
        self.isAnnounced = isAnnounced
    }
}

/// The state that the loops of one hub share. May be used from any thread.
package final class HubShared: Sendable {
    package let presence = Locked(PresenceTable())
    package let clients: ClientCensus
    /// The logins whose access tokens are no longer accepted.
    package let endedLogins: EndedLogins
    /// Finds the API keys of requests.
    package let keys: KeyReader
    /// The memory limit of all peers together.
    package let budget: MemoryBudget
    /// Asks the application about clients; nil without hooks.
    package let hooks: (any ClientHooks)?
    /// Learns who comes and goes; nil if it is not reported.
    package let attendance: (any AttendanceObserver)?
    /// Called when a token is signed with an unknown key.
    package let keyWasUnknown: @Sendable () -> Void
    /// Called when an event stream begins to read `Topic.stats`.
    package let statsAreRead: @Sendable () -> Void
    private let loops = Locked<[Mailbox<LoopMessage>]>([])
    private let presenceHandler = Locked(PresenceHandler())

    /// A struct, because a function that is the `Value` of a generic type is wrapped at each access.
    private struct PresenceHandler: Sendable {
        var note: (@Sendable (PresenceChange) -> Void)?
    }

    package init(
        clients: ClientCensus = ClientCensus(),
        endedLogins: EndedLogins = EndedLogins(),
        keys: KeyReader = KeyReader(),
        budget: MemoryBudget = MemoryBudget(),
        hooks: (any ClientHooks)? = nil,
        attendance: (any AttendanceObserver)? = nil,
        keyWasUnknown: @escaping @Sendable () -> Void = {},
        statsAreRead: @escaping @Sendable () -> Void = {}
    ) {
        self.clients = clients
        self.endedLogins = endedLogins
        self.keys = keys
        self.budget = budget
        self.hooks = hooks
        self.attendance = attendance
        self.keyWasUnknown = keyWasUnknown
        self.statsAreRead = statsAreRead
    }

    package var loopCount: Int { loops.withLock { $0.count } }

    package func add(_ mailbox: Mailbox<LoopMessage>) {
        loops.withLock { $0.append(mailbox) }
    }

    /// Nil if there is no loop with this number.
    package func loop(_ index: Int) -> Mailbox<LoopMessage>? {
        loops.withLock { $0.indices.contains(index) ? $0[index] : nil }
    }

    /// Sets the handler of the changes by clients of this hub. It must be quick.
    package func setPresenceHandler(_ handler: @escaping @Sendable (PresenceChange) -> Void) {
        presenceHandler.withLock { $0 = PresenceHandler(note: handler) }
    }

    /// Notes a change by a client of this hub.
    package func change(_ change: PresenceChange) {
        guard change.isPresent || change.isAnnounced else { return }
        show(change)
        presenceHandler.withLock { $0 }.note?(change)
    }

    /// Shows a change in the presence and to the subscribers of this hub.
    package func show(_ change: PresenceChange) {
        if change.isPresent {
            presence.withLock { table in
                if change.isJoin {
                    table.join(change.topic, change.info)
                } else {
                    table.leave(change.topic, client: change.info.client)
                }
            }
        }
        if change.isAnnounced { announce(change.topic, change.info, isJoin: change.isJoin) }
    }

    /// Reports to all loops that a client has joined or left a topic. The client's own loop also
    /// receives it through its mailbox, so the client's reply is sent first. Lost if a loop hangs.
    package func announce(_ topic: Topic, _ info: ClientInfo, isJoin: Bool) {
        for mailbox in loops.withLock({ $0 }) {
            _ = mailbox.post(.presence(topic, info, isJoin: isJoin))
        }
    }
}
