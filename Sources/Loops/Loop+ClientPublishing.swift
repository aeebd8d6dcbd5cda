import ClientWire
import Reactor
import Service
import Store

/// Publications of clients: collected over a turn, committed together, and answered after the store
/// has them.
extension Loop {
    /// The maximum size of a transaction's part in bytes of publications; more publications make
    /// several parts.
    private static let partBytesMax = 256 << 10

    /// Takes a publication for the turn's commit, or returns the reason for refusing it.
    package func publish(
        _ request: PublishRequest,
        _ session: ClientSession,
        on id: ConnectionID
    ) -> ProtocolError? {
        if case .failure(let error) = decide(.publish, on: request.topic, session) { return error }
        let features = rules.features(of: request.topic)
        let asked = ClientPublication(
            topic: request.topic,
            data: request.data,
            info: session.subscriptions[request.topic]?.info ?? session.info,
            keepsHistory: features?.keepsHistory ?? true,
            allowsDelta: features?.delta ?? false,
            publisher: session.publisher
        )
        guard let publication = decided(asked, features) else { return .internalError }
        guard shared.budget.hasRoom(for: publication.data.count, as: session.rank) else {
            turn.counters.bounds[.memory] += 1
            return .limitExceeded
        }
        if pending.bytes > Loop.partBytesMax { commitPending() }
        pending.bytes += publication.data.count
        pending.publications.append(publication)
        pending.tickets.append(PublishTicket(connection: id, commandID: request.commandID))
        return nil
    }

    /// Hands over the publications that were taken since the last call.
    package func commitPending() {
        guard !pending.tickets.isEmpty else { return }
        let part = pending
        pending = PendingPublications()
        publisher(part.publications) { [mailbox, logger] result in
            if case .failure(let error) = result {
                logger.warning(
                    "publishing failed",
                    metadata: ["err": "\(error)"],
                    source: LogSource.peer
                )
            }
            for message in part.replies(result) where !mailbox.post(message) {
                logger.error(
                    "replies lost: the mailbox of their loop is full",
                    source: LogSource.peer
                )
            }
        }
    }

    /// Answers publish commands. A client that has disconnected since is not answered.
    package func answer(_ tickets: [PublishTicket], _ error: ProtocolError?) {
        if let error { turn.counters.count(error, "publish", times: tickets.count) }
        var rest = tickets[...]
        while let id = rest.first?.connection {
            let run = rest.prefix { $0.connection == id }
            rest = rest.dropFirst(run.count)
            guard case .client(let session) = session(of: id), session.machine.isOpen else {
                continue
            }
            turn.clearOutput()
            for ticket in run {
                let result: Result<Void, ProtocolError> = error.map { .failure($0) } ?? .success(())
                answer(.publish(commandID: ticket.commandID, result), session)
            }
            connections.send(turn.output, on: id)
        }
    }
}

/// A publication of a client.
package struct ClientPublication: Sendable, Equatable {
    package let topic: Topic
    package var data: [UInt8]
    /// Nil for an anonymous publisher.
    package let info: ClientInfo?
    /// False if the namespace has no history.
    package var keepsHistory: Bool
    package var allowsDelta: Bool
    package let publisher: EventPublisher
    /// Those of the application, if it was asked.
    package var tags: [String: String] = [:]
    package var idempotencyKey: String?
    package var version: EventVersion?

    package init(
        topic: Topic,
        data: [UInt8],
        info: ClientInfo? = nil,
        keepsHistory: Bool = true,
        allowsDelta: Bool = false,
        publisher: EventPublisher = .network(0)
    ) {
        self.topic = topic
        self.data = data
        self.info = info
        self.keepsHistory = keepsHistory
        self.allowsDelta = allowsDelta
        self.publisher = publisher
    }
}

/// The publications of clients in the current turn.
package struct PendingPublications {
    package var bytes = 0
    package var publications: [ClientPublication] = []
    /// One for each publication.
    package var tickets: [PublishTicket] = []

    /// The replies to all publications.
    fileprivate func replies(_ result: Result<[Int: TopicRefusal], any Error>) -> [LoopMessage] {
        switch result {
        case .failure(let error): [.published(tickets, ProtocolError(storing: error))]
        case .success(let refused) where refused.isEmpty: [.published(tickets, nil)]
        case .success(let refused):
            [
                .published(tickets.indices.filter { refused[$0] == nil }.map { tickets[$0] }, nil),
                .published(refused.keys.sorted().map { tickets[$0] }, .limitExceeded),
            ]
        }
    }
}

extension ClientSession {
    fileprivate var publisher: EventPublisher {
        guard let user = info?.user, !user.isEmpty else { return .network(network) }
        return .user(user)
    }
}

extension ProtocolError {
    /// The error that a client receives after a failed commit. The log has the details.
    package init(storing error: any Error) {
        switch (error as? StoreError)?.code {
        case .queueFull: self = .tooManyRequests
        case .changeTooBig, .tooManyTopics: self = .limitExceeded
        case .constraint: self = .badRequest
        default: self = .internalError
        }
    }
}
