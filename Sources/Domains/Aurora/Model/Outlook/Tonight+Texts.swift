/// The texts of tonight. Each word for a level belongs to exactly one level, and each number in a
/// text is one of the form's or of the hours that it was made from.
extension Tonight {
    package func headline(_ language: Language) -> String {
        language.text(headlineOfTheNorth(language), at: place)
    }

    private func headlineOfTheNorth(_ language: Language) -> String {
        let words = language.tonight
        let headlines =
            night?.isRest(at: time, place: place) == true ? words.restOfNight : words.headlines
        guard let best else { return language.tonight.neverDark }
        return switch (level, best.limitingFactor) {
        case (.none, .cloud): headlines.cloudy
        case (.none, .darkness): headlines.tooBright
        case (.none, .activity), (.none, .data): headlines.quiet
        case (.low, _): headlines.low
        case (.moderate, _): headlines.moderate
        case (.good, _): headlines.good
        case (.excellent, _): headlines.excellent
        }
    }

    /// Activity, cloud and darkness, or that they are not known.
    package func summary(_ language: Language) -> String {
        let words = language.summary
        guard let best else { return brightNight(words) }
        return [
            kpMax.map { words.kp(language.tenths($0)) } ?? words.unknownKp,
            best.weather.cloud.map { words.cloud(Int($0.rounded())) } ?? words.unknownCloud,
            darkness(words),
        ].joined(separator: " ")
    }

    package func bestTime(_ language: Language) -> String {
        let words = language.bestTime
        guard let window else { return words.none }
        let end = clock(window.upperBound)
        return window.lowerBound == time
            ? words.fromNow(end) : words.between(clock(window.lowerBound), end)
    }

    /// The tips for the night; a tip to do nothing is also one.
    package func tips(_ language: Language) -> [String] {
        let words = language.tips
        guard let best else { return [words.waitForDark] }
        guard level > .none else {
            switch best.limitingFactor {
            case .cloud: return [words.waitForClearSky]
            case .darkness: return [words.waitForDark]
            case .activity, .data: return [words.waitForActivity]
            }
        }
        var tips = [words.leaveLights]
        if let cloud = best.weather.cloud, cloud >= 40 { tips.append(words.findGaps) }
        if let temperature = best.weather.step?.temperature, temperature < 8 {
            tips.append(words.dressWarmly)
        }
        return tips + [language.text(words.stay, at: place)]
    }

    private func brightNight(_ words: Language.Summary) -> String {
        switch phase {
        case .midnightSun: words.midnightSun
        case .polarNight, .riseAndSet: words.tooBright
        }
    }

    private func darkness(_ words: Language.Summary) -> String {
        guard let night else { return brightNight(words) }
        let isPolarNight = phase == .polarNight
        if night.end - night.start >= .seconds(86_400) { return words.darkAllDay }
        let end = clock(night.end)
        if night.start <= time {
            return isPolarNight ? words.darkUntilInPolarNight(end) : words.darkUntil(end)
        }
        let start = clock(night.start)
        return isPolarNight ? words.darkInPolarNight(start, end) : words.dark(start, end)
    }

    /// `21:00`, with the zone where that is not the one people live by.
    private func clock(_ time: Timestamp) -> String {
        let text = place.zone.clockText(time)
        return place.zone == .utc ? text + " UTC" : text
    }
}

extension Language {
    fileprivate func tenths(_ number: Double) -> String {
        let tenths = Int((number * 10).rounded())
        return "\(tenths / 10)\(decimalSeparator)\(tenths % 10)"
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
