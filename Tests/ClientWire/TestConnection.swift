import ClientWire
import PubSub

/// A connection to a hub as `CentrifugeVectors.Hub` describes it, carried out as a server does it.
final class TestConnection {
    private var hub: Hub
    private var session: CentrifugeSession
    private let acceptance: ConnectAcceptance
    private let slot: Int32 = 4
    /// What the client got, one object each.
    private(set) var received: [String] = []
    private(set) var closeCode: UInt16?

    init(_ vectors: CentrifugeVectors, limits: CentrifugeLimits = CentrifugeLimits()) throws {
        let namespaces = vectors.hub.namespaces.mapValues {
            HistoryLimit(count: $0.historySize, age: nil)
        }
        hub = Hub(
            epoch: vectors.hub.epoch,
            cursorBase: vectors.hub.cursorBase,
            namespaces: NamespaceTable(histories: namespaces)
        )
        for stored in vectors.hub.topics {
            let topic = Topic(trusted: stored.topic)
            try hub.restore(
                topic,
                topOffset: stored.topOffset,
                evictedCursor: stored.evictedCursor,
                publications: stored.publications.map { $0.publication(in: topic) }
            )
        }
        acceptance = ConnectAcceptance(
            clientID: vectors.connect.client,
            sessionID: vectors.connect.session,
            node: vectors.connect.node,
            version: vectors.connect.version
        )
        session = CentrifugeSession(limits: limits, now: 0)
    }

    func send(_ message: String) {
        carryOut(session.receive(Array(message.utf8), now: 0))
    }

    func publish(_ publication: Publication) {
        hub.publish(publication)
        let subscribers = hub.subscribers(of: publication.topic, form: .centrifugeJSON)
        guard subscribers.contains(slot) else { return }
        received.append(text(CentrifugePush.publication(publication)))
    }

    private func carryOut(_ actions: [SessionAction]) {
        for action in actions {
            switch action {
            case .connect:
                carryOut(session.answerConnect(.success(acceptance), now: 0))
            case .subscribe(let request):
                received.append(text(session.answerSubscribe(request, subscribe(request))))
            case .unsubscribe(let commandID, let topic):
                let wasSubscribed = hub.unsubscribe(slot, from: topic)
                received.append(
                    text(
                        session.answerUnsubscribe(
                            commandID: commandID,
                            wasSubscribed: wasSubscribed
                        )
                    )
                )
            case .publish(let request):
                // In the vectors nobody may publish.
                received.append(
                    text(
                        session.answerPublish(
                            commandID: request.commandID,
                            .failure(.permissionDenied)
                        )
                    )
                )
            case .reply(let bytes):
                received.append(text(bytes))
            case .disconnect(let code):
                closeCode = code.code
            }
        }
    }

    private func subscribe(_ request: SubscribeRequest) -> Result<Subscribed, ProtocolError> {
        do {
            return .success(
                try hub.subscribe(
                    slot,
                    form: .centrifugeJSON,
                    to: request.topic,
                    since: request.since,
                    mustRecover: request.mustRecover
                )
            )
        } catch {
            return .failure(ProtocolError(error))
        }
    }
}

func text(_ bytes: [UInt8]) -> String {
    String(decoding: bytes, as: UTF8.self)
}
