/// The texts of the conditions. Each line follows from the level, the limiting factor and the
/// cloud, so it agrees with the numbers next to it in every language.
extension Conditions {
    /// One line on the outlook; it names the limiting factor if that is decisive.
    package func headline(_ language: Language) -> String {
        language.text(headlineOfTheNorth(language), at: place)
    }

    private func headlineOfTheNorth(_ language: Language) -> String {
        if isHiddenByOldClouds { return language.now.cloudUnknown }
        let headlines = language.now.headlines
        return switch (level, limitingFactor) {
        case (.none, .darkness): headlines.tooBright
        case (.none, .cloud): headlines.cloudy
        case (.none, .activity): headlines.quiet
        case (_, .data): headlines.noData
        case (.low, _): headlines.low
        case (.moderate, _): headlines.moderate
        case (.good, _): headlines.good
        case (.excellent, _): headlines.excellent
        }
    }

    /// The recommendation for the conditions. Ends with a warning if the cloud is unknown.
    package func recommendation(_ language: Language) -> String {
        let words = language.now.advice
        if isHiddenByOldClouds { return words.noData }
        let advice = language.text(advice(words), at: place)
        return visibility == .unknown && level > .none ? "\(advice) \(words.cloudUnknown)" : advice
    }

    /// Whether the last known clouds rule a sighting out.
    private var isHiddenByOldClouds: Bool {
        level == .none && limitingFactor == .cloud && visibility == .unknown
    }

    private func advice(_ words: Language.Advice) -> String {
        switch (level, limitingFactor) {
        case (_, .data): words.noData
        case (.none, .darkness): words.tooBright
        case (.none, .cloud): words.cloudy
        case (.none, .activity): words.quiet
        case (.low, .darkness), (.moderate, .darkness): words.faintInBrightSky
        case (.low, .cloud): words.lowInClouds
        case (.moderate, .cloud): words.moderateInClouds
        case (.low, .activity): words.low
        case (.moderate, .activity): words.moderate
        case (.good, .cloud): words.goodInClouds
        case (.good, _): words.good
        case (.excellent, _): words.excellent
        }
    }
}
