import DomainKit

/// The spending of the writer in the tables of the news.
struct WriterSpending: SpendingStorage {
    let store: HubStore

    func spending(of source: String, day: Int) async throws -> DaySpending {
        try await store.readNews { try $0.spending(of: source, day: day) }
    }

    func shares(of source: String, day: Int) async throws -> [[UInt8]: UserShares.Taken] {
        try await store.readNews { try $0.shares(of: source, day: day) }
    }

    func add(_ change: SpendingChange, of source: String) async throws {
        try await store.commitNews { tables in
            try tables.add(change, of: source)
            return (Change(), ())
        }
    }
}
