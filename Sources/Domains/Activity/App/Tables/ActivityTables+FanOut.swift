import Activity

/// The kind of publication of a fan-out.
package enum FanOutKind: Int, Sendable, Equatable, CaseIterable {
    case created = 0
    case deleted = 1
}

/// The next friends to notify of an act that has too many recipients for its own transaction.
package struct FanOutPage: Sendable, Equatable {
    package var kind: FanOutKind
    package var activityID: Int
    package var actorID: Int
    package var at: Timestamp
    /// As it was given to `startFanOut`.
    package var payload: [UInt8]
    /// In order; may be empty on the last page.
    package var friendIDs: [Int]
    package var isLast: Bool
}

/// The publications that are waiting.
package struct FanOutState: Sendable, Equatable {
    package var count: Int
    /// Of the act that waits longest.
    package var oldest: Timestamp?
}

extension ActivityTables {
    /// The intended maximum size of one page of a fan-out, in bytes: a page is one transaction, and
    /// a change also has a limit.
    package static let fanOutBytesMax = 1 << 20

    /// Queues an act for its actor's friends, page by page.
    ///
    /// If an actor has an act in the queue, each further one must also be queued (`isFanningOut`),
    /// or friends would receive the later act first.
    package func startFanOut(
        _ kind: FanOutKind,
        of activityID: Int,
        by actorID: Int,
        payload: [UInt8],
        at time: Timestamp
    ) throws {
        try run(
            ActivitySQL.insertFanOut,
            [activityID, actorID, kind.rawValue, time.milliseconds, payload]
        )
    }

    /// Whether an act of this person is waiting in the queue.
    package func isFanningOut(_ actorID: Int) throws -> Bool {
        try row(ActivitySQL.selectFanOutOfPerson, [actorID]) != nil
    }

    package func fanOutState() throws -> FanOutState {
        let row = try row(ActivitySQL.selectFanOutState, [])
        return FanOutState(count: try row?[0] ?? 0, oldest: try row?.optionalInstant(1))
    }

    /// Takes the next page, which counts as published when the transaction is committed: publish it
    /// in the same one.
    ///
    /// Actors take turns, page by page; the acts of one actor come one after the other. A friend
    /// receives publications while the friendship lasts: people who were unfriended or blocked
    /// since the act are left out.
    ///
    /// - Parameter limit: friends of a page; fewer if the payload is long.
    /// - Returns: nil if nothing is waiting.
    package func takeFanOutPage(limit: Int = 500) throws -> FanOutPage? {
        guard let row = try row(ActivitySQL.selectFanOut, []) else { return nil }
        let id: Int = try row[0]
        let payload: [UInt8] = try row[6]
        let friendsMax = max(1, min(limit, Self.fanOutBytesMax / max(1, payload.count)))
        let friendIDs = try friendIDs(of: row[2], after: try row[4], limit: friendsMax)
        let isLast = friendIDs.count < friendsMax
        if isLast {
            try run(ActivitySQL.deleteFanOut, [id])
        } else if let last = friendIDs.last {
            try run(ActivitySQL.advanceFanOut, [id, last])
        }
        return FanOutPage(
            kind: try row.value(3, FanOutKind.init(rawValue:)),
            activityID: try row[1],
            actorID: try row[2],
            at: try row.instant(5),
            payload: payload,
            friendIDs: friendIDs,
            isLast: isLast
        )
    }
}
