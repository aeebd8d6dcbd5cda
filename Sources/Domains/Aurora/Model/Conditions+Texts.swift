/// The languages of the texts.
package enum Language: String, CaseIterable, Sendable {
    case norwegian = "nb"
    case english = "en"
}

extension Conditions {
    /// One line on what to expect; it names the limiting factor where that is the whole story.
    package func headline(_ language: Language) -> String {
        switch language {
        case .norwegian: isHiddenByOldClouds ? "Skydekket er ukjent nå" : norwegianHeadline
        case .english: isHiddenByOldClouds ? "Cloud cover is unknown now" : englishHeadline
        }
    }

    /// Whether it is what was last known of the clouds that rules a sight out.
    private var isHiddenByOldClouds: Bool {
        level == .none && limitingFactor == .cloud && visibility == .unknown
    }

    /// What to do about it. Ends with a warning when nothing is known of the cloud.
    package func recommendation(_ language: Language) -> String {
        let advice: String
        let warning: String
        switch language {
        case .norwegian:
            advice = isHiddenByOldClouds ? "Prøv igjen om litt." : norwegianAdvice
            warning = " Skydekket er ukjent."
        case .english:
            advice = isHiddenByOldClouds ? "Try again in a while." : englishAdvice
            warning = " Cloud cover is unknown."
        }
        return visibility == .unknown && level > .none ? advice + warning : advice
    }

    private var norwegianHeadline: String {
        switch (level, limitingFactor) {
        case (.none, .darkness): "For lyst til å se nordlys nå"
        case (.none, .cloud): "Skyer skjuler himmelen nå"
        case (.none, .activity): "Nesten ikke nordlys nå"
        case (_, .data): "Mangler ferske nordlysdata"
        case (.low, _): "Små sjanser for nordlys nå"
        case (.moderate, _): "Middels sjanser for nordlys nå"
        case (.good, _): "Gode sjanser for nordlys nå"
        case (.excellent, _): "Svært gode sjanser for nordlys nå"
        }
    }

    private var norwegianAdvice: String {
        switch (level, limitingFactor) {
        case (_, .data): "Prøv igjen om litt."
        case (.none, .darkness): "Vent til himmelen er mørk."
        case (.none, .cloud): "Vent på klarere vær."
        case (.none, .activity): "Vent på mer aktivitet."
        case (.low, .darkness), (.moderate, .darkness):
            "Himmelen er for lys til å se svakt nordlys."
        case (.low, .cloud): "Det er mye skyer. Se etter åpninger."
        case (.moderate, .cloud): "Se etter åpninger i skydekket."
        case (.low, .activity): "Bare svakt nordlys er ventet."
        case (.moderate, .activity): "Finn et mørkt sted og følg med på himmelen."
        case (.good, .cloud): "Gå ut og se etter åpninger i skydekket!"
        case (.good, _): "Gå ut og se!"
        case (.excellent, _): "Gå ut nå og se opp!"
        }
    }

    private var englishHeadline: String {
        switch (level, limitingFactor) {
        case (.none, .darkness): "Too bright to see the aurora now"
        case (.none, .cloud): "Clouds hide the sky now"
        case (.none, .activity): "Hardly any aurora now"
        case (_, .data): "No recent aurora data"
        case (.low, _): "Small chance of aurora now"
        case (.moderate, _): "Fair chance of aurora now"
        case (.good, _): "Good chance of aurora now"
        case (.excellent, _): "Very good chance of aurora now"
        }
    }

    private var englishAdvice: String {
        switch (level, limitingFactor) {
        case (_, .data): "Try again in a while."
        case (.none, .darkness): "Wait until the sky is dark."
        case (.none, .cloud): "Wait for clearer weather."
        case (.none, .activity): "Wait for more activity."
        case (.low, .darkness), (.moderate, .darkness): "The sky is too bright for a faint aurora."
        case (.low, .cloud): "There is a lot of cloud. Look for gaps."
        case (.moderate, .cloud): "Look for gaps in the clouds."
        case (.low, .activity): "Only a faint aurora is expected."
        case (.moderate, .activity): "Find a dark place and keep an eye on the sky."
        case (.good, .cloud): "Go out and look for gaps in the clouds!"
        case (.good, _): "Go out and look!"
        case (.excellent, _): "Go out now and look up!"
        }
    }
}
