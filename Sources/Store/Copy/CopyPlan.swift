/// The tables and columns that a copy carries over, found by comparing the two stores.
struct CopyPlan: Equatable {
    /// One for each table that both stores have.
    var steps: [CopyStep] = []
    /// Tables that only the source has. A copy is refused if they have rows.
    var missing: [CopyStep] = []

    /// Tables that describe or count the rows of their own store, and those of publications from
    /// SQL, which only PostgreSQL has.
    static let tablesOfTheStore: Set = [
        "migration", "delivery_tally", "inbox", "inbox_refused", "batch", "node", "lease",
    ]
    /// Columns whose values belong to the place of the store: its server, the run of its machine.
    /// `CopyEnd.complete` sets them in the target.
    static let columnsOfTheStore = [
        "hub": Set(["unsynced_boot", "system", "timeline", "claims", "unreplicated_timeline"])
    ]

    /// - Parameter path: of the source, for errors.
    /// - Throws: `StoreError` for a table that cannot be copied as a whole.
    init(from source: [CopyTable], to target: [CopyTable], path: String) throws(StoreError) {
        let targets = Dictionary(uniqueKeysWithValues: target.map { ($0.name, $0) })
        for table in source where !Self.tablesOfTheStore.contains(table.name) {
            let left = Self.columnsOfTheStore[table.name] ?? []
            let columns = table.columns.filter { !left.contains($0) }
            guard !table.key.isEmpty else {
                throw StoreError(
                    .other,
                    "table \(table.name) has no key by which its rows could be compared",
                    path: path
                )
            }
            let step = CopyStep(table: table.name, columns: columns, key: table.key)
            guard let other = targets[table.name] else {
                missing.append(step)
                continue
            }
            let lost = Set(columns).subtracting(other.columns).sorted()
            guard lost.isEmpty else {
                throw StoreError(
                    .other,
                    "the target's table \(table.name) lacks columns: \(lost.joined(separator: ", "))",
                    path: path
                )
            }
            steps.append(step)
        }
    }
}
