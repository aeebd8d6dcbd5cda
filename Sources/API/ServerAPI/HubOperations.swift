import ClientWire
import Loops
import Service

/// The server API's access to this process: its store and its loops.
package struct HubOperations: HubControl {
    package let transport: Transport
    package let store: HubStore
    /// All namespaces that were ever configured in this process.
    package let namespaces: Locked<NamespaceTable>
    package let shared: HubShared
    package let clock: HubClock
    package let node: String
    package let version: String
    package let started: Timestamp
    package let logger: Logger
    /// Asks the other nodes; nil without a cluster.
    package let surveys: ClusterSurveys?
    /// Finds which users are online; nil if the hub does not observe it.
    package let userStatuses: (any UserStatuses)?
    /// Extends an erasure to other data about the erased publications.
    package let extendErasure: @Sendable (inout Change) -> Void
    /// Ends the logins of a user of the hub's own accounts.
    package let endLogins: @Sendable (_ user: String) async throws -> Void
    /// Returns the change that publishes the events, with the webhooks that they cause.
    package let change: @Sendable ([TopicEvent]) -> Change
    /// Called after a commit that may have added or removed webhook messages.
    package let wakeOutbox: @Sendable () -> Void

    package init(
        transport: Transport,
        store: HubStore,
        namespaces: Locked<NamespaceTable>,
        shared: HubShared,
        clock: HubClock,
        node: String,
        version: String,
        started: Timestamp,
        logger: Logger,
        surveys: ClusterSurveys? = nil,
        userStatuses: (any UserStatuses)? = nil,
        extendErasure: @escaping @Sendable (inout Change) -> Void = { _ in },
        endLogins: @escaping @Sendable (_ user: String) async throws -> Void = { _ in },
        change: @escaping @Sendable ([TopicEvent]) -> Change = { Change(events: $0) },
        wakeOutbox: @escaping @Sendable () -> Void = {}
    ) {
        self.transport = transport
        self.store = store
        self.namespaces = namespaces
        self.shared = shared
        self.clock = clock
        self.node = node
        self.version = version
        self.started = started
        self.logger = logger
        self.surveys = surveys
        self.userStatuses = userStatuses
        self.extendErasure = extendErasure
        self.endLogins = endLogins
        self.change = change
        self.wakeOutbox = wakeOutbox
    }

    /// The maximum number of publications in one answer.
    private static let historyCountMax = 10_000
    /// The position of a publication that is not kept in a history.
    private static let outsideOfHistory = Position(offset: 0, epoch: "")

    package func firstUndecided(of topics: [Topic]) async -> Topic? {
        guard store.isShared, !topics.isEmpty else { return nil }
        let rules = transport.rules
        return topics.first { !rules.canDecide(about: $0, .anonymous) }
    }

    package func publish(
        _ publications: [NewPublication]
    ) async -> [Result<Position, ServerAPIError>] {
        let rules = transport.rules
        var results = [Result<Position, ServerAPIError>?](
            repeating: nil,
            count: publications.count
        )
        var events: [TopicEvent] = []
        var indices: [Int] = []
        for (index, publication) in publications.enumerated() {
            guard let features = rules.features(of: publication.topic) else {
                results[index] = .failure(rules.missing(publication.topic))
                continue
            }
            events.append(
                TopicEvent(publication, features, time: clock.now)
            )
            indices.append(index)
        }
        if !events.isEmpty {
            do {
                let change = change(events)
                let committed = try await store.commit(change, awaitsOutcome: false)
                if !change.deliveries.isEmpty { wakeOutbox() }
                for (index, outcome) in zip(indices, committed.outcomes) {
                    results[index] = result(of: outcome)
                }
            } catch {
                logger.warning(
                    "publishing failed",
                    metadata: ["err": "\(error)"],
                    source: LogSource.peer
                )
                let failure = ServerAPIError(storing: error)
                for index in indices { results[index] = .failure(failure) }
            }
        }
        return results.map { $0! }
    }

    private func result(of outcome: EventOutcome) -> Result<Position, ServerAPIError> {
        switch outcome {
        case .published(let publication, let epoch):
            guard publication.offset > 0 else { return .success(HubOperations.outsideOfHistory) }
            return .success(Position(offset: publication.offset, epoch: epoch.text))
        // The result of the first publication.
        case .duplicate(let position):
            return .success(position.offset > 0 ? position : HubOperations.outsideOfHistory)
        case .stale(let position): return .success(position)
        case .refused: return .failure(ServerAPIError(.limitExceeded))
        }
    }

    package var cluster: ClusterControl {
        ClusterControl(store: store, node: node, surveys: surveys, logger: logger)
    }

    // MARK: Connections

    package func subscribe(_ request: ServerAPIRequest.Subscribe) async throws(ServerAPIError) {
        try await features(of: request.topic)
        try await cluster.tell(.subscribe(request))
        let isRead = await transport.subscribe(request)
        await cluster.settle()
        guard isRead else { throw ServerAPIError(.internalError) }
    }

    package func unsubscribe(
        _ connections: ServerAPIRequest.Connections,
        from topic: Topic
    ) async throws(ServerAPIError) {
        let rules = transport.rules
        guard !rules.isReserved(topic) else { throw ServerAPIError(unknown: topic, rules) }
        try await cluster.tell(.unsubscribe(connections, topic: topic))
        await transport.onEachLoop { $0.unsubscribe(connections, from: topic) }
        await cluster.settle()
    }

    package func disconnect(_ request: ServerAPIRequest.Disconnect) async throws(ServerAPIError) {
        try await cluster.tell(.disconnect(request))
        await transport.onEachLoop { $0.disconnect(request) }
        await cluster.settle()
    }

    package func connections(
        _ request: ServerAPIRequest.ConnectionList
    ) async throws(ServerAPIError) -> ServerAPIResult.ConnectionList {
        if let topic = request.topic { try await features(of: topic) }
        return await transport.connections(request)
    }

    package func refresh(_ request: ServerAPIRequest.Refresh) async throws(ServerAPIError) {
        try await cluster.tell(.refresh(request))
        await transport.onEachLoop { $0.refresh(request) }
        await cluster.settle()
    }

    // MARK: Topics

    package func presence(in topic: Topic) async throws(ServerAPIError) -> [ClientInfo] {
        guard try await features(of: topic).presence else { throw ServerAPIError(.notAvailable) }
        return shared.presence.withLock { $0.clients(in: topic) }
    }

    package func presenceStats(
        of topic: Topic
    ) async throws(ServerAPIError) -> ServerAPIResult.PresenceStats {
        guard try await features(of: topic).presence else { throw ServerAPIError(.notAvailable) }
        let stats = shared.presence.withLock { $0.stats(of: topic) }
        return ServerAPIResult.PresenceStats(clientCount: stats.clients, userCount: stats.users)
    }

    package func history(
        _ request: ServerAPIRequest.History
    ) async throws(ServerAPIError) -> ServerAPIResult.History {
        if !transport.rules.keepsHistoryForKeys(request.topic) {
            guard try await features(of: request.topic).keepsHistory else {
                throw ServerAPIError(.notAvailable)
            }
        }
        let limit: Int
        switch request.limit {
        case .none: limit = 0
        case .count(let count): limit = count
        case .all: limit = -1
        }
        let range = HistoryRange(
            limit: limit,
            since: request.since,
            isReversed: request.isReversed
        )
        // All loops have the history. This one may be a commit behind another, but is never ahead
        // of the store.
        let page = await transport.onOneLoop(withHistoryOf: request.topic) {
            $0.page(of: request.topic, range, countMax: HubOperations.historyCountMax)
        }
        guard let page else { throw ServerAPIError(.internalError) }
        switch page {
        case .success(let page):
            return ServerAPIResult.History(
                publications: page.publications,
                position: page.position
            )
        case .failure(let error): throw ServerAPIError(error)
        }
    }

    package func removeHistory(of topic: Topic) async throws(ServerAPIError) {
        try await features(of: topic)
        do {
            _ = try await store.removeHistory(of: topic)
        } catch {
            logger.warning(
                "removing a history failed",
                metadata: ["err": "\(error)"],
                source: LogSource.peer
            )
            throw ServerAPIError(storing: error)
        }
        await cluster.settle()
    }

    package func erase(_ erasure: Erasure) async throws(ServerAPIError) {
        try await features(of: erasure.topic)
        var change = Change(erasures: [erasure])
        extendErasure(&change)
        do {
            _ = try await store.commit(change, awaitsOutcome: false)
            // Messages that waited behind an erased one are now due.
            wakeOutbox()
        } catch {
            logger.warning(
                "erasing from a history failed",
                metadata: ["err": "\(error)"],
                source: LogSource.peer
            )
            throw ServerAPIError(storing: error)
        }
        await cluster.settle()
    }

    package func statuses(
        of users: [String]
    ) async throws(ServerAPIError) -> [ServerAPIResult.UserStatus] {
        guard let userStatuses else {
            throw ServerAPIError(.notAvailable, "clients.lifecycle has no users")
        }
        do {
            return try await userStatuses.statuses(of: users)
        } catch {
            logger.warning(
                "reading the state of users failed",
                metadata: ["err": "\(error)"],
                source: LogSource.peer
            )
            throw ServerAPIError(.internalError)
        }
    }

    package func explanation(client: String, topic: Topic, offset: UInt64) async -> [UInt8] {
        let found = await transport.onEachLoop(withHistoryOf: topic) {
            (
                $0.outcome(client: client, topic: topic, offset: offset),
                $0.refusal(of: client, topic, offset: offset)
            )
        }
        let outcomes = found?.map(\.0) ?? [.unknown]
        // A client lives on one loop; the others have no record of it.
        let known = outcomes.first { $0 != .notSubscribed && $0 != .unknown }
        let outcome = known ?? outcomes.first { $0 == .unknown } ?? .notSubscribed
        let refusal = found?.lazy.compactMap(\.1).first
        return outcome.explanation(
            client: client,
            topic: topic,
            offset: offset,
            refusal: outcome == .notAuthorized ? refusal : nil
        )
    }

    @discardableResult
    private func features(
        of topic: Topic
    ) async throws(ServerAPIError) -> NamespaceRules.Features {
        let rules = transport.rules
        guard let features = rules.features(of: topic) else { throw rules.missing(topic) }
        return features
    }
}

extension NamespaceRules {
    /// The error for a topic that does not exist according to the state of this node.
    fileprivate func missing(_ topic: Topic) -> ServerAPIError {
        guard canDecide(about: topic, .anonymous) else {
            return ServerAPIError(undecided: topic)
        }
        return ServerAPIError(unknown: topic, self)
    }
}

extension ServerAPIError {
    /// The error for a topic that does not exist, with the key of the configuration to set: the holder
    /// of an API key may know it.
    init(unknown topic: Topic, _ rules: NamespaceRules) {
        guard !rules.isReserved(topic) else {
            self.init(.unknownChannel)
            return
        }
        let advice = RefusalAdvice.sentence(
            .unknown,
            .publish,
            on: topic,
            isConfigured: rules.features(ofNamespace: topic) != nil
        )
        let error = ProtocolError.unknownChannel
        self.init(advice.map { error.explained($0) } ?? error)
    }
}

extension TopicEvent {
    /// - Parameter features: those of the topic's namespace.
    init(
        _ publication: NewPublication,
        _ features: NamespaceRules.Features,
        time: Timestamp
    ) {
        self.init(
            topic: publication.topic,
            time: time,
            payload: publication.data,
            tags: publication.tags,
            keepsHistory: publication.keepsHistory && features.keepsHistory,
            allowsDelta: publication.allowsDelta && features.delta,
            idempotencyKey: publication.idempotencyKey,
            version: publication.version.map {
                EventVersion(number: $0.number, epoch: $0.epoch)
            },
            source: .serverAPI
        )
    }
}
