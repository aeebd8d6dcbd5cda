extension Writer {
    func apply(_ write: RadarWrite, in session: SQLSession) throws {
        switch write {
        case .insert(let row):
            try session.run(SQL.insertRadar, row.insertArguments)
        case .update(let row):
            try change(row.id, SQL.updateRadar, row.updateArguments, in: session)
        case .nextPoll(let id, let time):
            try change(id, SQL.updateNextPoll, [time.milliseconds], in: session)
        case .opinion(let row):
            try change(row.radarID, SQL.insertOpinion, row.arguments, in: session)
        case .delete(let id):
            try session.run(SQL.noteDeletedRadar, [id])
            try session.run(SQL.deleteRadar, [id])
        case .cache(let row):
            try session.run(
                SQL.upsertStanceCache,
                [row.key, row.answer, row.time.milliseconds]
            )
        case .spending(let row):
            try session.run(SQL.insertSpending, [row.day, row.source])
            try session.run(
                SQL.addSpending,
                [row.requests, row.tokens, row.day, row.source]
            )
        }
    }

    /// Executes a statement that changes one row, and none when there is no such radar.
    ///
    /// - Parameter arguments: all but the last one, which is the radar's id.
    private func change(
        _ radarID: String,
        _ sql: String,
        _ arguments: SQLArguments,
        in session: SQLSession
    ) throws {
        guard try session.changes(sql, arguments + [radarID]) == 1 else {
            throw StoreError(.notFound, "no radar \(radarID)", sql: sql, path: settings.path)
        }
    }
}

extension RadarRow {
    fileprivate var insertArguments: SQLArguments {
        [
            id, userID, topic, interpretation, position, isPublic, refreshCount, segment,
            lastPolledAt?.milliseconds, nextPollAt.milliseconds, createdAt.milliseconds,
            updatedAt.milliseconds, sources,
        ]
    }

    fileprivate var updateArguments: SQLArguments {
        [
            topic, interpretation, position, isPublic, refreshCount, segment,
            lastPolledAt?.milliseconds, nextPollAt.milliseconds, updatedAt.milliseconds,
            sources,
        ]
    }
}

extension OpinionRow {
    fileprivate var arguments: SQLArguments {
        [
            id, author, model, content, stance, confidence, reasoning, createdAt.milliseconds,
            source, provider, promptVersion, segment,
        ]
    }
}
