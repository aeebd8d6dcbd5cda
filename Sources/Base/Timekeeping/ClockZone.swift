/// What the clocks at a place show.
///
/// The zones of Europe and of the United States, each group of which shares one rule of the law, and
/// UTC for everywhere else: so no database of time zones is needed, which small containers do not
/// have. The names are those of the IANA time zone database.
package enum ClockZone: String, CaseIterable, Hashable, Sendable, Codable {
    case utc = "UTC"
    case westernEuropean = "WET"
    case centralEuropean = "CET"
    case easternEuropean = "EET"
    /// New York
    case usEastern = "EST5EDT"
    /// Chicago
    case usCentral = "CST6CDT"
    /// Denver
    case usMountain = "MST7MDT"
    /// Los Angeles
    case usPacific = "PST8PDT"

    /// How far the clocks are ahead of UTC at an instant.
    package func offset(at time: Timestamp) -> Duration {
        isSummer(time) ? standardOffset + .seconds(3600) : standardOffset
    }

    private var standardOffset: Duration {
        let hour = Duration.seconds(3600)
        return switch self {
        case .utc, .westernEuropean: .zero
        case .centralEuropean: hour
        case .easternEuropean: hour * 2
        case .usEastern: hour * -5
        case .usCentral: hour * -6
        case .usMountain: hour * -7
        case .usPacific: hour * -8
        }
    }

    /// The date and time of day that the clocks show.
    package func civil(_ time: Timestamp) -> CivilTime {
        CivilTime(time + offset(at: time))
    }

    // MARK: Days

    /// When the clocks show midnight at the beginning of the day of `time`.
    package func startOfDay(_ time: Timestamp) -> Timestamp {
        let local = time + offset(at: time)
        let midnight = local.roundedDown(to: .seconds(86_400))
        // The clocks may have changed since midnight.
        let guess = midnight - offset(at: time)
        return midnight - offset(at: guess)
    }

    /// When the day after the one of `time` begins.
    package func startOfNextDay(_ time: Timestamp) -> Timestamp {
        // No day has 30 hours, and none fewer than 23.
        startOfDay(startOfDay(time) + .seconds(30 * 3600))
    }

    // MARK: Summer time

    private func isSummer(_ time: Timestamp) -> Bool {
        let year = CivilTime(time + standardOffset).year
        let (start, end): (Timestamp?, Timestamp?)
        switch self {
        case .utc: return false
        case .westernEuropean, .centralEuropean, .easternEuropean:
            // From the last Sunday of March to that of October, 01:00 UTC each: directive 2000/84/EC.
            let hour = Duration.seconds(3600)
            start = ClockZone.sunday(year, month: 3, from: 25).map { $0 + hour }
            end = ClockZone.sunday(year, month: 10, from: 25).map { $0 + hour }
        case .usEastern, .usCentral, .usMountain, .usPacific:
            // From the second Sunday of March to the first of November, 02:00 of the clock each:
            // 15 U.S.C. 260a, as it is since 2007.
            let hour = Duration.seconds(3600)
            start = ClockZone.sunday(year, month: 3, from: 8).map { $0 + hour * 2 - standardOffset }
            end = ClockZone.sunday(year, month: 11, from: 1).map { $0 + hour - standardOffset }
        }
        guard let start, let end else { return false }
        return (start..<end).contains(time)
    }

    /// The first Sunday of a month from a day on, at 00:00 UTC.
    private static func sunday(_ year: Int, month: Int, from day: Int) -> Timestamp? {
        guard let first = CivilTime(year: year, month: month, day: day) else { return nil }
        let start = Timestamp(first)
        // 1970-01-01 was a Thursday: 4 days after a Sunday.
        let weekday = (start.wholeSeconds / 86_400 + 4) % 7
        let days = Int(weekday < 0 ? -weekday : (7 - weekday) % 7)
        return start + .seconds(days * 86_400)
    }
}
