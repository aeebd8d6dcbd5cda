/// The aurora oval around one pole as about a hundred points of the OVATION grid: every ten degrees of
/// longitude its brightest cell, and the cells on both sides of it where it has faded to half.
///
/// Made once for each grid.
package struct OvalShape: Hashable, Sendable {
    package struct Point: Hashable, Sendable {
        /// Degrees north.
        package var latitude: Int
        /// Degrees east, -180…179.
        package var longitude: Int
        /// The cell's value, 1…100.
        package var value: Int
    }

    package enum Hemisphere: Hashable, Sendable {
        case north, south
    }

    /// By longitude, from -180 eastward; the points of one longitude from the equator to the pole.
    package let points: [Point]

    private static let longitudeStep = 10
    /// Nearer to the equator no aurora was ever seen, and at the pole all longitudes are one point.
    private static let distancesFromEquator = 30...89

    package init(_ grid: Ovation, _ hemisphere: Hemisphere) {
        let longitudes = stride(from: -180, to: 180, by: OvalShape.longitudeStep)
        points = longitudes.flatMap { OvalShape.points(of: grid, hemisphere, longitude: $0) }
    }

    private static func points(
        of grid: Ovation,
        _ hemisphere: Hemisphere,
        longitude: Int
    ) -> [Point] {
        let column = distancesFromEquator.map { distance in
            let latitude = hemisphere == .north ? distance : -distance
            let cell = (longitude + Ovation.longitudeCount) % Ovation.longitudeCount
            return Point(
                latitude: latitude,
                longitude: longitude,
                value: grid.value(longitude: cell, latitude: latitude)
            )
        }
        // Of equal ones that nearest to the equator, which more people live under.
        guard let crest = column.indices.max(by: { column[$0].value < column[$1].value }),
            column[crest].value > 0
        else { return [] }
        let isInside = { (point: Point) in point.value * 2 >= column[crest].value }
        let first = column[...crest].lastIndex { !isInside($0) }.map { $0 + 1 } ?? 0
        let last = column[crest...].firstIndex { !isInside($0) }.map { $0 - 1 } ?? column.count - 1
        var indices = [first]
        for index in [crest, last] where index != indices.last { indices.append(index) }
        return indices.map { column[$0] }
    }

    /// Latitude of the brightest point at the longitude nearest to one; nil where there is none.
    func crest(near longitude: Double) -> Int? {
        func distance(_ point: Point) -> Double {
            let difference = abs(Double(point.longitude) - longitude)
            return min(difference, 360 - difference)
        }
        guard let nearest = points.map(distance).min(), nearest <= Double(OvalShape.longitudeStep)
        else { return nil }
        return points.filter { distance($0) == nearest }.max { $0.value < $1.value }?.latitude
    }
}
