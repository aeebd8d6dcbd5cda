import Foundation
import GRDB

extension Writer {
    func apply(_ write: RadarWrite, in database: Database) throws {
        switch write {
        case .insert(let row):
            try database.run(SQL.insertRadar, row.insertArguments)
        case .update(let row):
            try change(row.id, SQL.updateRadar, row.updateArguments, in: database)
        case .nextPoll(let id, let time):
            try change(id, SQL.updateNextPoll, [time.milliseconds], in: database)
        case .opinion(let row):
            try change(row.radarID, SQL.insertOpinion, row.arguments, in: database)
        case .delete(let id):
            try database.run(SQL.noteDeletedRadar, [id])
            try database.run(SQL.deleteRadar, [id])
        case .cache(let row):
            try database.run(
                SQL.upsertStanceCache,
                [Data(row.key), Data(row.answer), row.time.milliseconds]
            )
        case .spending(let row):
            try database.run(SQL.insertSpending, [row.day, row.source])
            try database.run(
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
        _ arguments: StatementArguments,
        in database: Database
    ) throws {
        try database.run(sql, arguments + [radarID])
        guard database.changesCount == 1 else {
            throw StoreError(.notFound, "no radar \(radarID)", sql: sql, path: settings.path)
        }
    }
}

extension RadarRow {
    fileprivate var insertArguments: StatementArguments {
        [
            id, userID, topic, Data(interpretation), position, isPublic, refreshCount, segment,
            lastPolledAt?.milliseconds, nextPollAt.milliseconds, createdAt.milliseconds,
            updatedAt.milliseconds, Data(sources),
        ]
    }

    fileprivate var updateArguments: StatementArguments {
        [
            topic, Data(interpretation), position, isPublic, refreshCount, segment,
            lastPolledAt?.milliseconds, nextPollAt.milliseconds, updatedAt.milliseconds,
            Data(sources),
        ]
    }
}

extension OpinionRow {
    fileprivate var arguments: StatementArguments {
        [
            id, author, model, content, stance, confidence, reasoning, createdAt.milliseconds,
            source, provider, promptVersion, segment,
        ]
    }
}
