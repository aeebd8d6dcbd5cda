import Timekeeping

/// The hours of a day in which only what is critical is told, such as 22:00 to 07:00.
package struct QuietHours: Sendable, Hashable {
    private static let minutesOfDay = 24 * 60
    /// No zone on Earth is further from UTC.
    package static let zoneMinutesMax = 14 * 60

    /// Minutes since midnight in the zone. The hours go over midnight when `to` is not after `from`.
    package let from: Int
    package let to: Int
    /// Minutes that the zone is ahead of UTC. Fixed: rules know no summer time.
    package let zoneMinutes: Int

    /// Nil for a text that is none, and for hours that begin when they end.
    ///
    /// - Parameters:
    ///   - from: `22:00`, in the zone.
    ///   - to: `07:00`, in the zone.
    ///   - zone: `UTC`, or the distance from it: `+01:00`.
    package init?(from: String, to: String, zone: String) {
        guard let from = QuietHours.minutes(from), let to = QuietHours.minutes(to), from != to,
            let zone = QuietHours.zone(zone)
        else { return nil }
        self.from = from
        self.to = to
        zoneMinutes = zone
    }

    /// When the quiet hours end in which `instant` lies; nil when it lies in none.
    package func end(at instant: Timestamp) -> Timestamp? {
        let minute = Duration.seconds(60)
        let day = minute * QuietHours.minutesOfDay
        let local = instant + minute * zoneMinutes
        let midnight = local.roundedDown(to: day)
        let sinceMidnight = local - midnight
        let (start, end) = (minute * from, minute * to)
        let localEnd: Timestamp
        if from < to {
            guard sinceMidnight >= start, sinceMidnight < end else { return nil }
            localEnd = midnight + end
        } else if sinceMidnight >= start {
            localEnd = midnight + day + end
        } else {
            guard sinceMidnight < end else { return nil }
            localEnd = midnight + end
        }
        return localEnd - minute * zoneMinutes
    }

    /// The minutes since midnight of `07:30`; nil for anything else.
    package static func minutes(_ text: String) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.utf8.count == 2 && $0.allSatisfy(isDigit) }),
            let hours = Int(parts[0]), let minutes = Int(parts[1]), hours < 24, minutes < 60
        else { return nil }
        return hours * 60 + minutes
    }

    /// How many minutes a zone such as `+01:00` is ahead of UTC; nil for anything else.
    package static func zone(_ text: String) -> Int? {
        if text == "UTC" { return 0 }
        guard let sign = text.first, sign == "+" || sign == "-",
            let minutes = minutes(String(text.dropFirst())), minutes <= zoneMinutesMax
        else { return nil }
        return sign == "-" ? -minutes : minutes
    }

    private static func isDigit(_ character: Character) -> Bool {
        character.isASCII && character.isNumber
    }
}
