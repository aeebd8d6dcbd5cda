import Activity

/// Where an import goes.
package protocol ImportTarget: Sendable {
    /// Stores all of a batch in one transaction, or throws and stores nothing of it. The same batch once
    /// more changes nothing.
    func store(_ batch: ImportBatch) async throws -> ImportedRows
}
