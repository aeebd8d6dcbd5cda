import Aurora
import DomainKit

/// The table of forecasts and outcomes, within one transaction or snapshot.
package struct AuroraTables: DomainTables {
    private let session: SQLSession

    package init(_ session: SQLSession, path: String) { self.session = session }

    /// A released step is never edited: a change is a new step.
    package static let migrations = [Migration("aurora.1", sql: aurora1)]

    /// One row for each place, hour and lead. `target` is in milliseconds, `lead` in hours;
    /// `outcome` is null until the hour is over, and remains so if it was not measured.
    private static let aurora1 = """
        CREATE TABLE aurora_forecast (
            id INTEGER PRIMARY KEY,
            place TEXT NOT NULL CHECK (length(place) BETWEEN 1 AND 64),
            target INTEGER NOT NULL,
            lead INTEGER NOT NULL CHECK (lead > 0),
            score REAL NOT NULL CHECK (score BETWEEN 0 AND 100),
            moderate REAL NOT NULL CHECK (moderate BETWEEN 0 AND 1),
            good REAL NOT NULL CHECK (good BETWEEN 0 AND 1),
            persistence REAL NOT NULL CHECK (persistence BETWEEN 0 AND 100),
            outcome REAL CHECK (outcome BETWEEN 0 AND 100)
        ) STRICT;
        CREATE UNIQUE INDEX aurora_forecast_by_target ON aurora_forecast (target, place, lead);
        """

    /// A forecast that is there already is the earlier one of its hour and stays.
    package func insert(_ forecast: StoredForecast) throws {
        try session.run(
            """
            INSERT INTO aurora_forecast
            (place, target, lead, score, moderate, good, persistence) VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT DO NOTHING
            """,
            [
                forecast.place, forecast.target.milliseconds, forecast.lead, forecast.score,
                forecast.moderate, forecast.good, forecast.persistence,
            ]
        )
    }

    package func set(_ outcome: ForecastOutcome) throws {
        try session.run(
            "UPDATE aurora_forecast SET outcome = ? WHERE target = ? AND place = ?",
            [outcome.score, outcome.target.milliseconds, outcome.place]
        )
    }

    /// The skill of each place, lead and level.
    package func skills(_ bounds: LevelBounds) throws -> [AuroraSkill] {
        try ForecastEvaluation.levels.flatMap { level in
            // The level's name is that of its column.
            try session.rows(
                """
                SELECT place, lead, count(*), sum(was),
                    sum((\(level.rawValue) - was) * (\(level.rawValue) - was)),
                    sum(CASE WHEN (persistence >= ?1) <> (was = 1) THEN 1 ELSE 0 END)
                FROM (
                    SELECT *, CASE WHEN outcome >= ?1 THEN 1 ELSE 0 END AS was
                    FROM aurora_forecast WHERE outcome IS NOT NULL) AS known
                GROUP BY place, lead ORDER BY place, lead
                """,
                [bounds.bound(of: level)]
            ) { row in
                let mistakes: Int = try row[5]
                return AuroraSkill(
                    place: try row[0],
                    lead: try row[1],
                    level: level,
                    skill: ForecastSkill(
                        count: try row[2],
                        events: try row[3],
                        squaredError: try row[4],
                        persistenceSquaredError: Double(mistakes)
                    )
                )
            }
        }
    }

    /// The reliability of each lead and level, of all places together.
    package func reliability(_ bounds: LevelBounds) throws -> [AuroraReliability] {
        try ForecastEvaluation.levels.flatMap { level in
            try session.rows(
                """
                SELECT lead, bin, count(*), sum(was), sum(\(level.rawValue))
                FROM (
                    SELECT *, min(?2 - 1, CAST(\(level.rawValue) * ?2 AS INTEGER)) AS bin,
                        CASE WHEN outcome >= ?1 THEN 1 ELSE 0 END AS was
                    FROM aurora_forecast WHERE outcome IS NOT NULL) AS known
                GROUP BY lead, bin ORDER BY lead, bin
                """,
                [bounds.bound(of: level), ReliabilityBin.count]
            ) { row in
                AuroraReliability(
                    lead: try row[0],
                    level: level,
                    index: try row[1],
                    bin: ReliabilityBin(
                        count: try row[2],
                        events: try row[3],
                        chanceSum: try row[4]
                    )
                )
            }
        }
    }

    /// The last argument is how many at most.
    fileprivate static let deleteOld = """
        DELETE FROM aurora_forecast WHERE id IN (
            SELECT id FROM aurora_forecast WHERE target < ? ORDER BY target LIMIT ?)
        """
}

package struct AuroraSkill: Equatable, Sendable {
    package var place: String
    package var lead: Int
    package var level: Level
    package var skill: ForecastSkill
}

package struct AuroraReliability: Equatable, Sendable {
    package var lead: Int
    package var level: Level
    /// Of `ReliabilityBin.names`.
    package var index: Int
    package var bin: ReliabilityBin
}

extension HubStore {
    /// Commits the journal entry of a place.
    package func commitForecasts(
        _ forecasts: [StoredForecast],
        _ outcome: ForecastOutcome?
    ) async throws {
        try await commit(AuroraTables.self) { tables in
            for forecast in forecasts { try tables.insert(forecast) }
            if let outcome { try tables.set(outcome) }
            return (Change(), ())
        }
    }

    package func readAurora<Value: Sendable>(
        _ body: @escaping @Sendable (AuroraTables) throws -> Value
    ) async throws -> Value {
        try await read(AuroraTables.self, body)
    }

    /// Deletes forecasts of hours before `time`, in small transactions.
    ///
    /// - Returns: how many.
    @discardableResult
    package func trimForecasts(before time: Timestamp) async throws -> Int {
        try await deletingInBatches(AuroraTables.deleteOld, [time.milliseconds])
    }
}
