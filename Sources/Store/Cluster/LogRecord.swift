/// One effect of a commit on every node of a cluster, in the order of the commits.
///
/// The records of a commit are the calls of the store's handlers: if a node takes in the batches of
/// the others in order, its loops receive the same as those of the node that made them.
package enum LogRecord: Sendable, Equatable {
    case publication(Publication)
    case removal(HistoryRemoval)
    case erasure(Erasure)
    case forgotten(ForgottenTopic)
    /// The endpoints that received deliveries, one for each, and pending deliveries that an erasure
    /// has deleted.
    case deliveries(queued: [String], erased: [Int64])
    case note(ClusterNote)
    /// The watched domains whose state has changed.
    case state([String])
}

/// A message to all nodes, with its place among the commits.
package struct ClusterNote: Sendable, Equatable {
    /// The name of its kind; a node ignores the kinds that it does not have.
    package var kind: String
    package var body: [UInt8]

    package init(kind: String, body: [UInt8]) {
        self.kind = kind
        self.body = body
    }
}

extension LogRecord {
    /// Whether the store has its effect, so that a node that starts does not need it.
    var isInHistories: Bool {
        switch self {
        case .publication, .removal, .erasure, .forgotten: true
        case .deliveries, .note, .state: false
        }
    }
}

extension Written {
    /// The records of a committed write, in the order in which its handlers are called.
    var records: [LogRecord] {
        var records = outcomes.publications.map { LogRecord.publication($0) }
        if touchesDeliveries {
            records.append(.deliveries(queued: queued, erased: erasedDeliveries))
        }
        records += removals.map { .removal($0) }
        records += erasures.map { .erasure($0) }
        records += forgotten.map { .forgotten($0) }
        records += notes.map { .note($0) }
        if !changedState.isEmpty { records.append(.state(changedState.sorted())) }
        return records
    }
}
