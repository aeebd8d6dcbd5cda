import Base
import Foundation

/// A zone with its file, and what Python's zoneinfo makes of it: make_zones.py.
package struct ZoneVector: Decodable, Sendable, CustomStringConvertible {
    package let name: String
    /// The bytes of the file in base64.
    private let file: String
    /// The changes of some two years, in seconds since 1970.
    package let changes: [Int64]
    /// Instants in seconds since 1970, and the seconds that the clocks are ahead of UTC then.
    package let offsets: [[Int64]]
    /// The days around each change; for a zone without any, those around Europe's.
    package let nights: [Night]

    package struct Night: Decodable, Sendable {
        package let days: [Day]
        package let quiet: [Quiet]
    }

    /// A date and when it begins.
    package struct Day: Decodable, Sendable {
        package let date: String
        package let start: Timestamp

        package init(from decoder: any Decoder) throws {
            var values = try decoder.unkeyedContainer()
            date = try values.decode(String.self)
            start = Timestamp(seconds: try values.decode(Double.self))
        }
    }

    /// Hours of the clock, and when those that begin on each of the days begin and end.
    package struct Quiet: Decodable, Sendable {
        package let from: String
        package let to: String
        package let hours: [[Double]]

        package var ranges: [Range<Timestamp>] {
            hours.map { Timestamp(seconds: $0[0])..<Timestamp(seconds: max($0[0], $0[1])) }
        }
    }

    package var bytes: [UInt8] { Array(Data(base64Encoded: file)!) }

    package var zone: ClockZone { try! ClockZone(name: name, file: bytes) }

    package var description: String { name }

    package static let all: [ZoneVector] = {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "zones.json"
        )
        return try! JSONDecoder().decode([ZoneVector].self, from: Data(contentsOf: file))
    }()

    /// Tromsø, Anchorage, Reykjavik, London, Auckland and Hobart.
    package static let places = Array(all.prefix(6))

    package static func named(_ name: String) -> ZoneVector { all.first { $0.name == name }! }
}
