import Glibc

/// The part of the aurora oval that is visible from a place.
enum OvalView {
    /// The altitude of an arc and the radius of the Earth, km.
    private static let arcHeight = 110.0
    private static let earthRadius = 6371.0
    /// 740 km lie under 7 degrees of a meridian.
    private static let latitudeReach = 7
    /// Nearer to the equator the grid has no oval, but small values at some latitudes.
    private static let distanceFromEquatorMin = 30

    /// The greatest value of the grid within sight of a place, each weighted by its elevation.
    static func bestValue(_ ovation: Ovation, latitude: Double, longitude: Double) -> Double {
        let nearest = Int(latitude.rounded())
        var best = 0.0
        for cellLatitude in max(-90, nearest - latitudeReach)...min(90, nearest + latitudeReach)
        where abs(cellLatitude) >= distanceFromEquatorMin {
            for cellLongitude in 0..<Ovation.longitudeCount {
                let value = Double(
                    ovation.value(longitude: cellLongitude, latitude: cellLatitude)
                )
                // The weight is at most 1, so most cells need no trigonometry.
                guard value > best else { continue }
                let angle = centralAngle(
                    latitude,
                    longitude,
                    Double(cellLatitude),
                    Double(cellLongitude)
                )
                best = max(best, value * weight(elevation: elevation(centralAngle: angle)))
            }
        }
        return best
    }

    /// Degrees above the horizon of an arc over a point `centralAngle` radians away.
    static func elevation(centralAngle: Double) -> Double {
        let top = earthRadius + arcHeight
        return degrees(atan2(top * cos(centralAngle) - earthRadius, top * sin(centralAngle)))
    }

    /// The weight of an arc by its elevation in degrees: low arcs are faint and hidden by hills.
    static func weight(elevation: Double) -> Double {
        switch elevation {
        case 30...: 1
        case 10...: 0.8
        case 5...: 0.5
        default: 0
        }
    }

    /// Radians between two points given in degrees, by the haversine formula.
    private static func centralAngle(
        _ latitude: Double,
        _ longitude: Double,
        _ otherLatitude: Double,
        _ otherLongitude: Double
    ) -> Double {
        let halfLatitude = sin(radians(otherLatitude - latitude) / 2)
        let halfLongitude = sin(radians(otherLongitude - longitude) / 2)
        let haversine =
            halfLatitude * halfLatitude
            + cos(radians(latitude)) * cos(radians(otherLatitude)) * halfLongitude * halfLongitude
        return 2 * asin(min(1, haversine.squareRoot()))
    }
}
