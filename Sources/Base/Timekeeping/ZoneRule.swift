/// The offsets of a zone in all coming years: the text that POSIX has for the variable TZ, such as
/// `CET-1CEST,M3.5.0,M10.5.0/3`.
///
/// POSIX.1-2017, Base Definitions §8.3, with the hours up to a week of RFC 9636 §3.3.1.
struct ZoneRule: Sendable, Hashable {
    /// Seconds ahead of UTC.
    let standardOffset: Int32
    /// Nil when the standard offset holds all year.
    let summer: Summer?

    struct Summer: Sendable, Hashable {
        /// Seconds ahead of UTC; behind standard time in Ireland's winter.
        var offset: Int32
        var start: Change
        var end: Change
    }

    /// A moment of each year, by the clock that shows until then.
    struct Change: Sendable, Hashable {
        enum Day: Sendable, Hashable {
            /// 1…365; 29 February is not counted.
            case ofYearWithoutLeapDay(Int)
            /// 0…365; 29 February is counted.
            case ofYear(Int)
            /// A weekday (0 is Sunday) of a month; week 5 is the last one.
            case weekday(Int, week: Int, month: Int)
        }

        var day: Day
        /// Seconds since midnight; negative or more than a day for a change on another day.
        var time: Int
    }

    /// Nil for a text that is no such rule, also for one with summer time whose changes are left out.
    init?(_ text: some StringProtocol) {
        var reader = ZoneRuleReader(text)
        guard reader.skipName(), let behind = reader.offset() else { return nil }
        standardOffset = Int32(-behind)
        guard !reader.isAtEnd else {
            summer = nil
            return
        }
        guard reader.skipName() else { return nil }
        var ahead = standardOffset + 3600
        if reader.next != UInt8(ascii: ",") {
            guard let behind = reader.offset() else { return nil }
            ahead = Int32(-behind)
        }
        guard let start = reader.change(), let end = reader.change(), reader.isAtEnd else {
            return nil
        }
        summer = Summer(offset: ahead, start: start, end: end)
    }

    /// Seconds ahead of UTC at an instant, in seconds since 1970.
    func offset(at time: Int64) -> Int32 {
        guard let summer else { return standardOffset }
        let year = CivilTime(Timestamp(milliseconds: time * 1000)).year
        // The latest change up to the instant decides. Of a year's changes the first may lie in the year
        // before, and the last in the year after. Of two at one instant the later one in the list counts:
        // summer time that lasts all year begins when it ends.
        var latest = (time: Int64.min, offset: standardOffset)
        for year in (year - 1)...(year + 1) {
            let changes = [
                (summer.start.instant(in: year, offset: standardOffset), summer.offset),
                (summer.end.instant(in: year, offset: summer.offset), standardOffset),
            ]
            for case (let instant?, let offset) in changes
            where instant <= time && instant >= latest.time {
                latest = (instant, offset)
            }
        }
        return latest.offset
    }
}

extension ZoneRule.Change {
    /// In seconds since 1970; nil in a year that calendars here do not have.
    ///
    /// - Parameter offset: of the clock that shows until then.
    fileprivate func instant(in year: Int, offset: Int32) -> Int64? {
        guard let first = CivilTime(year: year, month: 1, day: 1) else { return nil }
        let newYear = first.daysSinceEpoch
        let days: Int
        switch day {
        case .ofYear(let number): days = newYear + number
        case .ofYearWithoutLeapDay(let number):
            let isLeapYear = CivilTime.daysInMonth(2, year: year) == 29
            days = newYear + number - 1 + (isLeapYear && number >= 60 ? 1 : 0)
        case .weekday(let weekday, let week, let month):
            guard let first = CivilTime(year: year, month: month, day: 1) else { return nil }
            var dayOfMonth = 1 + (weekday - first.weekday + 7) % 7 + 7 * (week - 1)
            if dayOfMonth > CivilTime.daysInMonth(month, year: year) { dayOfMonth -= 7 }
            days = first.daysSinceEpoch + dayOfMonth - 1
        }
        return Int64(days) * 86_400 + Int64(time) - Int64(offset)
    }
}
