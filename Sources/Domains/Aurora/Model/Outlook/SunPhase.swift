/// The course of the sun on one day of a place's clock.
package enum SunPhase: String, CaseIterable, Sendable {
    case polarNight = "polar_night"
    case midnightSun = "midnight_sun"
    case riseAndSet = "rise_and_set"

    /// The elevation of the sun's centre when its upper edge touches a horizon at sea level, with the
    /// customary refraction.
    static let horizon = -0.833
    /// Where the sun turns it changes by less than 0.005° in this time, and from day to day by 0.15°.
    private static let step = Duration.seconds(600)

    /// - Parameter day: any instant of the day.
    package init(of day: Timestamp, at place: Place) {
        let end = place.zone.startOfNextDay(day)
        var elevations: (lowest: Double, highest: Double) = (90, -90)
        var time = place.zone.startOfDay(day)
        while time < end {
            let elevation = place.sunElevation(at: time)
            elevations = (min(elevations.lowest, elevation), max(elevations.highest, elevation))
            time = time + SunPhase.step
        }
        self =
            elevations.highest < SunPhase.horizon
            ? .polarNight : elevations.lowest > SunPhase.horizon ? .midnightSun : .riseAndSet
    }
}

/// A stretch in which the sky is dark enough for an aurora.
package struct Night: Hashable, Sendable {
    package var start: Timestamp
    package var end: Timestamp

    /// Above this elevation of the sun no aurora is seen: Score.darkness.
    private static let sunElevationMax = -6.0
    private static let step = Duration.seconds(300)

    /// The night that it is, or the next one if it begins before the second noon from `now`; nil where
    /// it does not get dark until then. From 06:00 on it is the coming one, also while it is still dark.
    package init?(after now: Timestamp, at place: Place) {
        let start = Night.noon(before: now, at: place)
        let isMorning = now - start > Night.day / 2 && Night.morning.contains(place.clock(now))
        for window in isMorning ? [start + Night.day] : [start, start + Night.day] {
            let end = window + Night.day
            if let night = Night(from: window, to: end, at: place), night.end > now {
                self = night
                return
            }
        }
        return nil
    }

    /// Whether it is past midnight at `now` and this is the rest of the night, not the coming evening's.
    func isRest(at now: Timestamp, place: Place) -> Bool {
        place.clock(now) < Night.morning.lowerBound
            && start < Night.noon(before: now, at: place) + Night.day
    }

    private static let day = Duration.seconds(86_400)
    private static let morning = Duration.seconds(6 * 3600)..<Duration.seconds(18 * 3600)

    /// The mean solar noon divides the days: between two of them it gets dark once at most.
    private static func noon(before now: Timestamp, at place: Place) -> Timestamp {
        let noon = Duration.seconds(43_200 - place.longitude / 15 * 3600)
        return (now - noon).roundedDown(to: day) + noon
    }

    private init?(from start: Timestamp, to end: Timestamp, at place: Place) {
        var dark: (first: Timestamp, last: Timestamp)?
        // The clock's multiples, so that the texts have round minutes.
        var time = start.roundedDown(to: Night.step)
        while time < end {
            if place.sunElevation(at: time) < Night.sunElevationMax {
                dark = (dark?.first ?? time, time + Night.step)
            }
            time = time + Night.step
        }
        guard let dark else { return nil }
        self.start = dark.first
        self.end = dark.last
    }
}

extension Place {
    /// The time of day by the place's clock, or by its sun if its clock is UTC: a place without a
    /// configured time zone has that.
    fileprivate func clock(_ time: Timestamp) -> Duration {
        let day = Duration.seconds(86_400)
        let offset =
            zone == .utc ? Duration.seconds(longitude / 15 * 3600) : zone.offset(at: time)
        let local = time + offset
        return local - local.roundedDown(to: day)
    }

    /// Degrees.
    package func sunElevation(at time: Timestamp) -> Double {
        solarElevation(latitude: latitude, longitude: longitude, at: time)
    }
}
