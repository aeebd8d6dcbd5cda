import DomainKit

/// The tables of radars, as they are inside of one transaction or snapshot.
///
/// `HubStore.commitRadars` and `readRadars` lend them to a function; they must not be used after it.
package struct RadarTables: DomainTables {
    let session: SQLSession
    private let path: String

    package init(_ session: SQLSession, path: String) {
        self.session = session
        self.path = path
    }

    // MARK: Writes

    /// - Throws: `StoreError` with the code `notFound` or `constraint`; see `RadarWrite`.
    package func apply(_ write: RadarWrite) throws {
        switch write {
        case .insert(let row):
            try session.run(RadarSQL.insertRadar, row.insertArguments)
        case .update(let row):
            try change(row.id, RadarSQL.updateRadar, row.updateArguments)
        case .nextPoll(let id, let time):
            try change(id, RadarSQL.updateNextPoll, [time.milliseconds])
        case .opinion(let row):
            try change(row.radarID, RadarSQL.insertOpinion, row.arguments)
        case .delete(let id):
            try session.run(RadarSQL.noteDeletedRadar, [id])
            try session.run(RadarSQL.deleteRadar, [id])
        case .cache(let row):
            try session.run(
                RadarSQL.upsertStanceCache,
                [row.key, row.answer, row.time.milliseconds]
            )
        case .spending(let row):
            try session.run(RadarSQL.insertSpending, [row.day, row.source])
            try session.run(
                RadarSQL.addSpending,
                [row.requests, row.tokens, row.day, row.source]
            )
            guard let user = row.user else { return }
            try session.run(RadarSQL.insertUserSpending, [row.day, row.source, user])
            try session.run(
                RadarSQL.addUserSpending,
                [row.requests, row.tokens, row.day, row.source, user]
            )
        }
    }

    /// The number of an API key by its digest, which is stored if it is not.
    package func pusher(of key: [UInt8]) throws -> Int {
        try session.run(RadarSQL.insertPusher, [key])
        guard let number = try session.integer(RadarSQL.selectPusher, [key]) else {
            throw StoreError(.notFound, "no pusher", sql: RadarSQL.selectPusher, path: path)
        }
        return number
    }

    /// Executes a statement that changes one row, or none if there is no such radar.
    ///
    /// - Parameter arguments: all except the last one, which is the radar's id.
    private func change(
        _ radarID: String,
        _ sql: String,
        _ arguments: SQLArguments
    ) throws {
        guard try session.changes(sql, arguments + [radarID]) == 1 else {
            throw StoreError(.notFound, "no radar \(radarID)", sql: sql, path: path)
        }
    }
}

extension RadarRow {
    fileprivate var insertArguments: SQLArguments {
        [
            id, userID, topic, interpretation, position, isPublic, refreshCount, segment,
            lastPolledAt?.milliseconds, nextPollAt.milliseconds, createdAt.milliseconds,
            updatedAt.milliseconds, sources, lastPoll, standing,
        ]
    }

    fileprivate var updateArguments: SQLArguments {
        [
            topic, interpretation, position, isPublic, refreshCount, segment,
            lastPolledAt?.milliseconds, nextPollAt.milliseconds, updatedAt.milliseconds,
            sources, lastPoll, standing,
        ]
    }
}

extension OpinionRow {
    fileprivate var arguments: SQLArguments {
        [
            id, author, model, content, stance, confidence, reasoning, createdAt.milliseconds,
            source, provider, promptVersion, segment, pushedBy,
        ]
    }
}
