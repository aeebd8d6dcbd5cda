/// A publication that an application has committed from SQL.
package struct InboxRow: Sendable, Equatable {
    package var id: Int64
    package var channel: String
    /// The publication as the content of a request `POST /api/publish`.
    package var request: [UInt8]

    package init(id: Int64, channel: String, request: [UInt8]) {
        self.id = id
        self.channel = channel
        self.request = request
    }
}

/// The decision of the rules about a row.
package enum InboxVerdict: Sendable, Equatable {
    /// The change publishes one event, and adds the webhooks about it.
    case publish(Change)
    /// The row can never be published.
    case refuse(reason: String)
}

/// A row that was moved to `inbox_refused`.
package struct InboxRefusal: Sendable, Equatable {
    package var id: Int64
    package var channel: String
    package var reason: String

    /// - Parameter reason: may quote what an application has sent, so it is cut.
    package init(_ row: InboxRow, _ reason: String) {
        id = row.id
        channel = row.channel
        self.reason = String(reason.prefix(InboxRefusal.reasonLengthMax))
    }

    /// Characters; enough for one line.
    static let reasonLengthMax = 300
}

/// The rows that one transaction has taken from the inbox.
package struct InboxBatch: Sendable, Equatable {
    /// The number of rows that were published, or would repeat a publication by their key or
    /// version.
    package var takenCount = 0
    package var refusals: [InboxRefusal] = []
    /// Whether webhooks were queued.
    package var hasDeliveries = false

    package var isEmpty: Bool { takenCount == 0 && refusals.isEmpty }

    package init(
        takenCount: Int = 0,
        refusals: [InboxRefusal] = [],
        hasDeliveries: Bool = false
    ) {
        self.takenCount = takenCount
        self.refusals = refusals
        self.hasDeliveries = hasDeliveries
    }
}

/// The numbers of rows since the store was opened.
package struct InboxCounts: Sendable, Equatable {
    package var taken: UInt64 = 0
    package var refused: UInt64 = 0

    package init(taken: UInt64 = 0, refused: UInt64 = 0) {
        self.taken = taken
        self.refused = refused
    }

    mutating func add(_ batch: InboxBatch) {
        taken += UInt64(batch.takenCount)
        refused += UInt64(batch.refusals.count)
    }
}
