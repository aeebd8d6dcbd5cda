// Aurora: the upstreams of space weather and cloud, and their meaning for an observer at a place.

/// The limits and physical ranges of this module.
package enum AuroraLimits {
    /// The largest upstream product is 2.7 MB, the day of plasma.
    package static let bodyBytesMax = 4 << 20
    /// Seven days of minutes, the longest table that was ever served, are 10,080 rows.
    package static let rowCountMax = 20_000
    /// The deepest product, Locationforecast, nests 8 levels.
    package static let nestingMax = 16

    /// The time by which an upstream's clock may be ahead of ours.
    package static let clockSkewMax = Duration.seconds(5 * 60)
    /// OVATION looks 55 to 96 minutes ahead of its observation.
    package static let ovationLeadMax = Duration.seconds(6 * 3600)
    /// Cells of a grid without a usable value: one in a hundred.
    package static let ovationGapMax = Ovation.valueCount / 100
    /// The K forecast reaches about 3 days; times beyond this limit are rejected.
    package static let forecastAheadMax = Duration.seconds(10 * 86_400)

    /// The 27-day outlook is 2 KB of 27 rows.
    package static let outlookBytesMax = 64 << 10
    package static let outlookDayCountMax = 60
    package static let outlookAheadMax = Duration.seconds(40 * 86_400)

    /// Ranges outside which a number is missing: wider than any storm on record.
    package static let kpRange = 0.0...9.0
    /// The A index.
    package static let aRange = 0.0...400.0
    /// km/s
    package static let speedRange = 150.0...3000.0
    /// Protons per cm³
    package static let densityRange = 0.0...300.0
    /// nT, for a component of the magnetic field as for its magnitude
    package static let fieldRange = -150.0...150.0
    /// Percent of the sky
    package static let cloudRange = 0.0...100.0
    /// °C
    package static let temperatureRange = -100.0...70.0
    /// m/s
    package static let windSpeedRange = 0.0...150.0

    /// The maximum age of an input that counts. The solar wind comes 5 to 7 minutes late.
    package static let solarWindAgeMax = Duration.seconds(20 * 60)
    /// From this age of the coupling on, each source of the solar wind is polled as often as keeps it
    /// from becoming too old, even if the data come 13 minutes late.
    package static let solarWindNeededAge = Duration.seconds(12 * 60)
    package static let solarWindHastenedInterval = Duration.seconds(5 * 60)
    package static let ovationAgeMax = Duration.seconds(90 * 60)
    /// From the start of the 3-hour interval.
    package static let kIntervalAgeMax = Duration.seconds(7 * 3600)
    /// The estimate comes every minute, about 5 minutes late; after an hour the interval is better.
    package static let kMinuteAgeMax = Duration.seconds(3600)
    /// Cloud from a model run older than this lowers the confidence.
    package static let weatherRunAgeMax = Duration.seconds(3 * 3600)

    /// Model runs come every hour or so; one of half a day ago is a service that stands still.
    package static let weatherAgeMax = Duration.seconds(12 * 3600)
    /// The scales come every few minutes.
    package static let scalesAgeMax = Duration.seconds(3600)

    /// The time for which the last number also counts for the following minutes. A storm has gaps:
    /// in May 2024, 9 % of the minutes of the field and 39 % of the speed. The speed drifts; the
    /// field turns within minutes.
    package static let plasmaHoldMax = Duration.seconds(30 * 60)
    package static let fieldHoldMax = Duration.seconds(5 * 60)

    /// The time that the state keeps: the 4 hours of the coupling, the hold before them, and some
    /// for late rows.
    package static let solarWindKept = Duration.seconds(6 * 3600)
    package static let kMinutesKept = Duration.seconds(6 * 3600)
    package static let kIntervalsKept = Duration.seconds(8 * 86_400)
    /// Places whose weather is kept; the operator configures a handful.
    package static let placeCountMax = 64
    /// Steps of one place's weather; Locationforecast has about 85.
    package static let weatherStepCountMax = 400
    /// In effect at once; the greatest storms have had about ten.
    package static let bulletinCountMax = 64
}
