/// Counts the requests of a day (UTC) with one key, and grants no more than the day's budget.
///
/// **Use.** Call `spend(now:)` before each request, and store `bytes` before the request is sent.
/// A hub that restarts begins with the stored bytes, so its requests stay within the budget.
///
/// **Clock.** A clock that was set back by less than a day goes on with the later day's count. A
/// stored day that is further ahead is from another clock and does not count.
package struct RequestBudget: Equatable, Sendable {
    package enum Answer: Equatable, Sendable {
        case granted
        /// The budget is used up until the next day.
        case refused(until: Timestamp)
    }

    package let dailyMax: Int
    private var day: Int
    private var spentCount: Int

    private static let dayLength = Duration.seconds(86_400)

    /// - Parameter stored: the `bytes` of an earlier budget. Others, and nil, are an unused budget.
    package init(dailyMax: Int, stored: [UInt8]? = nil, now: Timestamp) {
        precondition(dailyMax > 0)
        self.dailyMax = dailyMax
        day = RequestBudget.day(of: now)
        spentCount = 0
        guard let stored, let fields = try? JSONReader.fields(of: stored[...]) else { return }
        func number(_ key: String) -> Int? {
            fields.first { $0.key == key }
                .flatMap { JSONReader.integer($0.value) }
                .flatMap { Int(exactly: $0) }
        }
        guard let storedDay = number("day"), let storedCount = number("spent"),
            storedDay == day || storedDay == day + 1
        else { return }
        (day, spentCount) = (storedDay, storedCount)
    }

    /// Takes one request from the budget of the day, if it is not used up.
    package mutating func spend(now: Timestamp) -> Answer {
        let today = RequestBudget.day(of: now)
        if today > day || today < day - 1 { (day, spentCount) = (today, 0) }
        guard spentCount < dailyMax else {
            return .refused(
                until: Timestamp(milliseconds: 0) + RequestBudget.dayLength * (day + 1)
            )
        }
        spentCount += 1
        return .granted
    }

    /// The requests of the day that have been granted.
    package var spent: Int { spentCount }

    package var bytes: [UInt8] {
        newsJSON { json in
            json.field("day", day)
            json.field("spent", spentCount)
        }
    }

    /// Since 1970-01-01.
    private static func day(of time: Timestamp) -> Int {
        let start = time.roundedDown(to: dayLength)
        return Int(start.milliseconds / dayLength.wholeMilliseconds)
    }
}
