/// The publication of an event.
///
/// First its idempotency key is looked up, then its version is compared: either may end it with an
/// outcome that contains the topic's position. Then its numbers are assigned, and key and version
/// are stored, for durable topics in the same transaction as its row.
extension Writer {
    func publish(
        _ events: [TopicEvent],
        _ isDurable: (Topic) -> Bool,
        in session: SQLSession
    ) throws -> [EventOutcome] {
        var outcomes: [EventOutcome] = []
        outcomes.reserveCapacity(events.count)
        try readAhead(events, isDurable, in: session)
        var insertion: PublicationInsert?
        for event in events {
            if let key = event.idempotencyKey { try check(key) }
            guard isDurable(event.topic) else {
                outcomes.append(
                    try publishInMemory(event) { try counters.nextCursorWithoutRow(in: session) }
                )
                continue
            }
            let statement = try insertion ?? PublicationInsert(session)
            insertion = statement
            outcomes.append(try publishDurably(event, statement, in: session))
        }
        return outcomes
    }

    // MARK: Durable topics

    private func publishDurably(
        _ event: TopicEvent,
        _ insertion: PublicationInsert,
        in session: SQLSession
    ) throws -> EventOutcome {
        if event.isConditional, let refusal = try refusal(of: event, in: session) {
            return refusal
        }
        guard event.keepsHistory else {
            let cursor = try counters.nextCursorWithoutRow(in: session)
            if event.isConditional { try noteConditions(of: event, offset: 0, in: session) }
            return .published(event.publication(offset: 0, cursor: cursor), epoch(beginning: 0))
        }
        let (row, cursor) = try counters.next(of: event.topic, at: event.time, in: session)
        let offset = row.topOffset
        var event = event
        event.time = row.newestTime
        try insertion.run(event, topicID: row.id, offset: offset, cursor: cursor)
        if event.isConditional { try noteConditions(of: event, offset: offset, in: session) }
        return .published(
            event.publication(offset: offset, cursor: cursor),
            epoch(beginning: row.beginning)
        )
    }

    private func epoch(beginning: UInt64) -> TopicEpoch {
        TopicEpoch(store: settings.epoch, beginning: beginning)
    }

    /// The time by which an event's key ages: that of the event. In a cluster it is the server's: a
    /// node whose clock is ahead would take the keys of the others for expired.
    private func keyTime(of event: TopicEvent) -> Timestamp { sharedTime ?? event.time }

    /// Returns the outcome of a conditional event that is not published; nil when it is.
    private func refusal(
        of event: TopicEvent,
        in session: SQLSession
    ) throws -> EventOutcome? {
        let topic = try counters.row(of: event.topic, in: session)
        if let key = event.idempotencyKey,
            let use = try use(of: KeyID(key, ofTopic: topic.id), in: session),
            keyTime(of: event) - use.time <= settings.limits.idempotencyWindow
        {
            return .duplicate(
                Position(offset: use.offset, epoch: epoch(beginning: topic.beginning).text)
            )
        }
        if let version = event.version {
            guard version.isAbove(try self.version(ofTopic: topic.id, in: session)) else {
                return .stale(
                    Position(
                        offset: topic.topOffset,
                        epoch: epoch(beginning: topic.beginning).text
                    )
                )
            }
        }
        return nil
    }

    private func use(of id: KeyID, in session: SQLSession) throws -> KeyUse? {
        if let known = conditions.use(of: id) { return known }
        return try session.row(SQL.selectIdempotencyKey, [id.topicID, id.key.text])
            .map { try KeyUse($0, 0) }
    }

    private func version(ofTopic id: Int64, in session: SQLSession) throws -> EventVersion? {
        if let known = conditions.version(ofTopic: id) { return known }
        return try session.row(SQL.selectVersion, [id]).map { try EventVersion($0, 0) }
    }

    private func noteConditions(
        of event: TopicEvent,
        offset: UInt64,
        in session: SQLSession
    ) throws {
        let topic = try counters.row(of: event.topic, in: session)
        if let key = event.idempotencyKey {
            let (id, use) = (
                KeyID(key, ofTopic: topic.id), KeyUse(offset: offset, time: keyTime(of: event))
            )
            try session.insert(use, of: id)
            conditions.note(use, of: id)
        }
        if let version = event.version {
            try session.setVersion(version, ofTopic: topic.id)
            conditions.add(version, ofTopic: topic.id)
        }
        if offset == 0 { try session.setPastTime(event.time, ofTopic: topic.id) }
    }

    /// Deletes as many expired keys as keep pace with those that the transaction has added.
    func forgetKeysForNew(in session: SQLSession) throws {
        guard let time = conditions.newestKeyTime else { return }
        try forgetKeys(now: time, rowsMax: 2 * conditions.newKeyCount, in: session)
    }

    /// Deletes those of the oldest keys in the file that are beyond the limits.
    ///
    /// - Parameter rowsMax: the number of keys to check. Twice the number of new keys keeps pace
    ///   with them.
    /// - Returns: the number of deleted keys.
    @discardableResult
    func forgetKeys(now: Timestamp, rowsMax: Int, in session: SQLSession) throws -> Int {
        let limits = settings.limits
        guard let newestID = try session.integer(SQL.selectNewestIdempotencyKey) else { return 0 }
        var lastID: Int64?
        try session.forEach(SQL.selectOldestIdempotencyKeys, [rowsMax]) { row in
            let id: Int64 = try row[0]
            let age = (sharedTime ?? now) - Timestamp(milliseconds: try row[1])
            let isOver = Int64(newestID) - id >= Int64(limits.idempotencyKeysMax)
            guard isOver || age > limits.idempotencyWindow else { return false }
            lastID = id
            return true
        }
        guard let lastID else { return 0 }
        return try session.changes(SQL.deleteIdempotencyKeys, [lastID])
    }

    private func check(_ key: String) throws {
        let length = key.utf8.count
        let lengthMax = TopicEvent.idempotencyKeyLengthMax
        guard (1...lengthMax).contains(length) else {
            throw StoreError(
                .constraint,
                "idempotency key length \(length) is not in 1 to \(lengthMax)",
                path: settings.path
            )
        }
    }

    // MARK: Memory topics

    /// The same for a write of the lane, during a transaction.
    func publishBeside(_ events: [TopicEvent]) throws -> [EventOutcome] {
        try events.map { event in
            if let key = event.idempotencyKey { try check(key) }
            return try publishInMemory(event) { counters.nextCursorBeside() }
        }
    }

    private func publishInMemory(
        _ event: TopicEvent,
        nextCursor: () throws -> UInt64
    ) throws -> EventOutcome {
        let topic = event.topic
        if event.isConditional, let refusal = memoryRefusal(of: event) { return refusal }
        if event.keepsHistory || event.version != nil,
            let refusal = counters.memory.refusal(
                of: topic,
                from: event.source,
                settings.memoryLimits(topic)
            )
        {
            guard event.source == .hub else { return .refused(refusal) }
            throw StoreError(
                .tooManyTopics,
                "\(refusal.limit) topics in memory, the limit",
                path: settings.path
            )
        }
        let cursor = try nextCursor()
        let row = event.keepsHistory ? counters.nextInMemory(of: event, cursor: cursor) : nil
        let offset = row?.topOffset ?? 0
        var publication = event
        if let row { publication.time = row.time }
        if let key = event.idempotencyKey {
            counters.memory.remember(key, in: topic, offset: offset, at: event.time)
        }
        if let version = event.version {
            counters.memory.set(version, of: topic, at: event.time, from: event.source)
        }
        return .published(
            publication.publication(offset: offset, cursor: cursor),
            memoryEpoch(beginning: row?.beginning ?? 0)
        )
    }

    private func memoryEpoch(beginning: UInt64) -> TopicEpoch {
        TopicEpoch(store: settings.memoryEpoch, beginning: beginning)
    }

    private func memoryRefusal(of event: TopicEvent) -> EventOutcome? {
        let memory = counters.memory
        let row = memory[event.topic]
        let epoch = memoryEpoch(beginning: row.beginning).text
        if let key = event.idempotencyKey,
            let offset = memory.offset(of: key, in: event.topic, at: event.time)
        {
            return .duplicate(Position(offset: offset, epoch: epoch))
        }
        guard let version = event.version, !version.isAbove(row.version) else { return nil }
        return .stale(Position(offset: row.topOffset, epoch: epoch))
    }
}
