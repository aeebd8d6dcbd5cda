/// The coming hours at a place, from which the forms for tonight, the next hours and the next days
/// are made: protocol/aurora.md.
package struct Outlook: Hashable, Sendable {
    package let place: Place
    /// When it was made, by the domain clock.
    package let time: Timestamp
    /// The hour that it is, and those after it without a gap, to the end of the last day.
    package let hours: [HourOutlook]
    package let night: Night?
    package let phase: SunPhase
    /// The K forecast from the interval that it is on.
    let kForecast: [KForecastInterval]
    let coming: ComingHours
    let bounds: LevelBounds

    package static let hourCount = 24
    package static let daysMax = 7
    package static let daysDefault = 3

    /// - Parameters:
    ///   - derivation: the conditions of the place, whose time is the outlook's.
    ///   - state: the state from which the conditions were derived.
    /// - Complexity: some 200 positions of the sun for the hours, 700 for the night and the day.
    package init(_ derivation: Derivation, state: AuroraState, bounds: LevelBounds = .standard) {
        let place = derivation.conditions.place
        let now = derivation.conditions.updated
        let coming = ComingHours(derivation, state: state)
        var hours = [HourOutlook.current(derivation, coming, bounds: bounds)]
        var end = place.zone.startOfDay(now)
        for _ in 0..<Outlook.daysMax { end = place.zone.startOfNextDay(end) }
        var next = hours[0].end
        while next < end {
            hours.append(HourOutlook(at: next, coming, bounds: bounds))
            next = next + HourOutlook.length
        }
        self.place = place
        self.time = now
        self.hours = hours
        self.coming = coming
        self.bounds = bounds
        night = Night(after: now, at: place)
        phase = SunPhase(of: now, at: place)
        kForecast = state.kForecast.filter { $0.start + KInterval.length > now }
    }

    /// The next 24 whole hours.
    package var nextHours: [HourOutlook] {
        Array(hours.dropFirst().prefix(Outlook.hourCount))
    }

    /// The hours that begin in the night. Of the hour that it is, this moment counts.
    package var nightHours: [HourOutlook] {
        guard let night else { return [] }
        return hours.filter { hour in
            (night.start..<night.end).contains(hour.isNow ? time : hour.time) && hour.isDark
        }
    }

    /// The chance that the score of a coming hour is at least that of `level`, 0…1; see
    /// `ComingHours.chance`.
    package func chance(of level: Level, in hour: HourOutlook) -> Double {
        coming.chance(of: bounds.bound(of: level), at: hour.isNow ? time : hour.time)
    }

    /// Days of the place's clock, the first one without the hours that are over.
    package func days(_ count: Int) -> [DayOutlook] {
        precondition((1...Outlook.daysMax).contains(count), "\(count) days")
        var days: [DayOutlook] = []
        var start = place.zone.startOfDay(time)
        for _ in 0..<count {
            let end = place.zone.startOfNextDay(start)
            let hours = hours.filter { ($0.isNow ? time : $0.time) >= start && $0.time < end }
            days.append(
                DayOutlook(
                    start: start,
                    hours: hours,
                    kForecast: kForecast.filter {
                        $0.start + KInterval.length > start && $0.start < end
                    },
                    kExpected: coming.kp(at: max(time, start + (end - start) / 2)).kp
                )
            )
            start = end
        }
        return days
    }
}

/// One day of a place's clock.
package struct DayOutlook: Hashable, Sendable {
    package let start: Timestamp
    package let hours: [HourOutlook]
    /// The intervals that any of its hours lies in.
    let kForecast: [KForecastInterval]
    /// Of the middle of the day.
    let kExpected: Double

    /// Nil for a day without hours.
    package var best: HourOutlook? { hours.best }
}

extension [HourOutlook] {
    /// The one with the greatest score, the darkest of equal ones.
    var best: HourOutlook? {
        self.min {
            $0.score == $1.score ? $0.sunElevation < $1.sunElevation : $0.score > $1.score
        }
    }
}
