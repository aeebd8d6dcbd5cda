import Glibc

/// The mean of Kp by season and solar cycle, for days that no forecast reaches, and how Kp departs from a
/// mean.
///
/// Source: definitive Kp of GFZ Potsdam, 1996 to 2019 (solar cycles 23 and 24), CC BY 4.0, Matzka et al.
/// 2021, doi:10.1029/2020SW002641. `varde aurora evaluate` measures the result on the years after.
package enum KClimate {
    /// The minimum between solar cycles 24 and 25: December 2019.
    private static let minimum = 2019.95
    /// Years.
    private static let cycleLength = 11.0

    /// 1.8, 0.15 more at the equinoxes and less at the solstices, and 0.4 more in the years after the
    /// maximum of the solar cycle.
    package static func kp(at time: Timestamp) -> Double {
        let year = 1970 + time.seconds / 86_400 / 365.2425
        let season = cos(4 * .pi * (year - 0.224))
        let cycle = cos(2 * .pi * (year - minimum - 6.3) / cycleLength)
        return 1.8 + 0.15 * season + 0.4 * cycle
    }

    /// The part of a departure from the mean that is left after `lead`, 0…1: the autocorrelation of Kp,
    /// which is 0.79, 0.65, 0.49, 0.34, 0.20 and 0.12 after 3, 6, 12, 24, 48 and 72 hours.
    package static func persistence(after lead: Duration) -> Double {
        let hours = max(0, lead.inSeconds / 3600)
        return 0.45 * exp(-hours / 6) + 0.55 * exp(-hours / 48)
    }

    /// The standard deviation of Kp from the value expected `lead` before.
    package static func deviation(after lead: Duration) -> Double {
        let persistence = persistence(after: lead)
        return spread * (1 - persistence * persistence).squareRoot()
    }

    /// The standard deviation of Kp from its mean.
    private static let spread = 1.3
}
