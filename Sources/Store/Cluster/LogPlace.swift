/// The transaction that wrote a batch. After a promotion, a batch of another one may have the number and the
/// cursors of a batch that is lost.
package struct BatchWriter: Sendable, Equatable {
    package var process: String
    /// Of the transactions of that process.
    package var attempt: Int64

    package init(process: String = "", attempt: Int64 = 0) {
        self.process = process
        self.attempt = attempt
    }
}

/// The place of a node in the log of its cluster: the last batch that it has applied.
package struct LogPlace: Sendable, Equatable {
    package var number: Int64
    package var lastCursor: UInt64
    package var writer: BatchWriter

    package init(number: Int64 = 0, lastCursor: UInt64 = 0, writer: BatchWriter = BatchWriter()) {
        self.number = number
        self.lastCursor = lastCursor
        self.writer = writer
    }

    /// Whether a batch is the one behind this place. Another one means that batches were deleted
    /// before this node has read them.
    package func isFollowed(by number: Int64) -> Bool { number == self.number + 1 }

    /// Notes that the next batch is applied.
    package mutating func advance(lastCursor: UInt64, writer: BatchWriter) {
        number += 1
        self.lastCursor = lastCursor
        self.writer = writer
    }
}

/// The log in a snapshot, at the place of a node.
package struct LogSnapshot: Sendable, Equatable {
    package var epoch: String
    /// The batch with the number of the node's last one; nil if the snapshot does not have it.
    package var batch: LogPlace?
    /// The number of the oldest batch; nil if there is none.
    package var oldest: Int64?

    package init(epoch: String, batch: LogPlace?, oldest: Int64?) {
        self.epoch = epoch
        self.batch = batch
        self.oldest = oldest
    }

    /// Whether it has everything that a node at this place has applied. A snapshot that lacks something
    /// comes from a standby that was promoted, or from a backup.
    ///
    /// The batch itself may be deleted: all living nodes have applied it, and this one has gone on since,
    /// or counts as dead. A server without the batch can't have come past it in the same epoch.
    package func has(_ place: LogPlace, of epoch: String) -> Bool {
        guard self.epoch == epoch else { return false }
        if let batch { return batch == place }
        return oldest.map { $0 > place.number } ?? false
    }
}

/// The epoch and the term in which a transaction of this node may commit. It compares them with
/// those that it reads once it has the commit lock.
package struct LogEntry: Sendable, Equatable {
    package enum Refusal: Sendable, Equatable {
        /// The term is over, by the one that holds.
        case notLeading(term: Int64, current: Int64?)
        case otherEpoch
    }

    package var epoch: String
    /// Nil for a node that does not lead, which no term keeps out.
    package var term: Int64?

    package init(epoch: String, term: Int64?) {
        self.epoch = epoch
        self.term = term
    }

    /// Why a transaction must end without a commit; nil if it may go on.
    package func refusal(epoch current: String, term currentTerm: Int64?) -> Refusal? {
        if let term, term != currentTerm { return .notLeading(term: term, current: currentTerm) }
        return epoch == current ? nil : .otherEpoch
    }
}

/// The mark in the database that a commit of this timeline did not wait for a synchronous standby: a
/// standby that is promoted may then lack commits, and the epoch ends.
package struct ReplicationMark: Sendable, Equatable {
    package enum Change: Sendable, Equatable {
        case set
        case takeBack
    }

    package var isSet: Bool

    package init(isSet: Bool) { self.isSet = isSet }

    /// The change that a transaction makes to the mark, which is committed or lost with it.
    ///
    /// A transaction that waits for the standby takes the mark back: a standby that has its commit has
    /// every earlier one, because it replays them in order. One that does not have it still has the
    /// mark.
    package func change(waitsForStandby: Bool) -> Change? {
        guard isSet == waitsForStandby else { return nil }
        return waitsForStandby ? .takeBack : .set
    }
}
