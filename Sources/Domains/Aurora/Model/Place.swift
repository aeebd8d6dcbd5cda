/// A place on the ground from which the sky is watched.
package struct Place: Hashable, Sendable, Codable {
    /// Names the topic `aurora:{id}`.
    package let id: String
    package let name: String
    /// Degrees north, -90…90
    package let latitude: Double
    /// Degrees east, -180…180
    package let longitude: Double
    /// Metres above the sea
    package let altitude: Double
    /// The time zone of the texts and days.
    package let zone: ClockZone

    package static let idLengthMax = 64
    /// `aurora:oval` is the topic of the map.
    package static let reservedID = "oval"

    /// Tromsø, at the coordinates that the aurora app shows.
    package static let tromso = Place(
        trusted: "tromso",
        name: "Tromsø",
        latitude: 69.6492,
        longitude: 18.9553,
        altitude: 10,
        zone: .centralEuropean
    )

    /// Checks the operator's configuration.
    package init(
        id: String,
        name: String,
        latitude: Double,
        longitude: Double,
        altitude: Double = 0,
        zone: ClockZone = .utc
    ) throws(PlaceError) {
        guard (1...Self.idLengthMax).contains(id.utf8.count),
            id.utf8.allSatisfy(Self.isAllowedInID)
        else { throw .invalidID(id) }
        guard id != Self.reservedID else { throw .reservedID }
        guard (-90.0...90.0).contains(latitude) else { throw .latitudeOutOfRange(latitude) }
        guard (-180.0...180.0).contains(longitude) else { throw .longitudeOutOfRange(longitude) }
        guard (-500.0...9000.0).contains(altitude) else { throw .altitudeOutOfRange(altitude) }
        self.init(
            trusted: id,
            name: name,
            latitude: latitude,
            longitude: longitude,
            altitude: altitude,
            zone: zone
        )
    }

    /// Without a zone, as places were once stored, it is UTC's.
    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        id = try values.decode(String.self, forKey: .id)
        name = try values.decode(String.self, forKey: .name)
        latitude = try values.decode(Double.self, forKey: .latitude)
        longitude = try values.decode(Double.self, forKey: .longitude)
        altitude = try values.decode(Double.self, forKey: .altitude)
        zone = try values.decodeIfPresent(ClockZone.self, forKey: .zone) ?? .utc
    }

    private init(
        trusted id: String,
        name: String,
        latitude: Double,
        longitude: Double,
        altitude: Double,
        zone: ClockZone
    ) {
        self.id = id
        self.name = name
        self.latitude = latitude
        self.longitude = longitude
        self.altitude = altitude
        self.zone = zone
    }

    /// No `:`, which separates the parts of a topic's name.
    private static func isAllowedInID(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}

/// Why a configured place is refused.
package enum PlaceError: Error, Equatable, CustomStringConvertible {
    case invalidID(String)
    case reservedID
    case latitudeOutOfRange(Double)
    case longitudeOutOfRange(Double)
    case altitudeOutOfRange(Double)

    package var description: String {
        switch self {
        case .invalidID(let id):
            "place id '\(id.prefix(80))' is not 1 to \(Place.idLengthMax) of a-z, 0-9, '-', '_'"
        case .reservedID: "place id '\(Place.reservedID)' is taken: aurora:oval is the map's topic"
        case .latitudeOutOfRange(let value): "latitude \(value) outside -90…90"
        case .longitudeOutOfRange(let value): "longitude \(value) outside -180…180"
        case .altitudeOutOfRange(let value): "altitude \(value) outside -500…9000 m"
        }
    }
}
