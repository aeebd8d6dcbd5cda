import Expectations
import Foundation

@testable import Aurora

/// The bytes of a file under recordings/.
func recording(_ path: String) throws -> [UInt8] {
    let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    return try Array(Data(contentsOf: root.appending(path: "recordings").appending(path: path)))
}

func at(_ text: String) -> Timestamp {
    guard let time = Timestamp(iso8601: text) else { preconditionFailure("not a time: \(text)") }
    return time
}

func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

extension Timestamp {
    func minutes(_ count: Int) -> Timestamp { self + .seconds(60 * count) }
}

/// Minutes with one and the same wind, through `end`.
func steadyWind(
    through end: Timestamp,
    count: Int,
    speed: Double? = 400,
    density: Double? = 5,
    by: Double? = 0,
    bz: Double? = -5
) -> [SolarWindMinute] {
    (0..<count).reversed().map {
        SolarWindMinute(time: end.minutes(-$0), speed: speed, density: density, by: by, bz: bz)
    }
}

/// A grid with one value everywhere.
func evenOvation(_ value: UInt8, observation: Timestamp) -> Ovation {
    let values = [UInt8](repeating: value, count: Ovation.valueCount)
    guard
        let ovation = Ovation(
            observation: observation,
            forecast: observation.minutes(60),
            values: values
        )
    else { preconditionFailure("value \(value)") }
    return ovation
}

/// One step an hour from `start` on, each with the same cloud.
func evenWeather(cloud: Double, start: Timestamp, updated: Timestamp? = nil) -> Locationforecast {
    Locationforecast(
        updatedAt: updated ?? start,
        steps: (0..<12).map { WeatherStep(time: start.minutes(60 * $0), cloud: cloud) }
    )
}
