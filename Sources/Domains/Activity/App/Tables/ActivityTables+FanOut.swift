import Activity
import Timekeeping

/// What a fan-out tells friends.
package enum FanOutKind: Int, Sendable, Equatable, CaseIterable {
    case created = 0
    case deleted = 1
}

/// The next friends to be told of an act that too many have to hear of for its own transaction.
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

/// What waits to be told.
package struct FanOutState: Sendable, Equatable {
    package var count: Int
    /// Of the act that waits longest.
    package var oldest: Timestamp?
}

extension ActivityTables {
    /// Bytes that one page of a fan-out should publish at most: a page is one transaction, and a change has
    /// a limit, too.
    package static let fanOutBytesMax = 1 << 20

    /// Puts an act in line to be told to its actor's friends, page by page.
    ///
    /// Whoever has an act in line puts each further one there, too (`isFanningOut`), or friends would hear
    /// of the later act first.
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

    /// Whether an act of this person waits to be told.
    package func isFanningOut(_ actorID: Int) throws -> Bool {
        try row(ActivitySQL.selectFanOutOfPerson, [actorID]) != nil
    }

    package func fanOutState() throws -> FanOutState {
        let row = try row(ActivitySQL.selectFanOutState, [])
        return FanOutState(count: row?[0] ?? 0, oldest: row?.optionalInstant(1))
    }

    /// The next page, which counts as told when the transaction is committed: publish it in the same one.
    ///
    /// Actors take turns, page by page; the acts of one actor come one after the other. A friend gets what
    /// is told while the friendship lasts: who was unfriended or blocked since the act is left out.
    ///
    /// - Parameter limit: friends of a page; fewer where the payload is long.
    /// - Returns: nil when nothing waits.
    package func takeFanOutPage(limit: Int = 500) throws -> FanOutPage? {
        guard let row = try row(ActivitySQL.selectFanOut, []) else { return nil }
        let id: Int = row[0]
        let payload: [UInt8] = row[6]
        let friendsMax = max(1, min(limit, Self.fanOutBytesMax / max(1, payload.count)))
        let friendIDs = try friendIDs(of: row[2], after: row[4], limit: friendsMax)
        let isLast = friendIDs.count < friendsMax
        if isLast {
            try run(ActivitySQL.deleteFanOut, [id])
        } else if let last = friendIDs.last {
            try run(ActivitySQL.advanceFanOut, [id, last])
        }
        return FanOutPage(
            kind: try row.value(3, FanOutKind.init(rawValue:)),
            activityID: row[1],
            actorID: row[2],
            at: row.instant(5),
            payload: payload,
            friendIDs: friendIDs,
            isLast: isLast
        )
    }
}
