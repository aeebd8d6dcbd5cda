import ClientWire
import Reactor
import Service

/// Publications of clients: collected over a turn, committed together, and answered after the store
/// has them.
extension Loop {
    /// Takes a publication for the turn's commit, or returns the reason for refusing it.
    package func publish(
        _ request: PublishRequest,
        _ session: ClientSession,
        on id: ConnectionID
    ) -> ProtocolError? {
        if case .failure(let error) = admission.decide(.publish, on: request.topic, session) {
            return error
        }
        let features = rules.features(of: request.topic)
        let asked = ClientPublication(
            topic: request.topic,
            data: request.data,
            info: session.subscriptions[request.topic]?.info ?? session.info,
            keepsHistory: features?.keepsHistory ?? true,
            allowsDelta: features?.delta ?? false,
            publisher: session.publisher
        )
        guard let publication = admission.decided(asked, features) else { return .internalError }
        guard shared.budget.hasRoom(for: publication.data.count, as: session.rank) else {
            turn.counters.bounds[.memory] += 1
            return .limitExceeded
        }
        if !pending.hasRoom { commitPending() }
        pending.add(publication, PublishTicket(connection: id, commandID: request.commandID))
        return nil
    }

    /// Hands over the publications that were taken since the last call.
    package func commitPending() {
        guard let part = pending.take() else { return }
        services.publisher(part.publications) { [mailbox, logger] result in
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

extension ClientSession {
    fileprivate var publisher: EventPublisher {
        guard let user = info?.user, !user.isEmpty else { return .network(network) }
        return .user(user)
    }
}
