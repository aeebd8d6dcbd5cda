/// The topic of a place's conditions, `aurora:{id}`.
package func auroraTopic(_ place: Place) -> Topic {
    Topic(trusted: "aurora:\(place.id)")
}

/// The topic of a place's alerts, `aurora:{id}:alerts`.
package func auroraAlertsTopic(_ place: Place) -> Topic {
    Topic(trusted: "aurora:\(place.id):alerts")
}

/// Whether to publish the conditions: true if the score, a word or a text, Kp or the cloud differs.
///
/// A change of only the solar wind is not published: it flickers every minute, and its effect on
/// the aurora is in the score. Neither is a change of only `updated`. The next event carries both.
package func conditionsChanged(_ old: Conditions?, _ new: Conditions) -> Bool {
    guard var old = old?.asShown else { return true }
    let new = new.asShown
    old.speed = new.speed
    old.density = new.density
    old.bz = new.bz
    old.updated = new.updated
    // The form has no limiting factor; readers see it through the texts.
    if Language.all.allSatisfy({ old.texts($0) == new.texts($0) }) {
        old.limitingFactor = new.limitingFactor
    }
    return old != new
}

extension Conditions {
    fileprivate func texts(_ language: Language) -> [String] {
        [headline(language), recommendation(language)]
    }
}

/// The event of new conditions. Its data is the `now` form in the first language, and then `headlines` and
/// `recommendations` with the texts in every language.
///
/// - Parameter id: unique, such as `uuidVersion7` makes it.
package func conditionsEvent(
    _ conditions: Conditions,
    id: String,
    languages: [Language] = Language.all
) -> Event {
    var json = JSONWriter()
    json.object { json in
        conditions.write(to: &json, language: languages[0])
        json.object("headlines") { json in
            for language in languages { json.field(language.code, conditions.headline(language)) }
        }
        json.object("recommendations") { json in
            for language in languages {
                json.field(language.code, conditions.recommendation(language))
            }
        }
    }
    return Event(
        id: id,
        type: "aurora.conditions.updated",
        source: "/aurora",
        subject: conditions.place.id,
        time: conditions.updated,
        data: json.bytes
    )
}

/// A value that an alert rule can compare.
package enum AuroraField: Hashable, Sendable {
    case number(Double)
    case text(String)
}

/// The fields for alert rules, named by the path in the `now` form if it is there; a missing number
/// has no entry. Numbers of the form are as shown, so that an alert agrees with the screen.
package func alertFields(_ derivation: Derivation) -> [(name: String, value: AuroraField)] {
    let conditions = derivation.conditions
    let explanation = derivation.explanation
    let texts = [
        ("level", conditions.level.rawValue), ("confidence", conditions.confidence.rawValue),
        ("visibility", conditions.visibility.rawValue),
        ("limiting_factor", conditions.limitingFactor.rawValue),
        ("location.name", conditions.place.name),
    ]
    let numbers: [(String, Double?)] = [
        ("score", Double(conditions.score)),
        ("solar_wind.speed", conditions.speed.map(Double.init)),
        ("solar_wind.density", conditions.density), ("solar_wind.bz", conditions.bz),
        ("solar_wind.bt", explanation.input("solar_wind.bt")?.usable.map(roundedToTenths)),
        ("kp_index", conditions.kp), ("cloud_coverage", conditions.cloud.map(Double.init)),
        ("kp_from_solar_wind", explanation.input("kp_from_solar_wind")?.usable),
        ("sun_elevation", explanation.input("sun_elevation")?.usable),
        ("ovation", explanation.input("ovation")?.usable),
        ("coupling", explanation.input("coupling")?.usable),
        ("activity", explanation.score.activity), ("darkness", explanation.score.darkness),
        ("clear_sky", explanation.score.clearSky),
        ("confidence_value", explanation.confidence.value),
    ]
    return texts.map { ($0.0, .text($0.1)) }
        + numbers.compactMap { name, value in value.map { (name, .number($0)) } }
}
