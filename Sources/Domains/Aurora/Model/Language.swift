/// A language of the texts, with all its words. Languages.swift has a value for each: another language is
/// another value there.
///
/// The texts are chosen in Conditions+Texts.swift and Tonight+Texts.swift; they contain no word of
/// a language.
package struct Language: Sendable {
    /// As in `Content-Language` and in events, such as `nb`.
    package let code: String
    /// The primary subtags of `Accept-Language` for which it is the answer (RFC 5646 §2.2.1).
    package let tags: Set<String>
    /// Between the whole number and the tenths.
    let decimalSeparator: String
    /// The word of the northern lights in the texts below, and that of the southern lights, where they
    /// differ.
    let lights: (northern: String, southern: String)?
    let now: Now
    let tonight: Tonight
    let summary: Summary
    let bestTime: BestTime
    let tips: Tips

    /// Lines on the conditions at this moment: one of each level, or the reason why there is no aurora.
    struct Now: Sendable {
        let headlines: Headlines
        /// Only old data of the clouds, and they hide the sky.
        let cloudUnknown: String
        let advice: Advice
    }

    struct Headlines: Sendable {
        let tooBright: String
        let cloudy: String
        /// Neither the sky nor the clouds hide anything, but there is next to no aurora.
        let quiet: String
        let noData: String
        let low: String
        let moderate: String
        let good: String
        let excellent: String
    }

    struct Advice: Sendable {
        let noData: String
        let tooBright: String
        let cloudy: String
        let quiet: String
        let faintInBrightSky: String
        let lowInClouds: String
        let moderateInClouds: String
        let low: String
        let moderate: String
        let goodInClouds: String
        let good: String
        let excellent: String
        /// A sentence of its own behind another.
        let cloudUnknown: String
    }

    struct Tonight: Sendable {
        let headlines: Headlines
        /// After midnight, for the rest of the night.
        let restOfNight: Headlines
        let neverDark: String
    }

    struct Summary: Sendable {
        /// - Parameter kp: with one decimal.
        let kp: @Sendable (_ kp: String) -> String
        let unknownKp: String
        let cloud: @Sendable (_ percent: Int) -> String
        let unknownCloud: String
        let dark: @Sendable (_ start: String, _ end: String) -> String
        let darkInPolarNight: @Sendable (_ start: String, _ end: String) -> String
        let darkUntil: @Sendable (_ end: String) -> String
        let darkUntilInPolarNight: @Sendable (_ end: String) -> String
        let darkAllDay: String
        let midnightSun: String
        let tooBright: String
    }

    struct BestTime: Sendable {
        let between: @Sendable (_ start: String, _ end: String) -> String
        let fromNow: @Sendable (_ end: String) -> String
        let none: String
    }

    struct Tips: Sendable {
        let leaveLights: String
        let findGaps: String
        let dressWarmly: String
        let stay: String
        let waitForDark: String
        let waitForClearSky: String
        let waitForActivity: String
    }
}

/// Languages of one code are equal: a code has one table.
extension Language: Hashable {
    package static func == (left: Language, right: Language) -> Bool { left.code == right.code }

    package func hash(into hasher: inout Hasher) { hasher.combine(code) }
}

extension Language {
    /// A text with the lights of the place's hemisphere.
    func text(_ text: String, at place: Place) -> String {
        guard place.hemisphere == .south, let lights else { return text }
        return text.replacing(lights.northern, with: lights.southern)
    }

    /// The one that a client prefers by its `Accept-Language`, of equal ones the first (RFC 9110
    /// §12.5.4). A client that names only other languages reads English rather than the first of
    /// all, which is for clients that name none.
    package init(acceptLanguage: String?, among languages: [Language] = Language.all) {
        var best: (language: Language, weight: Double)?
        var namesOther = false
        for range in acceptLanguage?.split(separator: ",") ?? [] {
            let parts = range.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
            guard let tag = parts.first?.prefix(while: { $0 != "-" }).lowercased() else { continue }
            let weight =
                parts.dropFirst().first { $0.hasPrefix("q=") }
                .flatMap { Double($0.dropFirst(2)) } ?? 1
            guard weight > 0, weight > best?.weight ?? 0 else { continue }
            if let language = languages.first(where: { $0.tags.contains(tag) }) {
                best = (language, weight)
            } else if tag != "*" {
                namesOther = true
            }
        }
        let fallback = namesOther ? languages.first { $0.code == Language.english.code } : nil
        self = best?.language ?? fallback ?? languages[0]
    }
}
