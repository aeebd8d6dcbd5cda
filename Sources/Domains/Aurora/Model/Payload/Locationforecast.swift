/// MET Norway's Locationforecast 2.0 `compact`, as much of it as an aurora forecast needs.
///
/// Data from MET Norway, CC BY 4.0. Source: https://docs.api.met.no/doc/locationforecast/datamodel.
package struct Locationforecast: Hashable, Sendable {
    /// The run of the weather model, not the time of the answer.
    package var updatedAt: Timestamp
    /// Oldest first; hourly for two to three days, then every six hours.
    package var steps: [WeatherStep]
    package var notes = PayloadNotes()

    package init(updatedAt: Timestamp, steps: [WeatherStep]) {
        self.updatedAt = updatedAt
        self.steps = steps
    }

    package static func decode(
        _ bytes: [UInt8],
        now: Timestamp
    ) throws(PayloadError) -> Locationforecast {
        var reader = try PayloadReader(bytes)
        var body = Body()
        try reader.members(of: ["properties"]) { (reader, _) throws(PayloadError) in
            try reader.members(of: ["meta", "timeseries"]) { (reader, name) throws(PayloadError) in
                if name == "meta" {
                    try body.readMeta(&reader)
                } else {
                    try reader.array { (reader, index) throws(PayloadError) in
                        try body.readStep(&reader, row: index + 1)
                    }
                }
            }
        }
        try reader.finish()
        if body.steps.isEmpty, let error = body.firstTimeError { throw error }
        guard let updatedAt = body.updatedAt else { throw .missingField("updated_at") }
        guard updatedAt <= now + AuroraLimits.clockSkewMax else {
            throw .onlyFutureTimes(rowCount: body.steps.count)
        }
        guard !body.steps.isEmpty else { throw .noRows }
        var forecast = Locationforecast(
            updatedAt: updatedAt,
            steps: body.steps.oldestFirst(by: \.time)
        )
        forecast.notes = body.notes
        forecast.notes.nonFiniteCount = reader.nonFiniteCount
        return forecast
    }
}

/// The weather from a time on, until the next step.
package struct WeatherStep: Hashable, Sendable {
    package var time: Timestamp
    /// Percent of the sky, 0…100.
    package var cloud: Double?
    /// °C
    package var temperature: Double?
    /// m/s
    package var windSpeed: Double?
    /// MET Norway's name for the weather of the hours that follow, such as `partlycloudy_night`.
    package var symbol: String?

    package init(
        time: Timestamp,
        cloud: Double? = nil,
        temperature: Double? = nil,
        windSpeed: Double? = nil,
        symbol: String? = nil
    ) {
        self.time = time
        self.cloud = cloud
        self.temperature = temperature
        self.windSpeed = windSpeed
        self.symbol = symbol
    }
}

/// The parts of a body read so far.
private struct Body {
    var updatedAt: Timestamp?
    var steps: [WeatherStep] = []
    var notes = PayloadNotes()
    /// Of the first step without a readable time.
    var firstTimeError: PayloadError?

    mutating func readMeta(_ reader: inout PayloadReader) throws(PayloadError) {
        try reader.members(of: ["updated_at"]) { (reader, _) throws(PayloadError) in
            updatedAt = try reader.timestamp(row: 0).get()
        }
    }

    mutating func readStep(_ reader: inout PayloadReader, row: Int) throws(PayloadError) {
        guard row <= AuroraLimits.rowCountMax else {
            throw .tooManyRows(countMax: AuroraLimits.rowCountMax)
        }
        var time: Result<Timestamp, PayloadError> = .failure(.invalidTime(nil, row: row))
        var step = WeatherStep(time: Timestamp(milliseconds: 0))
        try reader.members(of: ["time", "data"], isOptional: true) {
            (reader, name) throws(PayloadError) in
            if name == "time" {
                time = try reader.timestamp(row: row)
            } else {
                try readData(&reader, into: &step)
            }
        }
        switch time {
        case .success(let time):
            step.time = time
            steps.append(step)
        case .failure(let error):
            firstTimeError = firstTimeError ?? error
        }
    }

    /// The symbol of the shortest period wins: a step has up to three, and the last step none.
    private mutating func readData(
        _ reader: inout PayloadReader,
        into step: inout WeatherStep
    ) throws(PayloadError) {
        let periods = ["next_1_hours", "next_6_hours", "next_12_hours"]
        var symbols: [String: String] = [:]
        try reader.members(of: ["instant"] + periods, isOptional: true) {
            (reader, name) throws(PayloadError) in
            guard name != "instant" else { return try readInstant(&reader, into: &step) }
            try reader.members(of: ["summary"], isOptional: true) {
                (reader, _) throws(PayloadError) in
                try reader.members(of: ["symbol_code"], isOptional: true) {
                    (reader, _) throws(PayloadError) in
                    if case .text(let text) = try reader.scalar() { symbols[name] = text }
                }
            }
        }
        step.symbol = periods.lazy.compactMap { symbols[$0] }.first
    }

    private mutating func readInstant(
        _ reader: inout PayloadReader,
        into step: inout WeatherStep
    ) throws(PayloadError) {
        try reader.members(of: ["details"], isOptional: true) { (reader, _) throws(PayloadError) in
            let names = ["cloud_area_fraction", "air_temperature", "wind_speed"]
            try reader.members(of: names, isOptional: true) { (reader, name) throws(PayloadError) in
                let value = try reader.scalar()
                switch name {
                case names[0]: step.cloud = accepted(value, in: AuroraLimits.cloudRange)
                case names[1]: step.temperature = accepted(value, in: AuroraLimits.temperatureRange)
                default: step.windSpeed = accepted(value, in: AuroraLimits.windSpeedRange)
                }
            }
        }
    }

    private mutating func accepted(
        _ value: JSONScalar,
        in range: ClosedRange<Double>
    ) -> Double? {
        let number: Double?
        switch value {
        case .null, .flag: return nil
        case .number(let value): number = value
        case .text(let text): number = Double(text)
        }
        guard let number, range.contains(number) else {
            notes.rejectedNumberCount += 1
            return nil
        }
        return number
    }
}

extension PayloadReader {
    /// Reads an object, handing on the members with these names and skipping all others. Any other
    /// value in its place counts as an object without members if `isOptional`.
    fileprivate mutating func members(
        of names: [String],
        isOptional: Bool = false,
        _ member: (inout PayloadReader, String) throws(PayloadError) -> Void
    ) throws(PayloadError) {
        if isOptional, try peek() != UInt8(ascii: "{") { return try skip() }
        try object { (reader, name) throws(PayloadError) in
            if names.contains(name) { try member(&reader, name) } else { try reader.skip() }
        }
    }

    fileprivate mutating func timestamp(
        row: Int
    ) throws(PayloadError) -> Result<Timestamp, PayloadError> {
        guard case .text(let text) = try scalar() else {
            return .failure(.invalidTime(nil, row: row))
        }
        guard let time = Timestamp(iso8601: text) else {
            return .failure(.invalidTime(text, row: row))
        }
        return .success(time)
    }
}
