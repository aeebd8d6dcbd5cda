import Replay
import Wire

/// The conditions of use of MET Norway's Locationforecast 2.0, as far as they can be answered.
enum Locationforecast {
    typealias Refusal = RecordedProduct.Refusal

    /// The time between two model runs.
    static let every = Duration.seconds(30 * 60)
    /// The time from the next run to `Expires`, so that a client that waits for it finds a new
    /// body.
    static let expiryMargin = Duration.seconds(20)
    /// The steps of a response, one an hour.
    static let stepCount = 60
    /// The most digits after the point of a coordinate.
    static let decimalsMax = 4
    /// The distance from its place, in degrees of latitude or longitude, for which a recording is
    /// still valid.
    static let reach = 1.0

    static func expires(issued: Timestamp) -> Timestamp { issued + every + expiryMargin }

    /// Why the request is refused, if it is.
    static func refusal(
        of request: HTTPRequestHead,
        place: WeatherPlace
    ) -> Refusal? {
        guard isIdentifying(request.headers.first("User-Agent")) else {
            return Refusal(403, "User-Agent names no application with a contact")
        }
        var coordinates: [String: Double] = [:]
        for (name, text) in request.queryItems() {
            switch name {
            case "lat", "lon":
                guard let value = Double(text), value.isFinite else {
                    return Refusal(400, "\(name) is not a number")
                }
                guard decimalCount(text) <= decimalsMax else {
                    return Refusal(403, "\(name) has more than \(decimalsMax) decimals")
                }
                coordinates[name] = value
            case "altitude":
                guard Int(text) != nil else {
                    return Refusal(400, "altitude is not an integer")
                }
            default: return Refusal(400, "unknown parameter")
            }
        }
        guard let latitude = coordinates["lat"], let longitude = coordinates["lon"] else {
            return Refusal(400, "lat and lon are needed")
        }
        let distance = max(abs(latitude - place.latitude), abs(longitude - place.longitude))
        guard distance <= reach else {
            return Refusal(422, "recorded only for \(place.latitude), \(place.longitude)")
        }
        return nil
    }

    /// Whether the text has a contact: a mail address, a site or a domain.
    private static func isIdentifying(_ agent: String?) -> Bool {
        guard let agent else { return false }
        return agent.contains("@") || agent.contains("://")
            || agent.split(separator: " ").contains(where: isDomain)
    }

    /// True for `example.org`, and for `example.org/1.0`, but not for `curl/8.5.0`.
    private static func isDomain(_ word: Substring) -> Bool {
        let name = word.prefix { $0 != "/" }
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        return labels.count >= 2 && labels.allSatisfy { !$0.isEmpty }
            && labels.last?.allSatisfy(\.isLetter) == true
    }

    private static func decimalCount(_ text: String) -> Int {
        guard let point = text.firstIndex(of: ".") else { return 0 }
        return text.distance(from: point, to: text.endIndex) - 1
    }
}

extension Track<WeatherTable> {
    /// The forecast issued at that time: a step for each hour from the current one on. The coming
    /// values are the recording's own future. The last step has only the instant, as upstream's.
    func forecast(issued: Timestamp) -> [UInt8] {
        let place = playing(at: issued).table.place
        let first = issued.roundedDown(to: WeatherTable.step)
        var json = JSONWriter()
        json.object { json in
            json.field("type", "Feature")
            json.object("geometry") { json in
                json.field("type", "Point")
                json.array("coordinates") { json in
                    json.value(place.longitude)
                    json.value(place.latitude)
                    json.value(place.altitude)
                }
            }
            json.object("properties") { json in
                json.object("meta") { json in
                    json.field("updated_at", issued.iso8601Seconds)
                    json.object("units") { json in
                        for (name, unit) in weatherUnits { json.field(name, unit) }
                    }
                }
                json.array("timeseries") { json in
                    for index in 0..<Locationforecast.stepCount {
                        let isLast = index == Locationforecast.stepCount - 1
                        write(first + WeatherTable.step * index, isLast: isLast, to: &json)
                    }
                }
            }
        }
        return json.bytes
    }

    private func write(_ time: Timestamp, isLast: Bool, to json: inout JSONWriter) {
        let (table, position) = playing(at: time)
        guard let step = table.steps[position.time] else {
            preconditionFailure("a segment outside its recording was accepted")
        }
        json.object { json in
            json.field("time", time.iso8601Seconds)
            json.object("data") { json in
                json.object("instant") { $0.write("details", step.instant.details) }
                guard !isLast else { return }
                json.write("next_12_hours", step.nextTwelveHours)
                json.write("next_1_hours", step.nextHour)
                json.write("next_6_hours", step.nextSixHours)
            }
        }
    }
}

private let weatherUnits = [
    ("air_pressure_at_sea_level", "hPa"), ("air_temperature", "celsius"),
    ("cloud_area_fraction", "%"), ("precipitation_amount", "mm"), ("relative_humidity", "%"),
    ("wind_from_direction", "degrees"), ("wind_speed", "m/s"),
]

extension JSONWriter {
    fileprivate mutating func write(_ key: String, _ details: [String: Double]) {
        object(key) { json in
            for (name, value) in details.sorted(by: { $0.key < $1.key }) { json.field(name, value) }
        }
    }

    fileprivate mutating func write(_ key: String, _ period: WeatherStep.Period?) {
        guard let period else { return }
        object(key) { json in
            json.object("summary") { $0.field("symbol_code", period.summary.symbolCode) }
            json.write("details", period.details)
        }
    }
}
