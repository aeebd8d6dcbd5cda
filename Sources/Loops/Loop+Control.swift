import ClientWire
import Core
import Reactor
import Service
import Wire

/// Requests of the server API to the connections of a loop.
extension Loop {
    /// The connections to which a request applies, in no order.
    private func meant(by connections: ServerAPIRequest.Connections) -> [ConnectionID] {
        let candidates =
            connections.user.isEmpty
            ? self.connections.openConnections() : admission.connections(of: connections.user)
        return candidates.filter { id in
            let session = session(of: id)
            guard let (name, user) = session.name else { return false }
            return hasSameBytes(user, connections.user) && (connections.client ?? name) == name
                && (connections.session ?? session.sessionName) == session.sessionName
        }
    }

    /// Those of them that use the client protocol.
    private func clients(
        _ connections: ServerAPIRequest.Connections
    ) -> [(id: ConnectionID, session: ClientSession)] {
        meant(by: connections).compactMap { id in
            guard case .client(let session) = session(of: id) else { return nil }
            return (id, session)
        }
    }

    /// - Parameter completion: receives whether the topic's history could be read.
    package func subscribe(
        _ request: ServerAPIRequest.Subscribe,
        _ completion: @escaping @Sendable (_ isRead: Bool) -> Void
    ) {
        guard !clients(request.connections).isEmpty else { return completion(true) }
        withHistories(of: [request.topic]) { loop, hasFailed in
            if !hasFailed { loop.subscribe(request) }
            completion(!hasFailed)
        }
    }

    private func subscribe(_ request: ServerAPIRequest.Subscribe) {
        // A subscription that has already expired does not begin: unlike a client's token, it has
        // no grace period.
        if let end = request.options.expiresAt, end <= HubClock.wall { return }
        var wish = SubscriptionWish(topic: request.topic)
        wish.since = request.options.since
        wish.origin = .serverAPI
        wish.topicInfo = request.options.info
        wish.presence = request.options.override.presence
        wish.joinLeave = request.options.override.joinLeave
        wish.pushesJoinLeave = request.options.override.pushesJoinLeave
        for (id, session) in clients(request.connections) {
            // A client that is already subscribed keeps its subscription.
            guard case .success(let begun) = begin(wish, session, on: id) else { continue }
            let recovered = begun.subscribed.recovery?.publications ?? []
            let subscription = ServerSubscription(
                topic: request.topic,
                subscribed: begun.subscribed,
                data: request.options.data
            )
            turn.clearOutput()
            let length = session.machine.subscribe(
                subscription,
                timeToLive: request.options.expiresAt.map(Loop.secondsUntil),
                &turn
            )
            turn.countWork(length)
            for publication in recovered {
                append(
                    CentrifugePush.publication(publication, encoding: session.encoding),
                    to: session
                )
            }
            sendOutput(session, on: id)
        }
    }

    package func unsubscribe(_ connections: ServerAPIRequest.Connections, from topic: Topic) {
        for id in meant(by: connections) { endSubscription(of: id, to: topic, .server) }
    }

    package func disconnect(_ request: ServerAPIRequest.Disconnect) {
        for id in meant(by: request.connections) {
            guard let name = session(of: id).name?.id, !request.spared.contains(name) else {
                continue
            }
            disconnect(id, request.code)
        }
    }

    /// Ends the connections that were opened with access tokens of these logins of a user. The
    /// clients do not reconnect, because the logins have ended.
    package func disconnect(user: String, logins: [String]) {
        for id in meant(by: .init(user: user)) {
            guard let login = session(of: id).login, logins.contains(login) else { continue }
            disconnect(id, .invalidToken)
        }
    }

    /// Ends what revoked tokens and blocked users have opened: connections, and the subscriptions
    /// of connections that stay.
    ///
    /// - Parameter user: nil for the connections of all users.
    package func endRevoked(user: String?) -> EndedByRevocation {
        let candidates =
            user.map { admission.connections(of: $0) } ?? connections.openConnections()
        var ended = EndedByRevocation()
        for id in candidates {
            let session = session(of: id)
            guard let name = session.name else { continue }
            if isRevoked(session.mark, of: name.user) {
                disconnect(id, .invalidToken)
                ended.connections += 1
            } else if case .client(let client) = session {
                ended.subscriptions += endRevokedSubscriptions(of: client, on: id)
            }
        }
        return ended
    }

    private func isRevoked(_ mark: TokenMark?, of user: String) -> Bool {
        guard let mark else { return false }
        return shared.endedLogins.revocations.refuses(mark, of: user, now: HubClock.wall)
    }

    /// Returns the number of ended subscriptions.
    private func endRevokedSubscriptions(of session: ClientSession, on id: ConnectionID) -> Int {
        let user = session.identity.user
        let revoked = session.subscriptions.filter { isRevoked($1.mark, of: user) }.keys
        for topic in revoked.sorted(by: { $0.name < $1.name }) {
            endSubscription(of: id, to: topic, .server)
        }
        return revoked.count
    }

    package func refresh(_ request: ServerAPIRequest.Refresh) {
        let timeToLive: UInt32?
        switch request.expiry {
        case .at(let end) where end > HubClock.wall: timeToLive = Loop.secondsUntil(end)
        case .now, .at:
            for id in meant(by: request.connections) { disconnect(id, .expired) }
            return
        case .never: timeToLive = nil
        }
        for (id, session) in clients(request.connections) {
            if let info = request.info { setInfo(info, of: session) }
            turn.clearOutput()
            turn.countWork(
                session.machine.refresh(timeToLive: timeToLive, &turn)
            )
            sendOutput(session, on: id)
        }
    }

    package func page(
        of topic: Topic,
        _ range: HistoryRange,
        countMax: Int
    ) -> Result<HistoryPage, ProtocolError> {
        hub.page(of: topic, range, countMax: countMax)
    }
}

/// The list of connections of the server API. It reads what the sessions have, and adds no work to
/// a delivery.
extension Loop {
    /// Ranks the matching connections at the places from `first` on.
    ///
    /// - Returns: the place to continue with; nil at the end of the table.
    /// - Complexity: O(`countMax`), and the subscriptions of the connections at these places.
    func ranks(
        of list: ServerAPIRequest.ConnectionList,
        from first: Int,
        countMax: Int
    ) -> (ranks: [ConnectionRank], next: Int?) {
        let end = min(sessions.count, first + countMax)
        guard first < end else { return ([], nil) }
        let ranks = (first..<end).compactMap { place -> ConnectionRank? in
            let session = sessions[place]
            guard let user = session.name?.user, let id = connections.id(at: UInt32(place)),
                list.user.map({ hasSameBytes($0, user) }) ?? true,
                list.topic.map({ hub.isSubscribed(Int32(place), to: $0) }) ?? true
            else { return nil }
            return ConnectionRank(
                loop: context.index,
                id: id,
                isSlow: session.isSlow(
                    id,
                    connections,
                    queueBytesMax: settings.connections.queueBytesMax
                ),
                queuedBytes: connections.queuedBytes(id),
                roundTrip: session.roundTrip ?? .zero
            )
        }
        return (ranks, end < sessions.count ? end : nil)
    }

    /// Describes connections, in their order; nil for one that has ended.
    func described(_ ids: [ConnectionID]) -> [ServerAPIResult.Connection?] {
        ids.map { id in
            session(of: id).described(
                id,
                connections,
                topicCount: hub.topics(of: Int32(id.index)).count,
                queueBytesMax: settings.connections.queueBytesMax,
                now: now
            )
        }
    }
}

/// Ends by the hub, in all protocols: of a connection, of one of its subscriptions, of all
/// subscriptions to a topic.
extension Loop {
    /// Ends a connection that receives publications, with a code. Does nothing for others.
    package func disconnect(_ id: ConnectionID, _ code: DisconnectCode) {
        switch session(of: id) {
        case .none, .http, .echo: break
        case .client(let session): disconnect(session, code, on: id)
        case .eventStream(let session): endStream(session, code, on: id)
        case .socketReader(let session): disconnect(session, code, on: id)
        }
    }

    /// Ends all subscriptions to a topic on this loop, and sends the subscribers the reason. A
    /// client that the rules still admit can subscribe again, so remove a topic from the rules
    /// before this call.
    ///
    /// - Parameter user: the user whose subscriptions continue; nil to end all.
    package func endTopic(_ topic: Topic, _ code: UnsubscribeCode, sparing user: String?) {
        for place in hub.subscribers(of: topic) {
            guard let id = connections.id(at: UInt32(place)) else { continue }
            if let user, let own = session(of: id).name?.user, hasSameBytes(own, user) { continue }
            endSubscription(of: id, to: topic, code)
        }
    }

    /// Ends a subscription, and sends the subscriber the reason. The connection of a reader without
    /// any other topic also ends. Does nothing if there is no such subscription.
    package func endSubscription(of id: ConnectionID, to topic: Topic, _ code: UnsubscribeCode) {
        switch session(of: id) {
        case .none, .http, .echo: break
        case .client(let session):
            turn.clearOutput()
            guard endSubscription(to: topic, code, session, on: id) else { return }
            sendOutput(session, on: id)
        case .eventStream(let session):
            guard hub.unsubscribe(Int32(id.index), from: topic) else { return }
            let actions = session.machine.subscriptionEnded(
                topic,
                code,
                isLast: isLeftWithoutTopics(id)
            )
            perform(actions, on: id)
        case .socketReader(let session):
            guard hub.unsubscribe(Int32(id.index), from: topic) else { return }
            switch session.content {
            case .cloudEvents:
                let cursor = session.machine.heldCursor ?? hub.newestCursor
                sendUnsubscribed(session, topic, code, cursor: cursor, on: id)
            // It has one topic, and only the Close frame can report the end.
            case .topic: break
            }
            if isLeftWithoutTopics(id) { disconnect(session, code.ofLastTopic, on: id) }
        }
    }

    private func isLeftWithoutTopics(_ id: ConnectionID) -> Bool {
        hub.topics(of: Int32(id.index)).isEmpty
    }
}

/// Another configuration, for new connections and subscriptions. Existing connections keep their
/// limits, and existing subscriptions continue even if a rule no longer allows them.
extension Loop {
    /// Takes settings, rules and keys, and ends the subscriptions to topics that no longer exist,
    /// and the streams of API keys that no longer allow them.
    ///
    /// - Returns: the number of connections that had such a subscription or key.
    package func use(_ update: LoopUpdate) -> Int {
        var next = update.settings
        // These are built into the connections' table and the pools.
        next.connections = settings.connections
        next.deflate = settings.deflate
        next.offersEcho = settings.offersEcho
        settings = next
        hub.use(settings.hub)
        admission.use(update)
        return connections.openConnections()
            .count { endUnknownSubscriptions(on: $0) || endStreamOfLostKey(on: $0) }
    }

    /// Returns false if there was none.
    private func endUnknownSubscriptions(on id: ConnectionID) -> Bool {
        endSubscriptions(.server, .stateInvalidated, on: id) { rules.features(of: $0) == nil }
    }

    /// Ends the subscriptions that the rules can no longer decide about, and topic sockets, whose
    /// domains have ended: changes of the rights reach this hub no longer. The clients subscribe
    /// again, and receive the temporary error.
    package func endUndecidedSubscriptions() {
        for id in connections.openConnections() {
            let session = session(of: id)
            if case .socketReader(let reader) = session, case .topic = reader.content {
                disconnect(reader, .insufficientState, on: id)
                continue
            }
            let user = session.name?.user ?? ""
            _ = endSubscriptions(.insufficientState, .insufficientState, on: id) {
                !rules.canDecide(about: $0, Identity(user: user))
            }
        }
    }

    /// - Parameter connectionCode: for connections that end with their subscription.
    /// - Returns: false if there was none.
    private func endSubscriptions(
        _ code: UnsubscribeCode,
        _ connectionCode: DisconnectCode,
        on id: ConnectionID,
        to isMeant: (Topic) -> Bool
    ) -> Bool {
        switch session(of: id) {
        case .none, .http, .echo: return false
        case .client(let session):
            let topics = session.subscriptions.keys.filter(isMeant)
            guard !topics.isEmpty else { return false }
            let isGranted = topics.contains {
                session.subscriptions[$0]?.origin == .connectionToken
            }
            // Only by connecting does a client get back a subscription that its token made.
            if code.resubscribes, isGranted {
                disconnect(session, connectionCode, on: id)
                return true
            }
            turn.clearOutput()
            for topic in topics.sorted(by: { $0.name < $1.name }) {
                endSubscription(to: topic, code, session, on: id)
            }
            sendOutput(session, on: id)
            return true
        // The readers reconnect, and are refused for the same reason.
        case .eventStream, .socketReader:
            let reads = hub.topics(of: Int32(id.index)).contains {
                !rules.isReserved($0) && isMeant($0)
            }
            guard reads else { return false }
            disconnect(id, connectionCode)
            return true
        }
    }
}

/// The memory that the loop holds for peers: counted in its `MemoryLedger`, and dropped if all peers
/// together hold more than `limits.memory` allows.
///
/// - **Unfinished input.** A frame of one kilobyte can inflate to a thousand, and a peer that answers
///   pings could keep it indefinitely. So the input of a connection is counted after each read, and a
///   message has a deadline.
/// - **Responses** that are longer than the queue of a connection are kept whole until their peers have
///   read them.
/// - **Queues** are counted once a turn. This adds no cost for connections that read: `Connections`
///   counts only where a socket accepts less than all bytes.
/// - **Topics.** Histories and their table are counted once for all loops, which share them; each loop
///   has tables of its subscriptions.
extension Loop {
    // MARK: Unfinished input

    /// Counts the input that a connection holds after a read. Call it after the output of the read
    /// is sent, because it may end connections, including this one.
    package func accountForInput(of id: ConnectionID) {
        let held = session(of: id).heldInput(waiting: waiting.heldBytes(of: id))
        // By far the most frequent case: all input was complete.
        guard held.bytes > 0 || held.isMidMessage else { return memory.removeInput(of: id) }
        let isMore = memory.setInput(
            held.bytes,
            of: id,
            rank: held.rank,
            isMidMessage: held.isMidMessage,
            deadline: now + settings.messageTimeout
        )
        // At once, not only at the end of the turn: very many connections can be ready in one turn.
        if isMore { giveUpInput() }
    }

    /// Closes WebSockets whose message has not ended in time.
    package func endOverdueMessages() {
        while let id = memory.takeOverdueMessage(
            now: now,
            extended: now + settings.messageTimeout
        ) {
            // The hub does not read from it, so the unfinished message is not the peer's fault.
            if waiting.contains(id) { continue }
            turn.counters.bounds[.messageTimeout] += 1
            let seconds = settings.messageTimeout.components.seconds
            closeWebSocket(id, .policyViolation, "message not finished within \(seconds) s")
            accountForInput(of: id)
        }
    }

    /// Drops unfinished input while its senders hold more than their ranks allow. For what anonymous
    /// peers exceed, only they pay.
    package func giveUpInput() {
        guard memory.hasInput else { return }
        giveUpInput(over: .anonymous)
        giveUpInput(over: .user)
    }

    private func giveUpInput(over rank: MemoryBudget.Rank) {
        let ids = memory.inputToGiveUp(over: rank, loopCount: shared.loopCount)
        var freed = 0
        for id in ids {
            let before = memory.inputBytes
            giveUpInput(of: id)
            freed += before - memory.inputBytes
        }
        note(.messages, count: ids.count, bytes: freed)
    }

    private func giveUpInput(of id: ConnectionID) {
        switch session(of: id) {
        case .none, .eventStream: break
        case .http(let session):
            perform(session.machine.giveUp(), session, on: id)
        case .client, .echo, .socketReader:
            waiting.dropInput(of: id)
            closeWebSocket(id, .tryAgainLater, "the hub is out of memory for messages")
        }
        memory.removeInput(of: id)
    }

    /// Closes a WebSocket of any protocol with a code of RFC 6455.
    private func closeWebSocket(_ id: ConnectionID, _ code: CloseCode, _ reason: String) {
        turn.clearOutput()
        switch session(of: id) {
        case .none, .http, .eventStream: break
        case .client(let session):
            session.machine.fail(code, reason, &turn)
            sendOutput(session, on: id)
        case .echo(let session):
            let actions = session.machine.fail(
                code,
                reason,
                settings.webSocketPolicy,
                &turn
            )
            perform(actions, on: id)
        case .socketReader(let session):
            let actions = session.machine.fail(
                code,
                reason,
                settings.webSocketPolicy,
                &turn
            )
            perform(actions, on: id)
        }
    }

    // MARK: Responses

    /// Counts a response that has not been sent whole at once.
    package func accountForAnswer(_ session: HTTPSession, of id: ConnectionID) {
        guard let length = session.machine.answerLength,
            memory.addAnswer(length, of: id, rank: session.rank)
        else { return }
        giveUpAnswers()
    }

    /// Ends connections while their peers hold more than their ranks allow.
    package func giveUpAnswers() {
        guard memory.hasAnswers else { return }
        for rank in [MemoryBudget.Rank.anonymous, .user] {
            let (ids, freed) = memory.giveUpAnswers(over: rank, loopCount: shared.loopCount)
            for id in ids { connections.abort(id) }
            note(.answers, count: ids.count, bytes: freed)
        }
    }

    // MARK: Queues

    /// Counts the bytes that the flush of a turn has left, and ends the connections with the
    /// longest queues while there is no room: first those of anonymous peers.
    package func accountForQueues() {
        let bytes = connections.backlogBytes
        memory.report(queues: bytes)
        guard bytes > 0 else { return }
        giveUpQueues(over: .anonymous)
        giveUpQueues(over: .user)
    }

    private func giveUpQueues(over exceeded: MemoryBudget.Rank) {
        let before = connections.backlogBytes
        guard
            var missing = memory.bytesToFree(
                for: .queues,
                holding: before,
                over: exceeded,
                loopCount: shared.loopCount
            )
        else { return }
        var count = 0
        for (id, bytes) in connections.backlogs().sorted(by: { $0.bytes > $1.bytes }) {
            guard missing > 0 else { break }
            guard exceeded != .anonymous || session(of: id).rank == .anonymous else { continue }
            connections.giveUp(id)
            missing -= bytes
            count += 1
        }
        guard count > 0 else { return }
        let left = connections.backlogBytes
        memory.report(queues: left)
        note(.queues, count: count, bytes: before - left)
    }

    // MARK: Topics

    /// Reports the change of the tables during a turn.
    package func accountForTopics() {
        let shared = isFirst ? hub.histories.sizes.topicCount * MemoryLedger.topicBytes : 0
        let bytes =
            shared + hub.subscribedTopicCount * MemoryLedger.subscribedTopicBytes
            + hub.subscriptionCount * MemoryLedger.subscriptionBytes
        memory.report(topics: bytes)
    }

    /// Whether the tables have room. They may use half of the memory that is available to a rank.
    package func hasRoomForSubscription(of rank: MemoryBudget.Rank) -> Bool {
        shared.budget.held(for: .topics) + MemoryLedger.subscriptionBytes
            <= shared.budget.limit(for: rank) / 2
    }

    /// Reports the change of the histories during a turn. The first loop reports for all.
    package func accountForHistories() {
        guard isFirst else { return }
        let sizes = hub.histories.sizes
        memory.report(histories: sizes.bytes)
        note(.histories, count: memory.newEvictions(of: sizes.evictedForMemoryCount))
    }

    // MARK: Losses

    /// Counts a loss, and logs it with the earlier ones of its kind if it is time to.
    private func note(_ loss: MemoryLedger.Loss, count: Int, bytes: Int = 0) {
        guard count > 0 else { return }
        turn.counters.bounds[.memory] += UInt64(count)
        guard let lost = memory.add(loss, count: count, bytes: bytes, now: now) else { return }
        shared.budget.log(loss, lost, histories: hub.histories.sizes.bytes, to: logger)
    }
}
