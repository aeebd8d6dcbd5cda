import ProviderCalls
import Providers
import Store

/// The spending of sources in the tables of radars.
struct RadarSpending: SpendingStorage {
    let store: HubStore

    func spending(of source: String, day: Int) async throws -> DaySpending {
        let row = try await store.readRadars { try $0.spending(day: day) }
            .first { $0.source == source }
        return DaySpending(day: day, requests: row?.requests ?? 0, tokens: row?.tokens ?? 0)
    }

    func add(_ difference: DaySpending, of source: String) async throws {
        try await store.commitRadars([.spending(SpendingRow(source: source, difference))])
    }
}

extension SpendingRow {
    /// - Parameter spent: in a change, the difference.
    init(source: String, _ spent: DaySpending) {
        self.init(
            source: source,
            day: spent.day,
            requests: spent.requests,
            tokens: spent.tokens
        )
    }
}
