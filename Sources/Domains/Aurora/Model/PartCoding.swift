/// The binary form: version, kind, then lists of fixed-width little-endian fields.
enum Part {
    /// Grows with every change of the form. A part of another version is dropped at start: the
    /// upstreams fill it again within minutes.
    static let version: UInt8 = 1

    static func kind(_ part: AuroraStatePart) -> UInt8 {
        switch part {
        case .solarWind: 1
        case .kp: 2
        case .ovation: 3
        case .weather: 4
        case .scales: 5
        case .bulletins: 6
        case .kOutlook: 7
        }
    }
}

struct PartWriter {
    private(set) var bytes: [UInt8]

    init(kind: UInt8) {
        bytes = [Part.version, kind]
    }

    mutating func list<Row>(_ rows: [Row], _ write: (inout PartWriter, Row) -> Void) {
        integer(UInt32(rows.count))
        for row in rows { write(&self, row) }
    }

    mutating func write(_ minute: SolarWindMinute) {
        integer(minute.time.milliseconds)
        optional(minute.speed)
        optional(minute.density)
        optional(minute.by)
        optional(minute.bz)
        optional(minute.bt)
    }

    mutating func write(_ interval: KInterval) {
        integer(interval.start.milliseconds)
        optional(interval.kp)
    }

    mutating func write(_ minute: KMinute) {
        integer(minute.time.milliseconds)
        optional(minute.kp)
    }

    mutating func write(_ interval: KForecastInterval) {
        integer(interval.start.milliseconds)
        optional(interval.kp)
        text(interval.status.rawValue)
    }

    mutating func write(_ day: OutlookDay) {
        integer(day.start.milliseconds)
        optional(day.a)
        optional(day.kpMax)
    }

    mutating func write(_ ovation: Ovation) {
        integer(ovation.observation.milliseconds)
        integer(ovation.forecast.milliseconds)
        bytes += ovation.values
    }

    mutating func write(_ weather: Locationforecast) {
        integer(weather.updatedAt.milliseconds)
        list(weather.steps) {
            $0.integer($1.time.milliseconds)
            $0.optional($1.cloud)
            $0.optional($1.temperature)
            $0.optional($1.windSpeed)
            $0.text($1.symbol ?? "")
        }
    }

    mutating func write(_ line: StormScales.Line) {
        integer(Int32(line.period.rawValue))
        integer(line.time.milliseconds)
        optional(line.radioBlackout.map(Double.init))
        optional(line.radiationStorm.map(Double.init))
        optional(line.geomagneticStorm.map(Double.init))
    }

    mutating func write(_ bulletin: Bulletin) {
        text(bulletin.code)
        integer(Int64(bulletin.serial))
        text(bulletin.kind.rawValue)
        integer(bulletin.issued.milliseconds)
        integer(bulletin.until.milliseconds)
        optional(bulletin.kp.map(Double.init))
        optional(bulletin.stormScale.map(Double.init))
        text(bulletin.headline)
    }

    private mutating func integer(_ value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// Missing is NaN, which no decoder lets in.
    private mutating func optional(_ value: Double?) {
        integer((value ?? .nan).bitPattern)
    }

    private mutating func text(_ text: String) {
        integer(UInt32(text.utf8.count))
        bytes += text.utf8
    }
}

struct PartReader {
    /// The years that a text of four digits can name.
    private static let times =
        Timestamp(
            milliseconds: -62_167_219_200_000
        )..<Timestamp(milliseconds: 253_402_300_800_000)

    private let bytes: [UInt8]
    private let part: String
    private var index = 0

    init(_ bytes: [UInt8], part: String) {
        self.bytes = bytes
        self.part = part
    }

    mutating func header(kind: UInt8) throws(PartError) {
        let version: UInt8 = try integer()
        guard version == Part.version else { throw .unknownVersion(version) }
        guard try integer() == kind else { throw .damaged(part: part) }
    }

    mutating func finish() throws(PartError) {
        guard index == bytes.count else { throw .damaged(part: part) }
    }

    mutating func list<Row>(
        _ read: (inout PartReader) throws(PartError) -> Row
    ) throws(PartError) -> [Row] {
        let count: UInt32 = try integer()
        var rows: [Row] = []
        // No reservation: a damaged count must not ask for memory. The bytes run out first.
        for _ in 0..<count { rows.append(try read(&self)) }
        return rows
    }

    mutating func solarWind() throws(PartError) -> SolarWindMinute {
        SolarWindMinute(
            time: try time(),
            speed: try optional(in: AuroraLimits.speedRange),
            density: try optional(in: AuroraLimits.densityRange),
            by: try optional(in: AuroraLimits.fieldRange),
            bz: try optional(in: AuroraLimits.fieldRange),
            bt: try optional(in: AuroraLimits.fieldRange)
        )
    }

    mutating func interval() throws(PartError) -> KInterval {
        KInterval(start: try time(), kp: try kp())
    }

    mutating func minute() throws(PartError) -> KMinute {
        KMinute(time: try time(), kp: try kp())
    }

    mutating func forecast() throws(PartError) -> KForecastInterval {
        let start = try time()
        let kp = try kp()
        guard let status = KForecastInterval.Status(rawValue: try text()) else {
            throw .damaged(part: part)
        }
        return KForecastInterval(start: start, kp: kp, status: status)
    }

    mutating func outlookDay() throws(PartError) -> OutlookDay {
        let start = try time()
        guard let a = try optional(in: AuroraLimits.aRange) else { throw .damaged(part: part) }
        return OutlookDay(start: start, a: a, kpMax: try kp())
    }

    mutating func ovation() throws(PartError) -> Ovation {
        let observation = try time()
        let forecast = try time()
        let values = Array(try take(Ovation.valueCount))
        let ovation = Ovation(observation: observation, forecast: forecast, values: values)
        guard let ovation else { throw .damaged(part: part) }
        return ovation
    }

    mutating func weather() throws(PartError) -> Locationforecast {
        let updatedAt = try time()
        let steps = try list { (reader) throws(PartError) in try reader.weatherStep() }
        return Locationforecast(updatedAt: updatedAt, steps: steps)
    }

    private mutating func weatherStep() throws(PartError) -> WeatherStep {
        var step = WeatherStep(
            time: try time(),
            cloud: try optional(in: AuroraLimits.cloudRange),
            temperature: try optional(in: AuroraLimits.temperatureRange),
            windSpeed: try optional(in: AuroraLimits.windSpeedRange)
        )
        let symbol = try text()
        if !symbol.isEmpty { step.symbol = symbol }
        return step
    }

    mutating func scaleLine() throws(PartError) -> StormScales.Line {
        let rawValue: Int32 = try integer()
        guard let period = StormScales.Period(rawValue: Int(rawValue)) else {
            throw .damaged(part: part)
        }
        return StormScales.Line(
            period: period,
            time: try time(),
            radioBlackout: try optional(in: StormScales.range).map { Int($0) },
            radiationStorm: try optional(in: StormScales.range).map { Int($0) },
            geomagneticStorm: try optional(in: StormScales.range).map { Int($0) }
        )
    }

    mutating func bulletin() throws(PartError) -> Bulletin {
        let code = try text()
        let serial: Int64 = try integer()
        guard let kind = Bulletin.Kind(rawValue: try text()) else { throw .damaged(part: part) }
        return Bulletin(
            code: code,
            serial: Int(serial),
            kind: kind,
            issued: try time(),
            until: try time(),
            kp: try optional(in: AuroraLimits.kpRange).map { Int($0) },
            stormScale: try optional(in: StormScales.range).map { Int($0) },
            headline: try text()
        )
    }

    /// An instant outside 0000-01-01 to 9999-12-31 is damage: no payload names one, and arithmetic
    /// with it could overflow.
    private mutating func time() throws(PartError) -> Timestamp {
        let time = Timestamp(milliseconds: try integer())
        guard Self.times.contains(time) else { throw .damaged(part: part) }
        return time
    }

    private mutating func kp() throws(PartError) -> Double {
        guard let kp = try optional(in: AuroraLimits.kpRange) else { throw .damaged(part: part) }
        return kp
    }

    /// The decoders only accept values in their range, so any other value is damage: it could cause
    /// a score of infinity.
    private mutating func optional(in range: ClosedRange<Double>) throws(PartError) -> Double? {
        let value = Double(bitPattern: try integer())
        guard !value.isNaN else { return nil }
        guard range.contains(value) else { throw .damaged(part: part) }
        return value
    }

    private mutating func text() throws(PartError) -> String {
        let count: UInt32 = try integer()
        guard let text = String(validating: try take(Int(count)), as: UTF8.self) else {
            throw .damaged(part: part)
        }
        return text
    }

    private mutating func integer<Value: FixedWidthInteger>() throws(PartError) -> Value {
        let slice = try take(MemoryLayout<Value>.size)
        return slice.reversed().reduce(0) { $0 << 8 | Value(truncatingIfNeeded: $1) }
    }

    private mutating func take(_ count: Int) throws(PartError) -> ArraySlice<UInt8> {
        guard count <= bytes.count - index else { throw .damaged(part: part) }
        defer { index += count }
        return bytes[index..<(index + count)]
    }
}
