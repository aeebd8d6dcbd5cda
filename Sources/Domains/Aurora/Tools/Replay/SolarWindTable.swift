import Base

/// The solar wind of one minute at L1; a value that was not measured is not a number.
struct SolarWindMinute: Sendable, Equatable {
    /// The instruments that sent a row for this minute, with or without values.
    struct Rows: OptionSet, Sendable {
        let rawValue: UInt8
        static let field = Rows(rawValue: 1)
        static let plasma = Rows(rawValue: 2)
    }

    /// nT, GSM.
    var bx = Float.nan
    var by = Float.nan
    var bz = Float.nan
    /// The magnitude of the field, nT.
    var bt = Float.nan
    /// km/s
    var speed = Float.nan
    /// Protons per cm³.
    var density = Float.nan
    /// K
    var temperature = Float.nan
    var rows: Rows = []
}

/// The minutes of one recording of the solar wind, without gaps in the array.
struct SolarWindTable: Sendable, Equatable {
    /// Longest recording: 14 days of minutes, 640 KB of table.
    static let minuteCountMax = 14 * 1440
    /// No quantity of the solar wind comes near it, and it can be written with its decimals.
    static let valueMax: Float = 1e9

    /// The time of the first minute.
    private(set) var first: Timestamp
    private(set) var minutes: [SolarWindMinute]

    /// An empty table for the minutes of `range`.
    init(_ range: ClosedRange<Timestamp>) {
        let count = SolarWindTable.index(of: range.upperBound, after: range.lowerBound) + 1
        first = range.lowerBound
        minutes = Array(repeating: SolarWindMinute(), count: count)
    }

    /// The time after the last minute.
    var end: Timestamp { first + .seconds(60 * minutes.count) }

    /// The minute that `time` falls in; a minute without any row outside the recording.
    subscript(time: Timestamp) -> SolarWindMinute {
        get {
            let index = SolarWindTable.index(of: time, after: first)
            return minutes.indices.contains(index) ? minutes[index] : SolarWindMinute()
        }
        set { minutes[SolarWindTable.index(of: time, after: first)] = newValue }
    }

    private static func index(of time: Timestamp, after first: Timestamp) -> Int {
        let minute = Duration.seconds(60)
        let distance = time.roundedDown(to: minute) - first.roundedDown(to: minute)
        return Int(distance.wholeMilliseconds / 60_000)
    }
}
