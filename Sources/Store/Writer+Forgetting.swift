/// A topic that may be deleted.
struct QuietTopic: Sendable, Equatable {
    var topic: Topic
    /// The topic is no longer quiet if it has an event at or after this time.
    var before: Timestamp
}

extension Writer {
    /// Deletes the topics that are still quiet, and returns them. A publication since they were
    /// found precedes this write, and keeps its topic.
    func forget(
        _ quiet: [QuietTopic],
        _ isDurable: (Topic) -> Bool,
        in session: SQLSession
    ) throws -> [ForgottenTopic] {
        try quiet.compactMap { quiet in
            let found =
                isDurable(quiet.topic)
                ? try deleteRow(of: quiet, in: session) : memoryTopic(quiet)
            guard let found else { return nil }
            counters.forget(found)
            return found
        }
    }

    /// See `MemoryTopics.quietTopics`.
    func quietMemoryTopics(
        latest: Timestamp,
        in _: SQLSession,
        before: (Topic) -> Timestamp?
    ) -> [QuietTopic] {
        counters.memory.quietTopics(latest: latest, before: before)
    }

    /// Deletes everything about the topic in the file, except for the one cursor.
    ///
    /// - Returns: nil when the topic is not quiet.
    private func deleteRow(
        of quiet: QuietTopic,
        in session: SQLSession
    ) throws -> ForgottenTopic? {
        guard let row = try TopicRow.fetchOne(session, topic: quiet.topic),
            let time = row.pastTime, time < quiet.before
        else { return nil }
        guard try !row.hasPublications(in: session) else { return nil }
        try session.run(SQL.deleteKeysOfTopic, [row.id])
        try session.run(SQL.deleteVersionOfTopic, [row.id])
        try session.run(SQL.deleteTopic, [row.id])
        if row.topCursor > 0 {
            try session.run(
                SQL.upsertForgotten,
                [String(quiet.topic.namespace), Int64(row.topCursor)]
            )
        }
        return ForgottenTopic(quiet.topic, throughCursor: row.topCursor)
    }

    private func memoryTopic(_ quiet: QuietTopic) -> ForgottenTopic? {
        guard let row = counters.memory.row(of: quiet.topic), row.time < quiet.before else {
            return nil
        }
        return ForgottenTopic(quiet.topic, throughCursor: row.topCursor)
    }
}

extension TopicRow {
    /// Whether the topic has rows, including those of a removed history that wait for a trim.
    func hasPublications(in session: SQLSession) throws -> Bool {
        try session.integer(SQL.selectTopOffset, [id]) != nil
    }
}
