import Glibc

/// The expected activity of the score at a place, by Kp and magnetic local time.
///
/// The same three parts with the same weights as the measured activity: the best OVATION value in
/// sight (`OvalModel`), the coupling of the solar wind, and Kp.
package struct ExpectedActivity: Hashable, Sendable {
    package let position: GeomagneticPosition

    package init(latitude: Double, longitude: Double) {
        position = GeomagneticPosition(latitude: latitude, longitude: longitude)
    }

    init(_ place: Place) {
        self.init(latitude: place.latitude, longitude: place.longitude)
    }

    /// The weighted coupling that goes with a Kp: 1700 Kp^1.25.
    ///
    /// Fitted to the means over four hours of the recorded week of April 2026, with Kp from the same solar
    /// wind (`kpFromSolarWind`): 1190 at Kp 0.75, 4400 at 2.25, 7200 at 3.25, 10,600 at 4.25. Above Kp 5 its
    /// part of the score is at its end anyway.
    package static func coupling(kp: Double) -> Double { 1700 * pow(max(0, kp), 1.25) }

    /// The Kp that goes with a weighted coupling: the inverse, at most 9.
    static func kp(coupling: Double) -> Double { min(9, pow(max(0, coupling) / 1700, 0.8)) }

    /// 0…1
    package func value(kp: Double, at time: Timestamp) -> Double {
        Score(inputs(kp: kp, localTime: position.localTime(at: time))).activity ?? 0
    }

    func value(
        kp: Double,
        localTime: Double,
        departure: Score.Departure = Score.Departure()
    ) -> Double {
        Score(inputs(kp: kp, localTime: localTime), departure: departure).activity ?? 0
    }

    func inputs(kp: Double, localTime: Double) -> Score.Inputs {
        let ovation = OvalModel.bestValue(kp: kp, position: position, localTime: localTime)
        var inputs = Score.Inputs(
            ovation: ovation,
            coupling: ExpectedActivity.coupling(kp: kp),
            kp: kp,
            cloud: nil,
            sunElevation: 0
        )
        inputs.sight = ovation
        return inputs
    }
}
