import Replay

/// The hourly steps of one Locationforecast of MET Norway, with the place it was made for.
struct WeatherTable: Sendable, Equatable {
    /// The time between two steps.
    static let step = Duration.seconds(3600)

    let place: WeatherPlace
    /// By time.
    let steps: [Timestamp: WeatherStep]

    /// Reads `locationforecast/2.0/compact`.
    init(_ file: SourceFile) throws(RecordingError) {
        let body = try file.decode(Body.self)
        let point = body.geometry.coordinates
        guard point.count == 3 else { throw file.error("has the point \(point)") }
        place = WeatherPlace(latitude: point[1], longitude: point[0], altitude: point[2])
        var steps: [Timestamp: WeatherStep] = [:]
        for entry in body.properties.timeseries {
            steps[try file.time(entry.time)] = entry.data
        }
        self.steps = steps
    }

    private struct Body: Decodable {
        struct Geometry: Decodable {
            var coordinates: [Double]
        }
        struct Properties: Decodable {
            var timeseries: [Entry]
        }
        struct Entry: Decodable {
            var time: String
            var data: WeatherStep
        }
        var geometry: Geometry
        var properties: Properties
    }
}

/// Degrees north and east, metres above the sea.
struct WeatherPlace: Sendable, Equatable {
    var latitude: Double
    var longitude: Double
    var altitude: Double
}

/// The weather at one time, and in the hours after it as far as the step covers them.
struct WeatherStep: Sendable, Equatable, Decodable {
    struct Instant: Sendable, Equatable, Decodable {
        var details: [String: Double]
    }

    struct Period: Sendable, Equatable, Decodable {
        struct Summary: Sendable, Equatable, Decodable {
            var symbolCode: String

            enum CodingKeys: String, CodingKey {
                case symbolCode = "symbol_code"
            }
        }
        var summary: Summary
        var details: [String: Double]
    }

    var instant: Instant
    var nextHour: Period?
    var nextSixHours: Period?
    var nextTwelveHours: Period?

    enum CodingKeys: String, CodingKey {
        case instant
        case nextHour = "next_1_hours"
        case nextSixHours = "next_6_hours"
        case nextTwelveHours = "next_12_hours"
    }
}
