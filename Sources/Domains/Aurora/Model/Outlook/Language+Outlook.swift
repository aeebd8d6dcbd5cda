/// The sentences of tonight's texts, the two languages side by side.
extension Language {
    private func text(_ norwegian: String, _ english: String) -> String {
        switch self {
        case .norwegian: norwegian
        case .english: english
        }
    }

    // MARK: Summary

    func kp(_ kp: Double) -> String {
        let tenths = Int((kp * 10).rounded())
        return text(
            "Kp opp til \(tenths / 10),\(tenths % 10).",
            "Kp up to \(tenths / 10).\(tenths % 10)."
        )
    }

    var unknownKp: String { text("Kp er ikke varslet.", "Kp is not forecast.") }

    func cloud(_ percent: Double) -> String {
        let percent = Int(percent.rounded())
        return text(
            "Skydekke på det beste \(percent) %.",
            "Cloud cover at the best time \(percent)%."
        )
    }

    var unknownCloud: String { text("Skydekket er ukjent.", "Cloud cover is unknown.") }

    func dark(from start: String, to end: String, isPolarNight: Bool) -> String {
        isPolarNight
            ? text(
                "Mørketid, og mørkt nok fra \(start) til \(end).",
                "Polar night, and dark enough from \(start) to \(end)."
            ) : text("Mørkt nok fra \(start) til \(end).", "Dark enough from \(start) to \(end).")
    }

    func darkUntil(_ end: String, isPolarNight: Bool) -> String {
        isPolarNight
            ? text(
                "Mørketid, og mørkt nok til \(end).",
                "Polar night, and dark enough until \(end)."
            ) : text("Mørkt nok til \(end).", "Dark enough until \(end).")
    }

    var darkAllDay: String {
        text("Mørketid, og mørkt nok hele døgnet.", "Polar night, and dark enough all day.")
    }

    func brightNight(_ phase: SunPhase) -> String {
        switch phase {
        case .midnightSun:
            text("Midnattssol: sola går ikke ned.", "Midnight sun: the sun does not set.")
        case .polarNight, .riseAndSet:
            text("Natten er for lys.", "The night is too bright.")
        }
    }

    // MARK: Best time

    func between(_ start: String, _ end: String) -> String {
        text("Mellom \(start) og \(end)", "Between \(start) and \(end)")
    }

    func untilTime(_ end: String) -> String { text("Fra nå til \(end)", "From now until \(end)") }

    var noTime: String { text("Ingen gode timer", "No good hours") }
    var unknownTime: String { text("Ukjent", "Unknown") }

    // MARK: Tips

    var leaveLights: String { text("Kom deg bort fra gatelys", "Get away from street lights") }
    var findGaps: String { text("Se etter åpninger i skydekket", "Look for gaps in the clouds") }
    var dressWarmly: String { text("Ta på ullundertøy og lue", "Put on wool and a hat") }
    var stay: String {
        text(
            "Gi det en time: nordlyset kommer og går",
            "Give it an hour: the aurora comes and goes"
        )
    }
    var waitForDark: String { text("Vent til nettene er mørke", "Wait for dark nights") }
    var waitForClearSky: String { text("Vent på klarere vær", "Wait for clearer weather") }
    var waitForActivity: String { text("Vent på mer aktivitet", "Wait for more activity") }
    var askLater: String { text("Prøv igjen senere", "Try again later") }
}
