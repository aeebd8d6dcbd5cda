import Store
import StoreTesting

@testable import RadarApp

func radarRow(_ id: String, of userID: String = "user-1", at seconds: Int = 0) -> RadarRow {
    RadarRow(
        id: id,
        userID: userID,
        topic: "four-day working week",
        interpretation: Array(#"{"category":"work"}"#.utf8),
        position: "neutral",
        nextPollAt: startOfTests + .seconds(60),
        createdAt: startOfTests + .seconds(seconds),
        updatedAt: startOfTests + .seconds(seconds)
    )
}

func opinion(
    _ id: String,
    of radarID: String,
    at seconds: Int = 0,
    stance: Int = 1,
    confidence: Double = 0.5,
    source: String? = nil,
    pushedBy: Int = 0,
    segment: Int = 0
) -> OpinionRow {
    OpinionRow(
        id: id,
        radarID: radarID,
        author: "an author",
        model: "a-model-2026-01-01",
        content: "a text",
        stance: stance,
        confidence: confidence,
        createdAt: startOfTests + .seconds(seconds),
        source: source,
        provider: "a provider",
        pushedBy: pushedBy,
        segment: segment
    )
}

/// Runs `body` with a store that has the domain's tables, and closes it.
func withRadarStore<Result>(
    limits: StoreLimits = StoreLimits(),
    _ body: (HubStore) async throws -> Result
) async throws -> Result {
    try await withStore(limits: limits, migrations: RadarTables.migrations, body)
}

func openRadarStore(_ directory: String) throws -> HubStore {
    try openStore(directory, migrations: RadarTables.migrations)
}
