import DomainKit

/// The spending of sources in the tables of radars.
struct RadarSpending: SpendingStorage {
    let store: HubStore

    func spending(of source: String, day: Int) async throws -> DaySpending {
        let row = try await store.readRadars { try $0.spending(day: day) }
            .first { $0.source == source }
        return DaySpending(day: day, requests: row?.requests ?? 0, tokens: row?.tokens ?? 0)
    }

    func shares(of source: String, day: Int) async throws -> [[UInt8]: UserShares.Taken] {
        try await store.readRadars { try $0.shares(of: source, day: day) }
    }

    func add(_ change: SpendingChange, of source: String) async throws {
        try await store.commitRadars([.spending(SpendingRow(source: source, change))])
    }
}

extension SpendingRow {
    init(source: String, _ change: SpendingChange) {
        self.init(
            source: source,
            day: change.day,
            requests: change.requests,
            tokens: change.tokens,
            user: change.user
        )
    }
}
