/// The outlook for the coming night, or for the rest of the current one.
package struct Tonight: Hashable, Sendable {
    package let place: Place
    package let time: Timestamp
    package let night: Night?
    package let phase: SunPhase
    package let score: Int
    package let level: Level
    package let confidence: Confidence
    /// The hour that the score is of; nil when it does not get dark.
    package let best: HourOutlook?
    /// The stretch of hours around the best one that have its level; nil if the level is `none`.
    package let window: Range<Timestamp>?
    /// The greatest Kp of the night's hours; nil when no hour has one that is measured or forecast.
    package let kpMax: Double?

    package init(_ outlook: Outlook) {
        let hours = outlook.nightHours
        place = outlook.place
        time = outlook.time
        night = hours.isEmpty ? nil : outlook.night
        phase = outlook.phase
        best = hours.best
        kpMax = hours.filter { $0.kpSource != .climate }.map(\.kp).max()
        guard let best = hours.best else {
            // The position of the sun is certain.
            (score, level, confidence, window) = (0, Level.none, .high, nil)
            return
        }
        (score, level) = (best.score, best.level)
        let isForecast = hours.allSatisfy { $0.kpSource != .climate }
        confidence = isForecast ? best.confidence : .low
        window = Tonight.window(around: best, in: hours, now: outlook.time)
    }

    private static func window(
        around best: HourOutlook,
        in hours: [HourOutlook],
        now: Timestamp
    ) -> Range<Timestamp>? {
        let level = best.level
        guard level > .none, let index = hours.firstIndex(where: { $0.time == best.time })
        else { return nil }
        let first = hours[...index].lastIndex { $0.level != level }.map { $0 + 1 } ?? 0
        let last = hours[index...].firstIndex { $0.level != level } ?? hours.count
        return max(now, hours[first].time)..<hours[last - 1].end
    }

    /// The contract's `tonight` form: one JSON object in the documented order of keys.
    package func json(language: Language = .norwegian) -> [UInt8] {
        var json = JSONWriter()
        json.object {
            $0.field("score", score)
            $0.field("level", level.rawValue)
            $0.field("confidence", confidence.rawValue)
            $0.field("headline", headline(language))
            $0.field("summary", summary(language))
            $0.field("best_time", bestTime(language))
            $0.array("tips") { json in tips(language).forEach { json.value($0) } }
            $0.field("updated", time.iso8601)
        }
        return json.bytes
    }
}
