import Glibc

/// A position on the ground in coordinates of the centred dipole.
///
/// The dipole is that of IGRF-14 for 2025.0: g₁⁰ = -29,350.0 nT, g₁¹ = -1410.3 nT, h₁¹ = 4545.5 nT
/// (Alken et al. 2021, doi:10.1186/s40623-020-01288-x, describes the model). Its pole moves by less
/// than 0.1° a year. The dipole puts Tromsø at 67.5°; corrected coordinates, which follow the field
/// lines, put it at 66.7°. `OvalModel` is fitted in the coordinates of this type, so the difference
/// does not matter there.
package struct GeomagneticPosition: Hashable, Sendable {
    /// Degrees, -90…90.
    package let latitude: Double
    /// Degrees from the meridian that leads from the dipole's pole over the geographic pole,
    /// -180…180.
    package let longitude: Double

    /// The dipole's pole in the north: 80.79° N, 72.76° W.
    private static let poleLatitude = degrees(asin(29_350.0 / magnitude))
    private static let poleLongitude = degrees(atan2(-4545.5, 1410.3))
    private static let magnitude =
        (29_350.0 * 29_350.0 + 1410.3 * 1410.3 + 4545.5 * 4545.5).squareRoot()

    /// - Parameters:
    ///   - latitude: degrees north.
    ///   - longitude: degrees east.
    package init(latitude: Double, longitude: Double) {
        let pole = radians(GeomagneticPosition.poleLatitude)
        let angle = radians(longitude - GeomagneticPosition.poleLongitude)
        let place = radians(latitude)
        let sine = sin(place) * sin(pole) + cos(place) * cos(pole) * cos(angle)
        self.latitude = degrees(asin(min(1, max(-1, sine))))
        self.longitude = degrees(
            atan2(
                cos(place) * sin(angle),
                cos(place) * cos(angle) * sin(pole) - sin(place) * cos(pole)
            )
        )
    }

    /// Hours, 0..<24: 12 where the position's magnetic meridian has the sun.
    package func localTime(at time: Timestamp) -> Double {
        let point = subsolarPoint(at: time)
        let sun = GeomagneticPosition(latitude: point.latitude, longitude: point.longitude)
        let hours = (12 + (longitude - sun.longitude) / 15).truncatingRemainder(dividingBy: 24)
        return hours < 0 ? hours + 24 : hours
    }
}
