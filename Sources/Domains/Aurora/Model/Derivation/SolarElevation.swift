import Glibc

/// Degrees of the sun's centre above the horizon of a place, without refraction.
///
/// Good to about 0.01°. Source: J. Meeus, *Astronomical Algorithms*, chapters 12, 13 and 25 (low
/// precision), as used by the NOAA solar calculator.
package func solarElevation(latitude: Double, longitude: Double, at time: Timestamp) -> Double {
    let days = daysSinceJ2000(time)
    let sun = SunPosition(century: days / 36_525)
    let hourAngle = radians(siderealDegrees(days) + longitude) - sun.rightAscension
    let latitude = radians(latitude)
    let sine =
        sin(latitude) * sin(sun.declination)
        + cos(latitude) * cos(sun.declination) * cos(hourAngle)
    return degrees(asin(min(1, max(-1, sine))))
}

/// The point on the ground that has the sun overhead, in degrees.
func subsolarPoint(at time: Timestamp) -> (latitude: Double, longitude: Double) {
    let days = daysSinceJ2000(time)
    let sun = SunPosition(century: days / 36_525)
    let longitude = degrees(sun.rightAscension) - siderealDegrees(days)
    return (degrees(sun.declination), longitude.truncatingRemainder(dividingBy: 360))
}

private func daysSinceJ2000(_ time: Timestamp) -> Double {
    time.seconds / 86_400 + 2_440_587.5 - 2_451_545
}

/// The sidereal time at Greenwich, as an angle.
private func siderealDegrees(_ daysSinceJ2000: Double) -> Double {
    let century = daysSinceJ2000 / 36_525
    return 280.46061837 + 360.98564736629 * daysSinceJ2000 + 0.000387933 * century * century
}

/// The position of the sun on the celestial sphere, in radians.
private struct SunPosition {
    var declination: Double
    var rightAscension: Double

    /// - Parameter century: Julian centuries since J2000.
    init(century t: Double) {
        let meanLongitude = 280.46646 + t * (36_000.76983 + t * 0.0003032)
        let anomaly = radians(357.52911 + t * (35_999.05029 - t * 0.0001537))
        let centre =
            sin(anomaly) * (1.914602 - t * (0.004817 + t * 0.000014))
            + sin(2 * anomaly) * (0.019993 - t * 0.000101) + sin(3 * anomaly) * 0.000289
        let node = radians(125.04 - 1934.136 * t)
        let longitude = radians(meanLongitude + centre - 0.00569 - 0.00478 * sin(node))
        let obliquity = radians(
            23.4392911 - t * (0.0130042 + t * (1.64e-7 - t * 5.04e-7)) + 0.00256 * cos(node)
        )
        declination = asin(sin(obliquity) * sin(longitude))
        rightAscension = atan2(cos(obliquity) * sin(longitude), cos(longitude))
    }
}

func radians(_ degrees: Double) -> Double { degrees * .pi / 180 }
func degrees(_ radians: Double) -> Double { radians * 180 / .pi }
