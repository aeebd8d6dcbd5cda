/// What the clocks at a place show.
///
/// The zones of Europe, which share one rule of the law, and UTC for everywhere else: so no database of
/// time zones is needed, which small containers do not have.
package enum ClockZone: String, CaseIterable, Hashable, Sendable, Codable {
    case utc = "UTC"
    case westernEuropean = "WET"
    case centralEuropean = "CET"
    case easternEuropean = "EET"

    /// How far the clocks are ahead of UTC at an instant.
    package func offset(at time: Timestamp) -> Duration {
        let hour = Duration.seconds(3600)
        let isSummer = ClockZone.isEuropeanSummer(time)
        switch self {
        case .utc: return .zero
        case .westernEuropean: return isSummer ? hour : .zero
        case .centralEuropean: return isSummer ? hour * 2 : hour
        case .easternEuropean: return isSummer ? hour * 3 : hour * 2
        }
    }

    /// The date and time of day that the clocks show.
    package func civil(_ time: Timestamp) -> CivilTime {
        CivilTime(time + offset(at: time))
    }

    /// When the clocks show midnight at the beginning of the day of `time`.
    package func startOfDay(_ time: Timestamp) -> Timestamp {
        let local = time + offset(at: time)
        let midnight = local.roundedDown(to: .seconds(86_400))
        // The clocks change at one in the morning, UTC: the offset of the midnight can be another.
        let guess = midnight - offset(at: time)
        return midnight - offset(at: guess)
    }

    /// When the day after the one of `time` begins.
    package func startOfNextDay(_ time: Timestamp) -> Timestamp {
        // No day has 30 hours, and none fewer than 23.
        startOfDay(startOfDay(time) + .seconds(30 * 3600))
    }

    /// From the last Sunday of March to that of October, 01:00 UTC each: directive 2000/84/EC.
    private static func isEuropeanSummer(_ time: Timestamp) -> Bool {
        let year = CivilTime(time).year
        guard let march = lastSunday(year, month: 3), let october = lastSunday(year, month: 10)
        else { return false }
        return (march..<october).contains(time)
    }

    /// Of a month of 31 days, at 01:00.
    private static func lastSunday(_ year: Int, month: Int) -> Timestamp? {
        let day = Duration.seconds(86_400)
        guard let last = CivilTime(year: year, month: month, day: 31, hour: 1) else { return nil }
        let end = Timestamp(last)
        // 1970-01-01 was a Thursday: 4 days after a Sunday.
        let weekday = ((end.wholeSeconds - 3600) / 86_400 + 4) % 7
        return end - day * Int(weekday < 0 ? weekday + 7 : weekday)
    }
}
