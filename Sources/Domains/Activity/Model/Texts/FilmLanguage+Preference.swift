extension FilmLanguage {
    /// The language that a request prefers (RFC 9110 §12.5.4): the one with the greatest quality, of equal ones the
    /// first in the header; `standard` where none of them is acceptable.
    ///
    /// - Parameter acceptLanguage: the value of the header; nil without one.
    package init(acceptLanguage: String?) {
        var best = (language: FilmLanguage.standard, quality: 0.0)
        for range in acceptLanguage?.split(separator: ",") ?? [] {
            let parts = range.split(separator: ";").map { trimmedText($0) }
            guard let tag = parts.first, let language = FilmLanguage(range: tag),
                let quality = FilmLanguage.quality(parts.dropFirst()), quality > best.quality
            else { continue }
            best = (language, quality)
        }
        self = best.language
    }

    /// `nb-NO` is `nb`; `*` is the standard, as that is also acceptable.
    private init?(range: String) {
        guard range != "*" else {
            self = .standard
            return
        }
        let primary = range.prefix { $0 != "-" }.lowercased()
        guard let language = Self.allCases.first(where: { $0.ranges.contains(primary) }) else {
            return nil
        }
        self = language
    }

    /// 1 without a weight; nil for an invalid weight.
    private static func quality(_ parameters: ArraySlice<String>) -> Double? {
        guard let weight = parameters.first(where: { $0.lowercased().hasPrefix("q=") }) else {
            return 1
        }
        return Double(weight.dropFirst(2)).flatMap { (0...1).contains($0) ? $0 : nil }
    }
}
