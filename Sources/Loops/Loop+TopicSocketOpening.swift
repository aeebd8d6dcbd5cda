import ClientWire
import Reactor
import Service
import Wire

/// The first messages of topic sockets that have some: `TopicSocketOpening`.
extension Loop {
    /// Reads the first messages of a reader outside of the loop, and then serves it.
    package func open(
        _ opening: TopicSocketOpening,
        _ request: TopicSocketOpening.Request,
        on id: ConnectionID
    ) {
        Task { [self] in
            do {
                try await opening.read(request) { [self] messages in
                    post { $0.begin(messages, on: id) }
                }
            } catch let refusal as TopicSocketRefusal {
                post { $0.disconnect(id, refusal.code) }
            } catch {
                logger.error(
                    "socket not opened",
                    metadata: ["name": "\(request.name)", "err": "\(error)"],
                    source: LogSource.peer
                )
                post { $0.disconnect(id, .serverError) }
            }
        }
    }

    /// If the loop accepts no message, it has ended, and its connections with it.
    private nonisolated func post(_ body: @escaping @Sendable (isolated Loop) -> Void) {
        _ = mailbox.post(.work(LoopMessage.Work(body: body)))
    }

    /// Sends the first messages of a reader, if it is still connected.
    private func begin(_ messages: [[UInt8]], on id: ConnectionID) {
        guard case .socketReader(let session) = session(of: id), session.machine.begin() else {
            return
        }
        let place = Int32(id.index)
        for topic in hub.topics(of: place) { hub.move(place, of: topic, to: session.content.form) }
        turn.counters.deliveries += UInt64(messages.count)
        turn.clearOutput()
        for message in messages { session.machine.send(message, output: &turn.output) }
        connections.send(turn.output, on: id)
    }
}
