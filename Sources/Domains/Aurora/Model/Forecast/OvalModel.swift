import Glibc

/// The expected value of the OVATION grid by Kp, magnetic latitude and magnetic local time.
///
///     value  = min(100, peak · e^(-½ ((latitude - centre) / width)²))
///     peak   = 5.6 · e^(0.53 Kp) · e^((0.32 + 0.115 Kp) (cos(15° (MLT - 22.9)) - 1))
///     centre = 73.3° - 0.87° Kp - 8.0° cos(15° (MLT - 1.3))
///     width  = 5.5° on the equator's side of the centre, 5.2° on the pole's side
///
/// The oval is brightest an hour before magnetic midnight and lies nearest to the equator an hour
/// after it. The numbers are a least-squares fit to the three recorded grids, both hemispheres, all
/// longitudes (recordings/spaceweather/ovation_aurora_latest.*): Kp 1.0, 3.3 and 5.3, with a root
/// mean square error of 2, 4 and 8 of 100. Three grids are one each of a quiet, an active and a
/// stormy hour: above Kp 6 and in great storms the model is an extrapolation.
package enum OvalModel {
    /// Of 100, as `Ovation`'s values.
    ///
    /// - Parameters:
    ///   - kp: 0…9
    ///   - latitude: degrees in dipole coordinates, of either hemisphere.
    ///   - localTime: hours
    package static func value(kp: Double, latitude: Double, localTime: Double) -> Double {
        Slice(kp: kp, localTime: localTime).value(abs(latitude))
    }

    /// The expected result of `OvalView.bestValue`: the greatest value within sight of a place,
    /// each weighted by its elevation, along the place's magnetic meridian.
    package static func bestValue(
        kp: Double,
        position: GeomagneticPosition,
        localTime: Double
    ) -> Double {
        let slice = Slice(kp: kp, localTime: localTime)
        return sights.map { slice.value(abs(position.latitude) + $0.degrees) * $0.weight }.max()
            ?? 0
    }

    /// Whole degrees to both sides, as far as an arc is above the horizon.
    private static let sights: [(degrees: Double, weight: Double)] = (-6...6).map { offset in
        let elevation = OvalView.elevation(centralAngle: radians(abs(Double(offset))))
        return (Double(offset), OvalView.weight(elevation: elevation))
    }

    /// A cut through the oval along one meridian.
    private struct Slice {
        private let peak: Double
        private let centre: Double

        init(kp: Double, localTime: Double) {
            let fromBrightest = cos(radians(15 * (localTime - 22.9)))
            peak = 5.6 * exp(0.53 * kp) * exp((0.32 + 0.115 * kp) * (fromBrightest - 1))
            centre = 73.3 - 0.87 * kp - 8.0 * cos(radians(15 * (localTime - 1.3)))
        }

        func value(_ latitude: Double) -> Double {
            let width = latitude < centre ? 5.5 : 5.2
            let distance = (latitude - centre) / width
            return min(100, peak * exp(-0.5 * distance * distance))
        }
    }
}
