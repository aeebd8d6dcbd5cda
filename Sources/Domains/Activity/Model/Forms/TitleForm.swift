/// A title in the sorting form of a list of films, `Matrix, The (1999)`, split into `The Matrix`
/// and 1999.
///
/// Other titles in brackets are also reordered: `Postman, The (Postino, Il) (1994)` is `The Postman
/// (Il Postino)`. A title with neither year nor article is unchanged.
package struct TitleForm: Sendable, Equatable {
    package let title: String
    /// Of the last brackets, if they hold one: the first year of a series, `(1975-1979)`.
    package let year: Int?

    package init(_ catalogueTitle: String) {
        let text = trimmedText(catalogueTitle)
        guard let (rest, year) = TitleForm.splitYear(text) else {
            title = TitleForm.withArticlesInFront(text)
            self.year = nil
            return
        }
        title = TitleForm.withArticlesInFront(rest)
        self.year = year
    }

    // MARK: Years

    /// From the oldest films that exist to the latest that can be announced.
    private static let years = 1870...2200
    private static let digitCount = 4

    /// Nil when the text does not end with a year in brackets, or is nothing else.
    private static func splitYear(_ text: String) -> (rest: String, year: Int)? {
        guard text.hasSuffix(")"), let open = text.lastIndex(of: "(") else { return nil }
        let inner = text[text.index(after: open)...].dropLast()
        let digits = inner.prefix(digitCount)
        guard let year = yearNumber(digits), years.contains(year),
            isEndOfRange(inner.dropFirst(digitCount))
        else { return nil }
        let rest = trimmedText(text[..<open])
        return rest.isEmpty ? nil : (rest, year)
    }

    /// Nothing, or a dash and the year of the end, which a series that goes on has not.
    private static func isEndOfRange(_ text: Substring) -> Bool {
        guard let dash = text.first else { return true }
        guard ["-", "–", "—"].contains(dash) else { return false }
        let end = trimmedText(text.dropFirst())
        return end.isEmpty || yearNumber(end[...]) != nil
    }

    /// Four digits, nothing else.
    private static func yearNumber(_ text: Substring) -> Int? {
        let digits = text.utf8
        guard digits.count == digitCount, digits.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int(text)
    }

    // MARK: Articles

    /// In the spelling after a comma. Words in lower case are not articles: `Il buono, il brutto,
    /// il cattivo`.
    private static let articles: Set<String> = [
        "The", "A", "An",  // English
        "Le", "La", "Les", "Un", "Une", "Des",  // French
        "Der", "Die", "Das", "Ein", "Eine",  // German
        "El", "Los", "Las", "Una", "Unos", "Unas",  // Spanish
        "Il", "Lo", "I", "Gli", "Uno",  // Italian
        "O", "Os", "As", "Um", "Uma",  // Portuguese
        "Den", "Det", "De", "En", "Ei", "Et", "Ett",  // Norwegian, Danish, Swedish
        "Het", "Een",  // Dutch
    ]
    /// Written without a space behind them.
    private static let elidedArticles: Set<String> = ["L'", "L’"]
    private static let alternativeMark = "a.k.a. "

    /// An article behind all brackets is the whole text's. Brackets in brackets are no other title: such a
    /// text stays as it is.
    private static func withArticlesInFront(_ text: String) -> String {
        if let close = text.lastIndex(of: ")"), text[close...].contains(",") {
            return withArticleInFront(text[...])
        }
        var result = ""
        var rest = text[...]
        while let open = rest.firstIndex(of: "("), let close = rest[open...].firstIndex(of: ")") {
            let inner = rest[rest.index(after: open)..<close]
            guard !inner.contains("(") else { return text }
            result += withArticleInFront(rest[..<open]) + "(" + alternative(inner) + ")"
            rest = rest[rest.index(after: close)...]
        }
        return result + withArticleInFront(rest)
    }

    private static func alternative(_ text: Substring) -> String {
        guard text.hasPrefix(alternativeMark) else { return withArticleInFront(text) }
        return alternativeMark + withArticleInFront(text.dropFirst(alternativeMark.count))
    }

    /// Keeps the space around the text.
    private static func withArticleInFront(_ text: Substring) -> String {
        guard let comma = text.lastIndex(of: ",") else { return String(text) }
        let behind = text[text.index(after: comma)...]
        let article = trimmedText(behind)
        // By scalars, as the text is trimmed: a space and an accent on it are one character.
        let scalars = text.unicodeScalars
        let start = scalars.firstIndex { !$0.properties.isWhitespace } ?? comma
        guard start < comma, articles.contains(article) || elidedArticles.contains(article) else {
            return String(text)
        }
        let space = elidedArticles.contains(article) ? "" : " "
        let end = scalars.lastIndex { !$0.properties.isWhitespace } ?? comma
        return String(scalars[..<start]) + article + space + trimmedText(text[..<comma])
            + String(scalars[scalars.index(after: end)...])
    }
}

/// The genres of a catalogue that separates them by `|`, in its order, each once; `(no genres
/// listed)` is not a genre.
package func genres(piped text: String) -> [String] {
    var genres: [String] = []
    for part in text.split(separator: "|") {
        let genre = trimmedText(part)
        guard !genre.isEmpty, genre != "(no genres listed)", !genres.contains(genre) else {
            continue
        }
        genres.append(genre)
    }
    return genres
}
