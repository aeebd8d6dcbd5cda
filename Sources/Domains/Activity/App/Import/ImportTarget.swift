import Activity

/// Where an import goes.
package protocol ImportTarget: Sendable {
    /// Stores all of a batch in one transaction, or throws and stores nothing of it. The same batch once
    /// more changes nothing.
    func store(_ batch: ImportBatch) async throws -> ImportedRows

    /// Stores the name of the data set of MovieLens that is imported, unless there is one.
    ///
    /// - Returns: the stored name.
    func movieLensDataSet(orStore name: String) async throws -> String
}

extension ImportTarget {
    /// For a target that no other import goes to.
    package func movieLensDataSet(orStore name: String) async throws -> String { name }
}
