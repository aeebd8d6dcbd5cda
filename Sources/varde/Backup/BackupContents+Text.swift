import AllDomains

/// The migrations of a store with all tables of this program.
var allMigrations: [Migration] {
    AccountTables.migrations + allDomains.flatMap { $0.manifest.migrations }
}

extension BackupContents {
    /// Returns one line for each value, `name: value`.
    func text(path: String) -> String {
        [
            "file: \(path)",
            "database_bytes: \(length)",
            "sha256: \(digest ?? "none")",
            "schema_version: \(schemaVersion)",
            "epoch: \(epoch)",
            "newest_cursor: \(newestCursor)",
            "newest_publication: \(newestTime?.iso8601 ?? "none")",
            "topics: \(topics)",
            "publications: \(publications)",
            "waiting_webhooks: \(webhooks)",
            "damaged_rows: \(damaged.count + damagedUnlisted)",
        ].joined(separator: "\n")
    }

    var warnings: [String] {
        var warnings = damaged.map { row in
            switch row {
            case .publication(let topic, let offset):
                "damaged publication: topic \(TerminalText.oneLine(topic)), offset \(offset)"
            case .delivery(let id): "damaged webhook: delivery \(id)"
            case .topic(let id, let reason): "damaged topic: \(id), \(reason)"
            case .row(_, let reason): "damaged row: \(reason)"
            }
        }
        if damagedUnlisted > 0 { warnings.append("\(damagedUnlisted) more rows are damaged") }
        if digest == nil {
            warnings.append(
                "the file has no digest, so damage in pages without checksums is not found"
            )
        }
        return warnings
    }
}
