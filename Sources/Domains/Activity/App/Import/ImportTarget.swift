import Activity

/// Where an import goes.
package protocol ImportTarget: Sendable {
    /// Stores all of a batch in one transaction, or throws and stores nothing of it. The same batch once
    /// more changes nothing.
    func store(_ batch: ImportBatch) async throws -> ImportedRows

    /// Stores a batch of a data set of MovieLens as the other one does, with the identity of the set.
    func store(_ batch: ImportBatch, ofDataSet set: MovieLensDataSet) async throws -> ImportedRows

    /// The data set of MovieLens of which there are rows.
    func movieLensDataSet() async throws -> StoredDataSet

    /// The sample of that data set; nil if a release that stored none has imported it.
    func movieLensSample() async throws -> String?
}

/// The identity of a data set of MovieLens: two sets can have one name.
package struct MovieLensDataSet: Sendable {
    package let name: String
    /// Some of its rows, as a text.
    package let sample: String

    package init(name: String, sample: String) {
        self.name = name
        self.sample = sample
    }
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

    package func movieLensSample() async throws -> String? { nil }

    package func store(
        _ batch: ImportBatch,
        ofDataSet set: MovieLensDataSet
    ) async throws -> ImportedRows {
        try await store(batch)
    }
}
