import ClientWire

/// A connection to a hub as `CentrifugeVectors.Hub` describes it, carried out as a server does it.
final class TestConnection {
    private var hub: LoopTopics
    private var session: CentrifugeSession
    private let encoding: ClientEncoding
    private let vectors: CentrifugeVectors
    private let acceptance: CentrifugeVectors.Acceptance?
    private let subscription: CentrifugeVectors.Subscription?
    private let slot: Int32 = 4
    /// What the client got, as the vectors write it.
    private(set) var received: [String] = []
    private(set) var closeCode: UInt16?

    init(_ encoding: ClientEncoding, _ vector: CentrifugeVectors.Case) throws {
        self.encoding = encoding
        vectors = try CentrifugeVectors.file(encoding).get()
        acceptance = vector.acceptance
        subscription = vector.subscription
        let namespaces = vectors.hub.namespaces.mapValues {
            HistoryLimit(count: $0.historySize, age: nil)
        }
        hub = LoopTopics(
            epoch: vectors.hub.epoch,
            cursorBase: vectors.hub.cursorBase,
            namespaces: NamespaceTable(histories: namespaces)
        )
        for stored in vectors.hub.topics {
            let topic = Topic(trusted: stored.topic)
            try hub.restore(
                topic,
                topOffset: stored.topOffset,
                evictedOffset: stored.topOffset - UInt64(stored.publications.count),
                evictedCursor: stored.evictedCursor,
                publications: stored.publications.map { $0.publication(in: topic) }
            )
        }
        session = CentrifugeSession(
            limits: CentrifugeLimits(),
            encoding: encoding,
            usesFramePings: vector.acceptance?.framePings == true,
            now: 0
        )
    }

    private var form: WireForm { encoding == .json ? .centrifugeJSON : .centrifugeProtobuf }

    func send(_ frame: [UInt8]) {
        carryOut(session.receive(frame, now: 0))
    }

    func publish(_ publication: Publication) {
        hub.publish(publication)
        let subscribers = hub.subscribers(of: publication.topic, form: form)
        guard subscribers.contains(slot) else { return }
        take(CentrifugePush.publication(publication, encoding: encoding))
    }

    private func take(_ message: [UInt8]) {
        received.append(encoding.text(message))
    }

    private func carryOut(_ actions: [SessionAction]) {
        for action in actions {
            switch action {
            case .connect(_, let request):
                carryOut(session.answerConnect(.success(accept(request)), now: 0))
            case .subscribe(let request):
                take(session.answerSubscribe(request, subscribe(request), now: 0))
            case .unsubscribe(let id, let topic):
                let wasSubscribed = hub.unsubscribe(slot, from: topic)
                take(
                    session.answerUnsubscribe(
                        commandID: id,
                        topic: topic,
                        wasSubscribed: wasSubscribed
                    )
                )
            case .publish(let request):
                let isAllowed = vectors.hub.publishTo.contains(String(request.topic.namespace))
                take(
                    session.answerPublish(
                        commandID: request.commandID,
                        isAllowed ? .success(()) : .failure(.permissionDenied)
                    )
                )
            case .presence(let id, let topic):
                take(session.answerPresence(commandID: id, .success(clients(in: topic))))
            case .presenceStats(let id, let topic):
                let clients = clients(in: topic)
                let counts = PresenceCounts(
                    clients: UInt32(clients.count),
                    users: UInt32(Set(clients.map(\.user)).count)
                )
                take(session.answerPresenceStats(commandID: id, .success(counts)))
            case .history(let request):
                take(session.answerHistory(commandID: request.commandID, history(request)))
            case .rpc(let request):
                take(
                    session.answerRPC(
                        commandID: request.commandID,
                        request.method == "echo"
                            ? .success(request.data ?? []) : .failure(.methodNotFound)
                    )
                )
            case .send: break
            case .refresh(let id, let token):
                take(session.answerRefresh(commandID: id, refresh(token), now: 0))
            case .subRefresh(let id, let topic, let token):
                let answer = refresh(token).map(\.timeToLiveSeconds)
                take(session.answerSubRefresh(commandID: id, topic: topic, answer, now: 0))
            case .connectionExpired, .subscriptionExpired, .ping:
                preconditionFailure("no time passes in the vectors")
            case .reply(let message), .tooManySubscriptions(let message):
                take(message)
            case .disconnect(let code):
                closeCode = code.code
            }
        }
    }

    // MARK: Decisions

    private func accept(_ request: ConnectRequest) -> ConnectAcceptance {
        ConnectAcceptance(
            clientID: vectors.connect.client,
            sessionID: vectors.connect.session,
            node: vectors.connect.node,
            version: vectors.connect.version,
            data: acceptance?.data.map { Array($0.utf8) },
            timeToLiveSeconds: acceptance?.ttl,
            subscriptions: (acceptance?.subs ?? []).compactMap { name in
                let topic = Topic(trusted: name)
                let since = request.subscriptions[topic]?.since
                let answer = try? hub.subscribe(slot, form: form, to: topic, since: since)
                return answer.map { ServerSubscription(topic: topic, subscribed: $0) }
            }
        )
    }

    private func subscribe(
        _ request: SubscribeRequest
    ) -> Result<SubscribeAcceptance, ProtocolError> {
        do {
            let subscribed = try hub.subscribe(
                slot,
                form: form,
                to: request.topic,
                since: request.since,
                mustRecover: request.mustRecover
            )
            return .success(
                SubscribeAcceptance(
                    subscribed,
                    timeToLiveSeconds: subscription?.ttl,
                    data: subscription?.data.map { Array($0.utf8) },
                    usesDelta: request.wantsDelta && subscription?.delta == true
                )
            )
        } catch {
            return .failure(ProtocolError(error))
        }
    }

    private func clients(in topic: Topic) -> [ClientInfo] {
        vectors.hub.clients.filter { $0.topic == topic.name }.map(\.info)
    }

    private func history(_ request: HistoryRequest) -> Result<HistoryAnswer, ProtocolError> {
        guard let history = hub.history(of: request.topic) else { return .failure(.unknownChannel) }
        if let since = request.since, since.epoch != history.epoch {
            return .failure(.unrecoverablePosition)
        }
        let start = request.since?.offset ?? 0
        var publications = history.newest(.max).filter { $0.offset > start }
        if request.reverse { publications.reverse() }
        let limit = request.limit < 0 ? publications.count : Int(request.limit)
        return .success(
            HistoryAnswer(
                publications: Array(publications.prefix(limit)),
                position: history.position
            )
        )
    }

    private func refresh(_ token: String) -> Result<RefreshAcceptance, ProtocolError> {
        // As a hub that may receive its key later.
        guard token == vectors.hub.token.text else { return .failure(.internalError) }
        return .success(
            RefreshAcceptance(
                clientID: vectors.connect.client,
                version: vectors.connect.version,
                timeToLiveSeconds: vectors.hub.token.ttl
            )
        )
    }
}
