import Activity

/// Where an import goes.
package protocol ImportTarget: Sendable {
    /// Stores all of a batch in one transaction, or throws and stores nothing of it. The same batch once
    /// more changes nothing.
    func store(_ batch: ImportBatch) async throws -> ImportedRows

    /// Stores a batch of a data set of MovieLens as the other one does, with the data set's name.
    func store(_ batch: ImportBatch, ofDataSet name: String) async throws -> ImportedRows

    /// The data set of MovieLens of which there are rows.
    func movieLensDataSet() async throws -> StoredDataSet
}

/// The data set of MovieLens that a target has.
package enum StoredDataSet: Sendable, Equatable {
    case none
    /// People of a release that stored no name.
    case unnamed
    case named(String)
}

extension ImportTarget {
    /// For a target that no other import goes to.
    package func movieLensDataSet() async throws -> StoredDataSet { .none }

    package func store(
        _ batch: ImportBatch,
        ofDataSet name: String
    ) async throws -> ImportedRows {
        try await store(batch)
    }
}
