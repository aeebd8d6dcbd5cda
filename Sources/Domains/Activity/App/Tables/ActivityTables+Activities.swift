import Activity
import DomainKit

extension ActivityTables {
    // MARK: Acts

    /// Inserts an activity of a person.
    ///
    /// - Returns: the entry that friends are shown; nil, and nothing written, if there is no such
    ///   film or person.
    package func insertActivity(
        _ type: ActivityType,
        of filmID: Int,
        by personID: Int,
        rating: Int? = nil,
        comment: String? = nil,
        at time: Timestamp
    ) throws -> ActivityEntry? {
        try checked(comment)
        guard let actor = try card(personID), let film = try film(filmID) else { return nil }
        let id = try session.insert(
            ActivitySQL.insertActivity,
            [personID, filmID, type.column, rating, time.milliseconds, comment]
        )
        try run(ActivitySQL.countUpActivity, [personID, type.column])
        return ActivityEntry(
            id: id,
            actor: actor,
            filmID: filmID,
            filmTitle: film.title,
            filmPosterURL: film.posterURL,
            type: type,
            rating: rating,
            comment: comment,
            at: time
        )
    }

    package func activity(_ id: Int) throws -> ActivityEntry? {
        try row(ActivitySQL.selectEntry, [id]).map { try ActivityEntry($0) }
    }

    /// The greatest id that an activity has; 0 when there are none.
    package func newestActivityID() throws -> Int {
        try integer(ActivitySQL.selectNewestActivity) ?? 0
    }

    /// Deletes the activities of a person's rating of a film, its oldest versions first.
    ///
    /// - Returns: the ids, in order. Their waiting publications are deleted.
    func deleteActivities(
        ofRating filmID: Int,
        by personID: Int,
        limit: Int
    ) throws -> [Int] {
        let arguments: SQLArguments = [personID, filmID, limit]
        let activities = try rows(ActivitySQL.selectActivitiesOfRating, arguments) { row in
            (id: try row[0] as Int, type: try row[1] as Int)
        }
        for activity in activities {
            try run(ActivitySQL.deleteActivity, [activity.id])
            try run(ActivitySQL.countDownActivity, [personID, activity.type])
            try run(ActivitySQL.deleteFanOutOfActivity, [personID, activity.id])
        }
        return activities.map(\.id)
    }

    // MARK: The feed

    /// The depth to which the feed is merged. Below it the numbers of all friends' activities are
    /// sorted, which costs less than so many single steps.
    static let mergedDepthMax = 2000

    /// Returns the activities of a person's friends, newest first.
    ///
    /// - Complexity: O(friends + offset + limit), and below `mergedDepthMax` O(activities of all
    ///   friends). Of very many friends the activities are only counted, if `walkedFeed` finds the
    ///   page.
    package func feed(
        of personID: Int,
        type: ActivityType? = nil,
        range: PageRange
    ) throws -> Page<ActivityEntry> {
        let count = try feedCount(of: personID, type: type)
        guard range.offset < count else {
            return Page(items: [], totalCount: count, range: range)
        }
        let depth = range.offset + range.limit
        let walked = try feedReach(of: personID).flatMap {
            try walkedFeed(of: personID, type: type, range: range, count: count, reach: $0)
        }
        let ids =
            try walked
            ?? (depth <= Self.mergedDepthMax
                ? mergedFeed(of: personID, type: type, range: range)
                : deepFeed(of: personID, type: type, range: range))
        let entries = try ids.compactMap { try activity($0) }
        return Page(items: entries, totalCount: count, range: range)
    }

    /// Returns the activities of a person's friends after an activity, oldest first, and their
    /// total number.
    ///
    /// - Complexity: O(friends + activities after it), and O(activities after it) if the person has
    ///   very many friends and these are fewer.
    package func catchUp(
        of personID: Int,
        type: ActivityType? = nil,
        since: Int,
        limit: Int
    ) throws -> ActivityCatchUp {
        let reach = try feedReach(of: personID)
        let count =
            try reach.flatMap {
                try walkedCount(of: personID, type: type, since: since, reach: $0)
            } ?? feedCount(of: personID, type: type, since: since)
        let walked = try reach.flatMap {
            try walkedCatchUp(
                of: personID,
                type: type,
                since: since,
                limit: limit,
                count: count,
                reach: $0
            )
        }
        let ids =
            try count == 0
            ? [] : walked ?? mergedCatchUp(of: personID, type: type, since: since, limit: limit)
        return ActivityCatchUp(
            entries: try ids.compactMap { try activity($0) },
            since: since,
            totalCount: count,
            limit: limit
        )
    }

    func mergedCatchUp(
        of personID: Int,
        type: ActivityType?,
        since: Int,
        limit: Int
    ) throws -> [Int] {
        let select =
            type == nil ? ActivitySQL.selectOldestHeads : ActivitySQL.selectOldestHeadsOfType
        var merge = FeedMerge(
            heads: try heads(select, [personID, limit, since], type),
            isNewestFirst: false
        )
        var ids: [Int] = []
        while ids.count < limit, let id = try merge.next({ try following($0, type) }) {
            ids.append(id)
        }
        return ids
    }

    func mergedFeed(of personID: Int, type: ActivityType?, range: PageRange) throws -> [Int] {
        let depth = range.offset + range.limit
        let select =
            type == nil ? ActivitySQL.selectNewestHeads : ActivitySQL.selectNewestHeadsOfType
        var merge = FeedMerge(
            heads: try heads(select, [personID, depth], type),
            isNewestFirst: true
        )
        var ids: [Int] = []
        var passed = 0
        while ids.count < range.limit, let id = try merge.next({ try preceding($0, type) }) {
            if passed >= range.offset { ids.append(id) }
            passed += 1
        }
        return ids
    }

    func deepFeed(of personID: Int, type: ActivityType?, range: PageRange) throws -> [Int] {
        let arguments: SQLArguments = [personID, range.limit, range.offset]
        guard let type else { return try integers(ActivitySQL.selectDeepFeed, arguments) }
        return try integers(ActivitySQL.selectDeepFeedOfType, arguments + [type.column])
    }

    private func heads(
        _ select: String,
        _ arguments: SQLArguments,
        _ type: ActivityType?
    ) throws -> [FeedMerge.Head] {
        let ofType = type.map { [$0.column] as SQLArguments } ?? []
        return try rows(select, arguments + ofType) { row in
            try (row[1] as Int?).map { try FeedMerge.Head(id: $0, personID: row[0]) }
        }.compactMap { $0 }
    }

    private func preceding(_ head: FeedMerge.Head, _ type: ActivityType?) throws -> Int? {
        guard let type else {
            return try integer(ActivitySQL.selectBefore, [head.personID, head.id])
        }
        let arguments: SQLArguments = [head.personID, head.id, type.column]
        return try integer(ActivitySQL.selectBeforeOfType, arguments)
    }

    private func following(_ head: FeedMerge.Head, _ type: ActivityType?) throws -> Int? {
        guard let type else {
            return try integer(ActivitySQL.selectAfter, [head.personID, head.id])
        }
        let arguments: SQLArguments = [head.personID, head.id, type.column]
        return try integer(ActivitySQL.selectAfterOfType, arguments)
    }

    private func feedCount(of personID: Int, type: ActivityType?) throws -> Int {
        guard let type else { return try integer(ActivitySQL.countFeed, [personID]) ?? 0 }
        return try integer(ActivitySQL.countFeedOfType, [personID, type.column]) ?? 0
    }

    private func feedCount(of personID: Int, type: ActivityType?, since: Int) throws -> Int {
        guard since > 0 else { return try feedCount(of: personID, type: type) }
        guard let type else {
            return try integer(ActivitySQL.countFeedSince, [personID, since]) ?? 0
        }
        let arguments: SQLArguments = [personID, since, type.column]
        return try integer(ActivitySQL.countFeedOfTypeSince, arguments) ?? 0
    }
}
