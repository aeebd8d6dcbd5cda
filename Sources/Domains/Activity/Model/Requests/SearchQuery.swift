/// The orders of a list of films. Films that are equal in it are in the order of their ids.
package enum FilmSort: String, Sendable, Equatable, CaseIterable {
    /// Most ratings first.
    case popularity
    /// Best rated first; a film with few ratings is near the middle, one without ratings last.
    case rating
    /// Newest first; films without a year last.
    case year
    /// By the alphabet, as search compares titles.
    case title
}

/// The query of `GET /movies/search`. Films are searched for by words, or browsed without any.
package struct SearchQuery: Sendable, Equatable {
    /// Nil to browse.
    package var text: String?
    /// All of them have to fit. Empty for any.
    package var genres: [String]
    /// Nil for any; a film without a year is in none.
    package var years: ClosedRange<Int>?
    /// Nil for relevance where words are searched for, and for popularity otherwise.
    package var sort: FilmSort?
    package var range: PageRange

    package init(
        q: String?,
        genres: String?,
        year: String? = nil,
        yearFrom: String? = nil,
        yearTo: String? = nil,
        sort: String? = nil,
        limit: String?,
        offset: String?
    ) throws(RequestError) {
        if let q { text = try TextRule.searchText.check(q, field: "q") }
        self.genres = try SearchQuery.list(genres ?? "")
        years = try SearchQuery.years(year, from: yearFrom, to: yearTo)
        self.sort = try word(sort, "sort")
        range = try PageRange(limit: limit, offset: offset)
    }

    private static func years(
        _ year: String?,
        from: String?,
        to: String?
    ) throws(RequestError) -> ClosedRange<Int>? {
        let all = ActivityLimits.years
        let exact = try wholeNumber(year, "year", in: all)
        let first = try wholeNumber(from, "year_from", in: all)
        let last = try wholeNumber(to, "year_to", in: all)
        guard let exact else {
            guard first != nil || last != nil else { return nil }
            let lower = first ?? all.lowerBound
            let upper = last ?? all.upperBound
            guard lower <= upper else {
                throw .unexpected(
                    field: "year_to",
                    expected: "a year not before year_from, \(lower)",
                    found: String(upper)
                )
            }
            return lower...upper
        }
        for (name, other) in [("year_from", from), ("year_to", to)] {
            guard let other else { continue }
            throw .unexpected(
                field: name,
                expected: "none together with year",
                found: #""\#(RequestError.excerpt(other.utf8))""#
            )
        }
        return exact...exact
    }

    private static func list(_ text: String) throws(RequestError) -> [String] {
        var genres: [String] = []
        for part in text.split(separator: ",") where !trimmedText(part).isEmpty {
            guard genres.count < ActivityLimits.genresMax else {
                throw .unexpected(
                    field: "genres",
                    expected: "at most \(ActivityLimits.genresMax) genres",
                    found: #""\#(RequestError.excerpt(text.utf8))""#
                )
            }
            genres.append(try TextRule.genre.check(String(part), field: "genres"))
        }
        return genres
    }
}
