/// The brightest part of the oval that can be in sight of a place, by everything that is known of the
/// oval.
enum OvalSight {
    /// Returns the index, 0…100, weighted by elevation as in `OvalView`; nil if nothing is known.
    ///
    /// If the model of the oval expects more than the grid has, it is the geometric mean of both: the
    /// grid may be from before a storm, and the model is wider than most grids. A lost grid counts
    /// like a fresh one, so that its loss does not raise the score.
    ///
    /// - Parameters:
    ///   - ovation: the value of the grid in sight, fresh or the last known one.
    ///   - kp: nil if it is not fresh, as `coupling`.
    static func value(
        place: Place,
        at time: Timestamp,
        ovation: Double?,
        kp: Double?,
        coupling: Double?
    ) -> Double? {
        let position = GeomagneticPosition(latitude: place.latitude, longitude: place.longitude)
        let localTime = position.localTime(at: time)
        // More Kp is more aurora at every place up to some Kp, and less above it.
        let expected = [kp, coupling.map { ExpectedActivity.kp(coupling: $0) }]
            .compactMap { $0 }
            .map { OvalModel.bestValue(kp: $0, position: position, localTime: localTime) }
            .max()
        guard let ovation, let expected else { return ovation ?? expected }
        return max(ovation, (max(ovation, gridResolution / 2) * expected).squareRoot())
    }

    /// A 0 in the grid is anything below half of it.
    private static let gridResolution = 1.0
}
