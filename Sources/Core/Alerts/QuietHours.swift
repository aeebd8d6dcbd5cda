/// The hours of a day in which only critical alerts are published, such as 22:00 to 07:00.
///
/// They begin and end when the clocks of the zone first show the time. So in a night in which the clocks change
/// they are one stretch, an hour shorter or longer than in others; a time that the clocks skip counts as the
/// moment of the change.
package struct QuietHours: Sendable, Hashable {
    /// No zone is further from UTC.
    package static let zoneMinutesMax = 14 * 60

    /// Minutes since midnight of the clocks. The hours go over midnight when `to` is not after `from`.
    package let from: Int
    package let to: Int
    package let zone: ClockZone

    /// Nil for an invalid time of day, and for hours that begin when they end.
    ///
    /// - Parameters:
    ///   - from: `22:00`, in the zone.
    ///   - to: `07:00`, in the zone.
    package init?(from: String, to: String, zone: ClockZone) {
        guard let from = QuietHours.minutes(from), let to = QuietHours.minutes(to), from != to
        else { return nil }
        self.from = from
        self.to = to
        self.zone = zone
    }

    /// When the quiet hours end in which `instant` lies; nil when it lies in none.
    package func end(at instant: Timestamp) -> Timestamp? {
        let day = Duration.seconds(86_400)
        let today = (instant + zone.offset(at: instant)).roundedDown(to: day)
        // Those that began today, or the evening before.
        for midnight in [today, today - day] {
            let last = from < to ? midnight : midnight + day
            let end = zone.first(showing: last + .seconds(60 * to))
            if instant < end, zone.first(showing: midnight + .seconds(60 * from)) <= instant {
                return end
            }
        }
        return nil
    }

    /// The minutes since midnight of `07:30`; nil for anything else.
    package static func minutes(_ text: String) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.utf8.count == 2 && $0.allSatisfy(isDigit) }),
            let hours = Int(parts[0]), let minutes = Int(parts[1]), hours < 24, minutes < 60
        else { return nil }
        return hours * 60 + minutes
    }

    /// The zone of a fixed distance from UTC, such as `+01:00`, or of `UTC`; nil for anything else.
    package static func zone(_ text: String) -> ClockZone? {
        if text == "UTC" { return .utc }
        guard let sign = text.first, sign == "+" || sign == "-",
            let minutes = minutes(String(text.dropFirst())), minutes <= zoneMinutesMax
        else { return nil }
        return ClockZone(name: text, minutesAhead: sign == "-" ? -minutes : minutes)
    }

    private static func isDigit(_ character: Character) -> Bool {
        character.isASCII && character.isNumber
    }
}
