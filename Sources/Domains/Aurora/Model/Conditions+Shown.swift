/// The numbers of the `now` form. Its readers decode a number for each, so the form shows one even if the
/// input is late: the last good value, or a typical one if there never was any. `?explain=1` has the age of
/// the former in `inputs` and the name of the latter in `missing`. Neither counts for rules.
extension Conditions {
    /// The last good values of inputs that are missing or too old; nil where they are not.
    package struct Held: Hashable, Sendable, Codable {
        package var speed: Int?
        package var density: Double?
        package var bz: Double?
        package var kp: Double?
        package var cloud: Int?

        package init() {}
    }

    /// km/s; 400 is an ordinary solar wind.
    package var shownSpeed: Int { speed ?? held?.speed ?? 400 }
    /// Protons per cm³; 5 is an ordinary solar wind.
    package var shownDensity: Double { density ?? held?.density ?? 5 }
    /// nT; the mean over months is 0.
    package var shownBz: Double { bz ?? held?.bz ?? 0 }
    /// 0…9; the mean of the season and the solar cycle.
    package var shownKp: Double {
        kp ?? held?.kp ?? roundedToTenths(KClimate.kp(at: updated))
    }
    /// Percent; the mean of the Earth.
    package var shownCloud: Int { cloud ?? held?.cloud ?? Int(ComingWeather.meanCloud) }

    /// With the numbers that readers see.
    var asShown: Conditions {
        var shown = self
        shown.kp = shownKp
        shown.cloud = shownCloud
        shown.held = nil
        return shown
    }
}
