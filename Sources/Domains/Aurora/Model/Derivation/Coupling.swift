import Glibc

/// The rate at which the solar wind opens magnetic flux at the magnetopause, in the customary
/// units.
///
/// v^(4/3) · B_T^(2/3) · |sin(θ/2)|^(8/3), with the transverse field B_T and its clock angle θ. The
/// mean over a solar cycle is about 4421. Source: Newell et al. 2007, doi:10.1029/2006JA012015.
///
/// - Parameters:
///   - speed: km/s
///   - by: nT, GSM
///   - bz: nT, GSM
package func newellCoupling(speed: Double, by: Double, bz: Double) -> Double {
    let transverse = (by * by + bz * bz).squareRoot()
    let clockAngle = atan2(by, bz)
    return pow(speed, 4.0 / 3) * pow(transverse, 2.0 / 3)
        * pow(abs(sin(clockAngle / 2)), 8.0 / 3)
}

/// Kp from 3-hour means of the solar wind, 0…9.
///
/// Good below Kp 6, meaningless above: the fit is linear. So it is published next to the score and
/// is never part of it. Source: Newell et al. 2008, doi:10.1029/2007JA012825.
///
/// - Parameters:
///   - viscous: √density · speed², density in cm⁻³ and speed in km/s
package func kpFromSolarWind(coupling: Double, viscous: Double) -> Double {
    min(9, max(0, unclippedKp(coupling: coupling, viscous: viscous)))
}

func unclippedKp(coupling: Double, viscous: Double) -> Double {
    0.05 + 2.244e-4 * coupling + 2.844e-6 * viscous
}
