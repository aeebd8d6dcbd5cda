import DomainKit
import News

/// A user's brief of a day.
package struct MadeBrief: Equatable, Sendable {
    package var user: NewsUserID
    package var day: BriefDay
    package var brief: BriefView
}

extension NewsService {
    /// Users whose briefs are made in one transaction.
    private static let briefsPerChange = 20
    /// URLs of articles in an item of a brief.
    private static let briefURLsMax = 5
    private static let retryPause = Duration.seconds(60)

    /// Makes briefs when they are due, until it is cancelled.
    func keepBriefs() async {
        let schedule = BriefSchedule(hour: settings.briefHour)
        while !Task.isCancelled {
            var pause = NewsService.retryPause
            do {
                try await makeDueBriefs()
                let now = clock.now
                pause = schedule.nextCheck(now: now, zone: settings.timeZone) - now
            } catch {
                logger.error("news: briefs not made", metadata: ["err": "\(error)"])
            }
            try? await clock.sleep(pause)
        }
    }

    /// Makes the briefs that are due. Each is stored with its day and published in one transaction,
    /// so a user gets at most one a day, even if the hub is killed.
    ///
    /// - Returns: the number of briefs.
    @discardableResult
    package func makeDueBriefs() async throws -> Int {
        let now = clock.now
        let day = BriefSchedule(hour: settings.briefHour).dueDay(
            now: now,
            zone: settings.timeZone,
            lastDay: nil,
            lastSeenAt: now
        )
        guard let day else { return 0 }
        var count = 0
        while !Task.isCancelled {
            let briefs = try await briefs(of: day, now: now)
            guard !briefs.isEmpty else { break }
            try await keep(briefs, at: now)
            count += briefs.count
        }
        return count
    }

    /// The next briefs of a day, for users who do not have one yet.
    private func briefs(of day: BriefDay, now: Timestamp) async throws -> [MadeBrief] {
        try await store.readNews { [self] tables in
            let users = try tables.usersWithoutBrief(
                of: day,
                seenSince: now - BriefSchedule.unseenMax,
                limit: NewsService.briefsPerChange
            )
            let generation = try tables.generation()
            return try users.map { user in
                let preferences = try tables.user(user)?.preferences ?? NewsPreferences()
                return MadeBrief(
                    user: user,
                    day: day,
                    brief: try brief(for: preferences, generation, tables, now: now)
                )
            }
        }
    }

    private func brief(
        for preferences: NewsPreferences,
        _ generation: Int,
        _ tables: NewsTables,
        now: Timestamp
    ) throws -> BriefView {
        let entries = BriefPlan.stories(
            try candidates(preferences, generation, tables),
            for: preferences,
            now: now
        )
        let holdings = Set(preferences.holdings.map(\.ticker))
        let items = try entries.compactMap { entry -> BriefView.Item? in
            guard let id = entry.candidate.storyID, let story = try tables.story(id),
                let article = try tables.article(entry.candidate.articleID)
            else { return nil }
            let shown = try tables.signals(ofStory: id, limit: NewsService.briefURLsMax)
            return BriefView.Item(
                story: story.view,
                why: story.reasons(forHoldings: holdings),
                summary: article.shortSummary,
                urls: try tables.listed(shown).map(\.article.link.text)
            )
        }
        return BriefView(items: items, generatedAt: now)
    }

    private func keep(_ briefs: [MadeBrief], at now: Timestamp) async throws {
        let hasDeliveries = try await store.commitNews { [self] tables in
            var change = Change()
            for made in briefs {
                try tables.put(made.brief.json(), of: made.user, day: made.day, at: now)
                // A brief without stories is stored, but not published.
                guard !made.brief.items.isEmpty else { continue }
                let id = NewsService.newID()
                add(
                    .briefPublished(made.brief, to: made.user, id: id, time: now),
                    to: &change
                )
            }
            return (change, !change.deliveries.isEmpty)
        }
        if hasDeliveries { wakeOutbox() }
    }
}

extension StoredStory {
    /// The reasons of the story, with the reader's holdings first.
    func reasons(forHoldings holdings: Set<Ticker>) -> [String] {
        let held = tickers.filter(holdings.contains)
        let first = held.isEmpty ? [] : [StoryReasons.sentence(holding: held)]
        return Array((first + reasons).prefix(StoryReasons.countMax))
    }
}
