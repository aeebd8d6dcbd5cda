import Activity
import DomainKit

/// The hub's store as the place where an import goes.
package struct StoreImportTarget: ImportTarget {
    /// The approximate size of a waiting row of a batch.
    private static let rowBytes = 128

    package let hubStore: HubStore

    package init(hubStore: HubStore) {
        self.hubStore = hubStore
    }

    /// Beside the row for the catalogue that was loaded last.
    private static let dataSetRow = (domain: "catalogue", key: "movielens data set")
    private static let sampleRow = (domain: "catalogue", key: "movielens sample")

    package func movieLensDataSet() async throws -> StoredDataSet {
        if let name = try await text(of: Self.dataSetRow) { return .named(name) }
        let hasPeople = try await hubStore.readActivity { tables in
            try tables.integer(ActivitySQL.selectIsOfProvider, [ImportedPerson.provider]) != nil
        }
        return hasPeople ? .unnamed : .none
    }

    package func movieLensSample() async throws -> String? { try await text(of: Self.sampleRow) }

    private func text(of row: (domain: String, key: String)) async throws -> String? {
        let value = try await hubStore.state(domain: row.domain).first { $0.key == row.key }?.value
        return value.map { String(decoding: $0, as: UTF8.self) }
    }

    package func store(_ batch: ImportBatch) async throws -> ImportedRows {
        try await store(batch, with: Change())
    }

    package func store(
        _ batch: ImportBatch,
        ofDataSet set: MovieLensDataSet
    ) async throws -> ImportedRows {
        let rows = [(Self.dataSetRow, set.name), (Self.sampleRow, set.sample)].map { row, text in
            StateRow(domain: row.domain, key: row.key, value: Array(text.utf8))
        }
        return try await store(batch, with: Change(state: rows))
    }

    private func store(_ batch: ImportBatch, with change: Change) async throws -> ImportedRows {
        let length = batch.count * Self.rowBytes + change.length
        return try await hubStore.commitActivity(length: length) { tables in
            (change, try tables.store(batch))
        }
    }
}

extension ActivityTables {
    fileprivate func store(_ batch: ImportBatch) throws -> ImportedRows {
        switch batch {
        case .films(let films):
            let rows = try films.map { try store($0) }
            return ImportedRows(ids: rows.map(\.id), newCount: rows.count { $0.isNew })
        case .people(let people):
            let rows = try people.map { try findOrInsert(NewPerson($0)) }
            return ImportedRows(ids: rows.map(\.person.id), newCount: rows.count { $0.isNew })
        case .ratings(let ratings):
            let written = try ratings.count { rating in
                try importRating(
                    of: rating.filmID,
                    by: rating.personID,
                    rating.stars,
                    at: rating.at
                )
            }
            return ImportedRows(ids: [], newCount: written)
        }
    }

    /// A film that the hub has by its key or by TMDB's id is changed, another one is added.
    private func store(_ imported: ImportedFilm) throws -> (id: Int, isNew: Bool) {
        let sameAtTMDB = try imported.tmdbID.flatMap { try film(tmdbID: $0) }
        let sameByKey = try filmID(key: imported.key).flatMap { try film($0) }
        let existing = sameByKey ?? sameAtTMDB
        var changed = imported.film(id: existing?.id ?? 0, over: existing)
        // Two films that were added as different ones stay so, and the id with the one that has it.
        if let existing, let sameAtTMDB, sameAtTMDB.id != existing.id {
            changed.tmdbID = existing.tmdbID
        }
        let id = try put(changed)
        try setKey(imported.key, of: id)
        return (id, existing == nil)
    }
}

extension NewPerson {
    fileprivate init(_ imported: ImportedPerson) {
        self.init(
            provider: ImportedPerson.provider,
            subject: imported.subject,
            name: imported.name,
            createdAt: imported.createdAt
        )
    }
}
