/// A day of a place, by its own calendar.
package struct BriefDay: Hashable, Comparable, Sendable {
    /// Counts from 1970-01-01.
    package let number: Int

    package init(number: Int) {
        self.number = number
    }

    /// The day that the clocks of a zone show at an instant.
    package init(of instant: Timestamp, in zone: ClockZone) {
        let day = (instant + zone.offset(at: instant)).roundedDown(to: .seconds(BriefDay.seconds))
        number = Int(day.wholeSeconds) / BriefDay.seconds
    }

    fileprivate static let seconds = 86_400

    /// `2026-01-02`
    package var text: String {
        Timestamp(milliseconds: Int64(number) * Int64(BriefDay.seconds) * 1000).iso8601Date
    }

    package static func < (one: BriefDay, other: BriefDay) -> Bool { one.number < other.number }
}

/// When a user gets a brief: once on each local day, from a local hour on.
///
/// The only state is the day of the last brief, which is stored with the brief. So a hub that
/// starts late makes the brief of the day, one that restarts makes no second one, and a day that it
/// missed stays without.
package struct BriefSchedule: Equatable, Sendable {
    /// Users that were not seen for so long get no brief.
    package static let unseenMax = Duration.seconds(30 * 86_400)
    /// The interval between checks for new users.
    static let checkInterval = Duration.seconds(3600)

    /// In 0...23.
    package let hour: Int

    package init(hour: Int) {
        precondition((0...23).contains(hour), "hour \(hour) is not in 0...23")
        self.hour = hour
    }

    /// The day that a brief is due for; nil if none is.
    ///
    /// - Parameters:
    ///   - lastDay: of the user's last brief.
    ///   - lastSeenAt: when the user last sent a request.
    package func dueDay(
        now: Timestamp,
        zone: ClockZone,
        lastDay: BriefDay?,
        lastSeenAt: Timestamp
    ) -> BriefDay? {
        let day = BriefDay(of: now, in: zone)
        guard now - lastSeenAt <= BriefSchedule.unseenMax,
            now >= start(of: day, zone),
            lastDay.map({ $0 < day }) ?? true
        else { return nil }
        return day
    }

    /// When to ask again: when the next brief becomes due, but after an hour at most.
    package func nextCheck(now: Timestamp, zone: ClockZone) -> Timestamp {
        let day = BriefDay(of: now, in: zone)
        let starts = [day, BriefDay(number: day.number + 1)].map { start(of: $0, zone) }
        let next = starts.first { $0 > now } ?? now + BriefSchedule.checkInterval
        return min(next, now + BriefSchedule.checkInterval)
    }

    private func start(of day: BriefDay, _ zone: ClockZone) -> Timestamp {
        let seconds = day.number * BriefDay.seconds + hour * 3600
        return zone.first(showing: Timestamp(milliseconds: Int64(seconds) * 1000))
    }
}

/// The selection of stories for a brief.
package enum BriefPlan {
    package static let storiesMax = 10
    /// Stories are from so long before the brief.
    package static let window = Duration.seconds(86_400)

    /// The best stories of a day, in the shares of the user's focus profile, in the order of their
    /// ranks.
    package static func stories(
        _ candidates: [FeedCandidate],
        for preferences: NewsPreferences,
        now: Timestamp
    ) -> [PersonalFeedEntry] {
        let recent = candidates.filter {
            $0.storyID != nil && $0.publishedAt <= now && now - $0.publishedAt < window
        }
        let feed = PersonalFeed(
            candidates: recent,
            holdings: Set(preferences.holdings.map(\.ticker)),
            focusProfile: preferences.focusProfile,
            generation: .max
        )
        return feed.page(after: nil, limit: storiesMax).entries
    }
}
