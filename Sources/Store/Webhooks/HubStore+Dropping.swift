extension HubStore {
    /// Ends an endpoint's oldest pending deliveries, in small transactions: those beyond the newest
    /// `countMax`, and those created before `time`.
    ///
    /// - Parameters:
    ///   - inFlight: deliveries whose attempt is in progress. They stay, and count.
    ///   - record: returns the new state of an ended delivery.
    /// - Returns: the number of ended deliveries.
    package func endPending(
        of endpoint: String,
        beyond countMax: Int,
        createdBefore time: Timestamp,
        except inFlight: Set<Int64>,
        record: (StoredDelivery) -> DeliveryRecord
    ) async throws -> Int {
        let surplus = try await pendingID(of: endpoint, behindNewest: countMax) ?? 0
        let rowsMax = limits.trimRowsMax
        var last: Int64 = 0
        var sum = 0
        while true {
            let read = try await deliveries(SQL.selectPendingBehind, [endpoint, last, rowsMax])
            // Ids and times ascend together, except for messages that were sent again.
            let ended = read.prefix { $0.id <= surplus || $0.createdAt < time }
            let records = ended.filter { !inFlight.contains($0.id) }.map(record)
            sum += try await write(records)
            guard ended.count == rowsMax, let id = ended.last?.id else { return sum }
            last = id
        }
    }

    /// Deletes the deliveries that concern these topics and no others, pending or ended, in small
    /// transactions. Wake the outbox afterwards: others may have waited for them.
    ///
    /// - Parameter subjects: those of the topics' events: earlier releases stored deliveries
    ///   without topics.
    /// - Complexity: O(deliveries), in small pieces: give all topics at once.
    package func eraseDeliveries(of topics: [Topic], subjects: [String] = []) async throws {
        for topic in topics { try await eraseTaggedDeliveries(of: topic) }
        let (topics, subjects) = (Set(topics), Set(subjects.compactMap { try? Topic($0) }))
        try await eraseUntaggedDeliveries { topics.contains($0) || subjects.contains($0) }
    }

    /// Deletes the deliveries of events of topics that fulfil a condition, as the other one.
    ///
    /// - Complexity: O(deliveries and their topics), in small pieces.
    package func eraseDeliveries(where isWanted: @Sendable (Topic) -> Bool) async throws {
        let rowsMax = limits.trimRowsMax
        var last: String? = ""
        while let after = last {
            let names = try await reading { session in
                try session.rows(SQL.selectTaggedTopics, [after, rowsMax]) { try $0[0] as String }
            }
            last = names.count == rowsMax ? names.last : nil
            for topic in names.compactMap({ try? Topic($0) }) where isWanted(topic) {
                try await eraseTaggedDeliveries(of: topic)
            }
        }
        try await eraseUntaggedDeliveries(where: isWanted)
    }

    /// Deletes the deliveries that concern a topic and no other, except those of earlier releases,
    /// whose topics are not stored.
    ///
    /// - Complexity: O(deliveries of the topic).
    package func eraseTaggedDeliveries(of topic: Topic) async throws {
        let rowsMax = limits.trimRowsMax
        var written = Written()
        repeat {
            written = try await write { session in
                let rows = try session.integers(SQL.selectDeliveriesOfTopic, [topic.name, rowsMax])
                return Written(
                    rowCount: rows.count,
                    erasedDeliveries: try session.eraseDeliveries(
                        Set(rows).sorted(),
                        ofTopic: topic.name
                    )
                )
            }
        } while written.rowCount == rowsMax
    }

    /// - Parameter isWanted: takes a row's topic, or the event's subject in place of a missing one. Other
    ///   subjects are not those of topics.
    private func eraseUntaggedDeliveries(where isWanted: (Topic) -> Bool) async throws {
        let rowsMax = limits.trimRowsMax
        var last: Int64? = 0
        while let after = last {
            let page = try await reading { session in
                try session.rows(SQL.selectDeliveryTopics, [after, rowsMax]) { row in
                    (id: try row[0] as Int, topic: try row[1] as String?)
                }
            }
            last = page.count == rowsMax ? page.last.map { Int64($0.id) } : nil
            let wanted = page.filter { delivery in
                delivery.topic.flatMap { try? Topic($0) }.map(isWanted) ?? false
            }
            guard !wanted.isEmpty else { continue }
            _ = try await write { session in
                var written = Written()
                for delivery in wanted {
                    written.erasedDeliveries += try session.eraseDeliveries(
                        [delivery.id],
                        ofTopic: delivery.topic ?? ""
                    )
                }
                return written
            }
        }
    }

    /// Whether more than `count` deliveries of an endpoint are pending.
    package func hasPending(of endpoint: String, moreThan count: Int) async throws -> Bool {
        try await pendingID(of: endpoint, behindNewest: count) != nil
    }

    /// Returns the newest pending delivery of an endpoint that has `count` newer ones; nil if there
    /// is none.
    private func pendingID(of endpoint: String, behindNewest count: Int) async throws -> Int64? {
        try await reading { session in
            try session.integer(SQL.selectPendingBehindNewest, [endpoint, count]).map { Int64($0) }
        }
    }

    private func write(_ records: [DeliveryRecord]) async throws -> Int {
        guard !records.isEmpty else { return 0 }
        let length = records.reduce(0) { $0 + Change.rowBytes + $1.state.count }
        return try await write(length: length) { session in
            var count = 0
            for record in records { count += try session.update(record) }
            return Written(rowCount: count)
        }.rowCount
    }
}

extension SQL {
    fileprivate static let selectPendingBehind = """
        SELECT \(StoredDelivery.columns) FROM delivery INDEXED BY delivery_pending
        WHERE status = 0 AND endpoint = ? AND id > ? ORDER BY id LIMIT ?
        """
    fileprivate static let selectDeliveryTopics =
        "SELECT id, coalesce(topic, subject) FROM delivery WHERE id > ? ORDER BY id LIMIT ?"
    fileprivate static let selectTaggedTopics =
        "SELECT DISTINCT topic FROM delivery_tag WHERE topic > ? ORDER BY topic LIMIT ?"
    fileprivate static let selectPendingBehindNewest = """
        SELECT id FROM delivery INDEXED BY delivery_pending
        WHERE status = 0 AND endpoint = ? ORDER BY id DESC LIMIT 1 OFFSET ?
        """
}
