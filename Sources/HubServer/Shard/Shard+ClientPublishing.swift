import ClientWire
import PubSub
import Reactor
import Store

/// What clients publish: collected over a turn, committed together, answered when the store has it.
extension Shard {
    /// Bytes of publications that go into one transaction's part; more make several parts.
    private static let partBytesMax = 256 << 10

    /// Takes a publication for the turn's commit, or says why not.
    func publish(_ request: PublishRequest, on id: ConnectionID) -> ProtocolError? {
        switch access.decide(request.topic) {
        case .unknown: return .unknownChannel
        case .denied: return .permissionDenied
        case .allowed: break
        }
        switch access.publishers(request.topic) {
        case .nobody: return .permissionDenied
        case .subscribers:
            guard hub.isSubscribed(Int32(id.index), to: request.topic) else {
                return .permissionDenied
            }
        case .owner, .users: return .permissionDenied
        case .anyone: break
        }
        if pending.bytes > Shard.partBytesMax { commitPending() }
        pending.bytes += request.data.count
        pending.publications.append((request.topic, request.data))
        pending.tickets.append(PublishTicket(connection: id, commandID: request.commandID))
        return nil
    }

    /// Hands over what was taken since the last call.
    func commitPending() {
        guard !pending.tickets.isEmpty else { return }
        let part = pending
        pending = PendingPublications()
        publisher(part.publications) { [mailbox, logger] error in
            if let error {
                logger.warning("publishing failed", metadata: ["err": "\(error)"])
            }
            let message = ShardMessage.published(
                part.tickets,
                error.map(ProtocolError.init(storing:))
            )
            guard !mailbox.post(message) else { return }
            logger.error("replies lost: the mailbox of their loop is full")
        }
    }

    /// Answers publish commands. A client that has gone meanwhile is not answered.
    func answer(_ tickets: [PublishTicket], _ error: ProtocolError?) {
        var rest = tickets[...]
        while let id = rest.first?.connection {
            let run = rest.prefix { $0.connection == id }
            rest = rest.dropFirst(run.count)
            guard case .client(let session) = session(of: id), session.webSocket.isOpen else {
                continue
            }
            output.removeAll(keepingCapacity: true)
            for ticket in run {
                appendText(
                    session,
                    session.centrifuge.answerPublish(
                        commandID: ticket.commandID,
                        error.map { .failure($0) } ?? .success(())
                    )
                )
            }
            connections.send(output, on: id)
        }
    }
}

/// What clients have published in the turn under way.
struct PendingPublications {
    var bytes = 0
    var publications: [(topic: Topic, data: [UInt8])] = []
    /// One for each publication.
    var tickets: [PublishTicket] = []
}

extension ProtocolError {
    /// What a client is told of a commit that failed. The log says more.
    fileprivate init(storing error: any Error) {
        switch (error as? StoreError)?.code {
        case .queueFull: self = .tooManyRequests
        case .changeTooBig: self = .limitExceeded
        default: self = .internalError
        }
    }
}
