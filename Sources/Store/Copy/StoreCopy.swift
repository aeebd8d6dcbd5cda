/// Copies a store from an SQLite file to a schema in PostgreSQL, or back, while no hub runs.
///
/// The tables and their columns are those of the engines' catalogues, so tables of every domain are
/// included. The rows of each table are compared by a digest over all of them before the copy is
/// committed. The source is only read. Target and source have the same epoch, cursors and offsets,
/// so clients resume on the target as they would on the source.
///
/// All functions block; `copying` is for asynchronous callers.
package struct StoreCopy: Sendable {
    private let migrations: [Migration]
    private let bootIdentifier: String?
    /// Called when all rows are in the target; a test changes one.
    var beforeComparison: @Sendable (any CopyEnd) throws -> Void = { _ in }

    /// - Parameters:
    ///   - migrations: those of the hub and of all its domains.
    ///   - bootIdentifier: as in `StoreOptions`.
    package init(migrations: [Migration], bootIdentifier: String?) {
        self.migrations = migrations
        self.bootIdentifier = bootIdentifier
    }

    /// A table that was copied.
    package struct Table: Sendable, Equatable {
        package var name: String
        package var rows: Int
    }

    /// Copies all rows.
    ///
    /// - Parameters:
    ///   - source: a path, `sqlite:` with a path, or a URL of PostgreSQL.
    ///   - target: the same. It must have no data.
    ///   - report: called with each table when it is in the target and equal to the source's. The
    ///     copy can still fail afterwards.
    /// - Returns: the number of rows of all tables.
    /// - Throws: `StoreError`; the target has no data then.
    @discardableResult
    package func copy(
        from source: String,
        to target: String,
        _ report: (Table) -> Void = { _ in }
    ) throws -> Int {
        let (from, to) = (try StoreLocation(source), try StoreLocation(target))
        if case .file = from, case .file = to {
            throw StoreError(
                .cannotOpen,
                "source and target are files: use varde backup and varde restore",
                path: to.name
            )
        }
        guard from != to else {
            throw StoreError(.cannotOpen, "this is the source itself", path: to.name)
        }
        var rows = 0
        try withSource(from) { source in
            try withTarget(to) { target in
                try copy(source, target) { table in
                    rows += table.rows
                    report(table)
                }
            }
        }
        return rows
    }

    /// The asynchronous form of `copy`, for callers that must not block their thread.
    package func copying(
        from source: String,
        to target: String,
        _ report: @escaping @Sendable (Table) -> Void
    ) async throws -> Int {
        try await onOwnThread { try copy(from: source, to: target, report) }
    }

    private func withSource(
        _ location: StoreLocation,
        _ body: (any CopyEnd) throws -> Void
    ) throws {
        switch location {
        case .file(let path):
            try SQLiteCopyEnd.withSource(path, migrations, bootIdentifier, body)
        case .postgres(let target):
            try PostgresCopyEnd.withSource(target, migrations, body)
        }
    }

    private func withTarget(
        _ location: StoreLocation,
        _ body: (any CopyEnd) throws -> Void
    ) throws {
        switch location {
        case .file(let path): try SQLiteCopyEnd.withTarget(path, migrations, body)
        case .postgres(let target): try PostgresCopyEnd.withTarget(target, migrations, body)
        }
    }

    private func copy(
        _ source: any CopyEnd,
        _ target: any CopyEnd,
        _ report: (Table) -> Void
    ) throws {
        let tables = try (source: source.tables(), target: target.tables())
        let plan = try CopyPlan(from: tables.source, to: tables.target, path: source.path)
        for step in plan.missing { try Self.checkEmpty(step, source) }
        let digests = try plan.steps.map { step in try Self.copy(step, source, target) }
        let before = Dictionary(uniqueKeysWithValues: tables.source.map { ($0.name, $0) })
        for table in tables.target {
            let number = try before[table.name].flatMap { try source.lastNumber(of: $0) }
            try target.continueNumbers(of: table, after: number)
        }
        try target.complete()
        try beforeComparison(target)
        for (step, expected) in zip(plan.steps, digests) {
            let found = try Self.digest(of: step, target)
            guard found == expected else {
                throw StoreError(
                    .corrupt,
                    "table \(step.table) has \(found) instead of the source's \(expected)",
                    path: target.path
                )
            }
            report(Table(name: step.table, rows: found.rows))
        }
    }

    private static func copy(
        _ step: CopyStep,
        _ source: any CopyEnd,
        _ target: any CopyEnd
    ) throws -> CopyDigest {
        var digest = CopyDigestStream()
        try target.insert(step) { insert in
            try source.read(step) { row in
                digest.add(row)
                try insert(row)
            }
        }
        return digest.finish()
    }

    private static func digest(of step: CopyStep, _ end: any CopyEnd) throws -> CopyDigest {
        var digest = CopyDigestStream()
        try end.read(step) { digest.add($0) }
        return digest.finish()
    }

    private static func checkEmpty(_ step: CopyStep, _ source: any CopyEnd) throws {
        try source.read(step) { _ in
            throw StoreError(
                .cannotOpen,
                "table \(step.table) has rows, but its domain cannot be kept in PostgreSQL",
                path: source.path
            )
        }
    }
}

/// Rules about the steps of the schema.
extension StoreCopy {
    /// The names of steps that a store in PostgreSQL leaves out: those of domains of which a step
    /// needs SQLite.
    static func unusedInPostgres(_ migrations: [Migration]) -> Set<String> {
        let needSQLite = migrations.filter {
            $0.postgres == nil && PostgresDialect.needsSQLite($0.sql)
        }
        let domains = Set(needSQLite.map(\.domain))
        return Set(migrations.filter { domains.contains($0.domain) }.map(\.name))
    }

    /// Refuses a source with tables of an earlier release. A domain of which no step was run has no
    /// tables, and none are missing.
    static func checkSteps(
        _ applied: Set<String>,
        of migrations: [Migration],
        path: String
    ) throws(StoreError) {
        let begun = Set(migrations.filter { applied.contains($0.name) }.map(\.domain))
            .union([Schema.ownMigrations[0].domain])
        let missing = migrations.filter { !applied.contains($0.name) && begun.contains($0.domain) }
        guard missing.isEmpty else {
            let names = missing.map(\.name).joined(separator: ", ")
            throw StoreError(
                .cannotOpen,
                "the store is of an earlier release and lacks \(names): start the hub on it once, and stop it",
                path: path
            )
        }
    }

    /// An error for a source whose next start begins a new epoch.
    static func mayLackCommits(path: String) -> StoreError {
        StoreError(
            .cannotOpen,
            "the store may lack commits: start the hub on it once, which begins a new epoch, and stop it",
            path: path
        )
    }
}

extension Migration {
    /// The part of the name before the last point.
    fileprivate var domain: Substring {
        name.lastIndex(of: ".").map { name[..<$0] } ?? name[...]
    }
}
