/// The frozen results of queries of `/v2`, so that the pages of one query are parts of one list.
///
/// The app ends paging when it has `totalResults` articles. If the list grew in between, it would
/// show articles twice, miss others, and never end or end early. So the first page freezes the
/// results, and later pages read them for `lifetime`.
///
/// **Use.** Ask for `results` of the page. If there are none, read them from the store and `freeze`
/// them. Then take the page with `SnapshotPage`. A first page never has any: it shows new articles.
///
/// **Clients.** All installations of an app may share a key, and the first page of one would
/// replace the list that another is reading. A client is therefore a key and an address.
///
/// **Bounds.** At most `resultsMax` articles of a query, `clientMax` queries of a client, and
/// `snapshotsMax` in all; the oldest one makes room.
package struct PageSnapshots<Client: Hashable & Sendable, Query: Hashable & Sendable>: Sendable {
    package static var lifetime: Duration { .seconds(600) }
    /// With ids of 8 bytes, all snapshots together take 8 MB.
    package static var resultsMax: Int { 1000 }

    private struct Key: Hashable, Sendable {
        var client: Client
        var query: Query
    }

    private struct Snapshot: Sendable {
        var results: [Int]
        var frozenAt: Timestamp
        /// Ascending in the order of freezing.
        var number: Int

        func isValid(now: Timestamp) -> Bool {
            // A clock that was set back makes it invalid, rather than keep it for long.
            (.zero..<lifetime).contains(now - frozenAt)
        }
    }

    private let snapshotsMax: Int
    private let clientMax: Int
    private var snapshots: [Key: Snapshot] = [:]
    private var nextNumber = 0

    package init(snapshotsMax: Int = 1000, clientMax: Int = 16) {
        precondition(clientMax > 0, "no snapshot for a client")
        precondition(clientMax <= snapshotsMax, "a client has more snapshots than all clients")
        self.snapshotsMax = snapshotsMax
        self.clientMax = clientMax
    }

    package var count: Int { snapshots.count }

    /// The ids that a later page is read from; nil for a first page and when nothing is frozen any
    /// more.
    package func results(
        of query: Query,
        for client: Client,
        page: Int,
        now: Timestamp
    ) -> [Int]? {
        guard page > 1, let snapshot = snapshots[Key(client: client, query: query)],
            snapshot.isValid(now: now)
        else { return nil }
        return snapshot.results
    }

    /// Keeps the results of a query and returns those kept: the first `resultsMax` ids.
    ///
    /// - Complexity: O(snapshots).
    package mutating func freeze(
        _ results: [Int],
        of query: Query,
        for client: Client,
        now: Timestamp
    ) -> [Int] {
        let key = Key(client: client, query: query)
        snapshots = snapshots.filter { $0.key != key && $0.value.isValid(now: now) }
        let own = snapshots.filter { $0.key.client == client }
        if own.count >= clientMax {
            removeOldest(of: own)
        } else if snapshots.count >= snapshotsMax {
            removeOldest(of: snapshots)
        }
        let kept = Array(results.prefix(Self.resultsMax))
        snapshots[key] = Snapshot(results: kept, frozenAt: now, number: nextNumber)
        nextNumber += 1
        return kept
    }

    private mutating func removeOldest(of some: [Key: Snapshot]) {
        guard let oldest = some.min(by: { $0.value.number < $1.value.number }) else { return }
        snapshots[oldest.key] = nil
    }
}

/// A page of frozen results.
package struct SnapshotPage: Equatable, Sendable {
    /// Empty past the end.
    package var ids: [Int]
    /// Of all pages.
    package var totalResults: Int

    package init(of results: [Int], _ paging: NewsAPIPaging) {
        let (skipped, isOverflow) = (paging.page - 1).multipliedReportingOverflow(by: paging.size)
        ids = isOverflow ? [] : Array(results.dropFirst(skipped).prefix(paging.size))
        totalResults = results.count
    }
}
