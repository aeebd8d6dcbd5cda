/// The fields of the events of the domain, as alert rules name them.
package enum AuroraAlertFields {
    package static let names: Set<String> = [
        "level", "confidence", "visibility", "limiting_factor", "location.name", "score",
        "solar_wind.speed", "solar_wind.density", "solar_wind.bz", "solar_wind.bt", "kp_index",
        "cloud_coverage", "kp_from_solar_wind", "sun_elevation", "ovation", "coupling", "activity",
        "darkness", "clear_sky", "confidence_value",
    ]
}
