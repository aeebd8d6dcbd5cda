import Timekeeping

/// The texts of tonight. Each word for a level stands with exactly one level, and each number in a text
/// is one of the form's or of the hours that it was made from.
extension Tonight {
    package func headline(_ language: Language) -> String {
        switch language {
        case .norwegian: norwegianHeadline
        case .english: englishHeadline
        }
    }

    /// Activity, cloud and darkness, or that they are not known.
    package func summary(_ language: Language) -> String {
        guard let best else { return language.brightNight(phase) }
        return [
            kpMax.map(language.kp) ?? language.unknownKp,
            best.weather?.cloud.map(language.cloud) ?? language.unknownCloud,
            darkness(language),
        ].joined(separator: " ")
    }

    package func bestTime(_ language: Language) -> String {
        guard let window else {
            return best != nil && level == nil ? language.unknownTime : language.noTime
        }
        let end = clock(window.upperBound)
        return window.lowerBound == time
            ? language.untilTime(end) : language.between(clock(window.lowerBound), end)
    }

    /// What to do about it; nothing to do is one tip, too.
    package func tips(_ language: Language) -> [String] {
        guard let best else { return [language.waitForDark] }
        guard let level else { return [language.askLater] }
        guard level > .none else {
            switch best.limitingFactor {
            case .cloud: return [language.waitForClearSky]
            case .darkness: return [language.waitForDark]
            case .activity, .data: return [language.waitForActivity]
            }
        }
        var tips = [language.leaveLights]
        if let cloud = best.weather?.cloud, cloud >= 40 { tips.append(language.findGaps) }
        if let temperature = best.weather?.temperature, temperature < 8 {
            tips.append(language.dressWarmly)
        }
        return tips + [language.stay]
    }

    private func darkness(_ language: Language) -> String {
        guard let night else { return language.brightNight(phase) }
        let isPolarNight = phase == .polarNight
        if night.end - night.start >= .seconds(86_400) { return language.darkAllDay }
        let end = clock(night.end)
        return night.start <= time
            ? language.darkUntil(end, isPolarNight: isPolarNight)
            : language.dark(from: clock(night.start), to: end, isPolarNight: isPolarNight)
    }

    /// `21:00`, with the zone where that is not the one people live by.
    private func clock(_ time: Timestamp) -> String {
        let text = place.zone.clockText(time)
        return place.zone == .utc ? text + " UTC" : text
    }

    private var norwegianHeadline: String {
        guard let best else { return "Det blir ikke mørkt nok for nordlys i natt" }
        switch (level, best.limitingFactor) {
        case (nil, _): return "Mangler nordlysvarsel for i kveld"
        case (.some(.none), .cloud): return "Skyer skjuler himmelen i kveld"
        case (.some(.none), .darkness): return "For lyst til å se nordlys i kveld"
        case (.some(.none), .activity), (.some(.none), .data):
            return "Nesten ikke nordlys i kveld"
        case (.low, _): return "Små sjanser for nordlys i kveld"
        case (.moderate, _): return "Middels sjanser for nordlys i kveld"
        case (.good, _): return "Gode sjanser for nordlys i kveld"
        case (.excellent, _): return "Svært gode sjanser for nordlys i kveld"
        }
    }

    private var englishHeadline: String {
        guard let best else { return "It does not get dark enough for the aurora tonight" }
        switch (level, best.limitingFactor) {
        case (nil, _): return "No aurora forecast for tonight"
        case (.some(.none), .cloud): return "Clouds hide the sky tonight"
        case (.some(.none), .darkness): return "Too bright to see the aurora tonight"
        case (.some(.none), .activity), (.some(.none), .data):
            return "Hardly any aurora tonight"
        case (.low, _): return "Small chance of aurora tonight"
        case (.moderate, _): return "Fair chance of aurora tonight"
        case (.good, _): return "Good chance of aurora tonight"
        case (.excellent, _): return "Very good chance of aurora tonight"
        }
    }
}

extension ClockZone {
    /// `21:05`
    func clockText(_ time: Timestamp) -> String {
        let civil = civil(time)
        func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(twoDigits(civil.hour)):\(twoDigits(civil.minute))"
    }
}
