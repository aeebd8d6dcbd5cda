import Activity
import DomainKit

extension ActivityTables {
    /// The number of words of a search that count; further ones are left out.
    private static let searchWordsMax = 12

    /// Films that a query asks for, as a user sees them: searched for where it has words, else all of them.
    package func films(_ query: SearchQuery, for personID: Int) throws -> Page<FilmView> {
        guard let text = query.text else {
            return try browseFilms(
                genres: query.genres,
                years: query.years,
                sort: query.sort ?? .popularity,
                range: query.range,
                for: personID
            )
        }
        return try searchFilms(
            text,
            genres: query.genres,
            years: query.years,
            sort: query.sort,
            range: query.range,
            for: personID
        )
    }

    /// Films that have all words of `text` in their titles, as a user sees them, the most relevant first; then those
    /// that have some of the words in the names of directors and actors or in the overview. The last word may be the
    /// beginning of one, except in the overview, where words of up to three letters do not count. Case, accents and
    /// punctuation do not matter.
    ///
    /// When nothing is found, neither does a typing mistake in a word of a title or a name of at least four letters,
    /// nor a second one from eight letters on, as far as `SearchBudget` goes.
    ///
    /// - Parameters:
    ///   - genres: names; only films that have all of them are found. Compared without case and accents.
    ///   - sort: nil for relevance.
    /// - Complexity: O(films found) for their order, and for mistyped words `SearchBudget.wordsReadMax`.
    package func searchFilms(
        _ text: String,
        genres: [String] = [],
        years: ClosedRange<Int>? = nil,
        sort: FilmSort? = nil,
        range: PageRange,
        for personID: Int
    ) throws -> Page<FilmView> {
        let none = Page<FilmView>(items: [], totalCount: 0, range: range)
        let words = Array(SearchFolding.words(text).prefix(Self.searchWordsMax))
        guard !words.isEmpty, let filter = try filter(genres, years) else { return none }

        let index = FilmTextIndex(session.dialect)
        let compounds = try compounds(in: words)
        var match = index.query(words, compounds)
        var count = try filmCount(match, filter)
        if count == 0, let tolerant = try tolerantMatch(words, compounds, index) {
            match = tolerant
            count = try filmCount(match, filter)
        }
        guard count > 0 else { return none }
        let ids = try integers(
            ActivitySQL.searchFilms(filter.sql, sort, index),
            [
                match.titles, match.texts, SearchFolding.foldedParts(words.joined(separator: " ")),
                range.limit, range.offset,
            ]
                + filter.arguments
        )
        let films = try filmViews(ids, for: personID)
        return Page(items: films, totalCount: count, range: range)
    }

    private func filmCount(_ match: FilmTextIndex.Query, _ filter: FilmFilter) throws -> Int {
        let sql = ActivitySQL.countFound(filter.sql, FilmTextIndex(session.dialect))
        return try integer(sql, [match.texts] + filter.arguments) ?? 0
    }

    // MARK: Browsing

    /// All films of some genres and years in an order, as a user sees them.
    ///
    /// - Complexity: O(films before the page) in the order's index, or O(films of the rarest genre, or of the years) for
    ///   their order; the number of films O(films).
    package func browseFilms(
        genres: [String] = [],
        years: ClosedRange<Int>? = nil,
        sort: FilmSort,
        range: PageRange,
        for personID: Int
    ) throws -> Page<FilmView> {
        guard let filter = try filter(genres, years) else {
            return Page(items: [], totalCount: 0, range: range)
        }
        let count = try integer(ActivitySQL.countFilms(filter.sql), filter.arguments) ?? 0
        guard range.offset < count else { return Page(items: [], totalCount: count, range: range) }
        let page: SQLArguments = [range.limit, range.offset]
        let ids = try integers(
            ActivitySQL.browseFilms(filter.sql, sort),
            page + filter.arguments
        )
        return Page(items: try filmViews(ids, for: personID), totalCount: count, range: range)
    }

    private struct FilmFilter {
        var sql: FilmFilterSQL
        var arguments: SQLArguments
    }

    /// A genre with fewer films than this share of all is read by itself, and its films are sorted.
    private static let rareGenreShare = 4

    /// Nil when one of the genres is one that no film has.
    private func filter(_ genres: [String], _ years: ClosedRange<Int>?) throws -> FilmFilter? {
        guard let ids = try genreIDs(named: genres) else { return nil }
        let counted = try ids.map { id in
            (id: id, filmCount: try integer(ActivitySQL.selectGenreCount, [id]) ?? 0)
        }.sorted { ($0.filmCount, $0.id) < ($1.filmCount, $1.id) }
        var source: FilmFilterSQL.Source = years == nil ? .order : .years
        if let rarest = counted.first?.filmCount,
            rarest * Self.rareGenreShare < (try filmCount())
        {
            source = .genre
        }
        var arguments = SQLArguments(counted.map(\.id))
        if let years {
            let bounds: SQLArguments = [years.lowerBound, years.upperBound]
            arguments = arguments + bounds
        }
        return FilmFilter(
            sql: FilmFilterSQL(genreCount: ids.count, hasYears: years != nil, source: source),
            arguments: arguments
        )
    }

    /// The ids of the named genres; nil when there is one that no film has.
    private func genreIDs(named names: [String]) throws -> [Int]? {
        var ids: Set<Int> = []
        for name in names.prefix(ActivityLimits.genresMax) {
            let folded = SearchFolding.folded(name)
            guard !folded.isEmpty else { continue }
            guard let id = try integer(ActivitySQL.selectGenre, [folded]) else { return nil }
            ids.insert(id)
        }
        return ids.sorted()
    }

    // MARK: Typing mistakes

    /// For each word other spellings that titles and names have: of a compound its two words one
    /// after the other, and of two words that follow one another the compound. So `spiderman` finds
    /// `Spider-Man`, and `spider man` finds `Spiderman`.
    ///
    /// - Complexity: O(letters) look-ups of words.
    private func compounds(in words: [String]) throws -> [[String]] {
        var found = [[String]](repeating: [], count: words.count)
        for (index, word) in words.enumerated() {
            found[index] = try splits(of: word)
            guard index > 0 else { continue }
            let compound = words[index - 1] + word
            guard compound.unicodeScalars.count <= Self.compoundLengthMax,
                try isWordOfATitle(compound)
            else { continue }
            found[index - 1].append(compound)
            found[index].append(compound)
        }
        return found
    }

    private func splits(of word: String) throws -> [String] {
        let scalars = Array(word.unicodeScalars)
        let least = Self.compoundPartLengthMin
        guard (2 * least...Self.compoundLengthMax).contains(scalars.count) else { return [] }
        return try (least...scalars.count - least).compactMap { length in
            let parts = [scalars[..<length], scalars[length...]].map { part in
                String(String.UnicodeScalarView(part))
            }
            guard try parts.allSatisfy(isWordOfATitle) else { return nil }
            return parts.joined(separator: " ")
        }
    }

    /// Of the words of a compound. Shorter ones, such as articles, would split simple words.
    private static let compoundPartLengthMin = 3
    private static let compoundLengthMax = 40

    private func tolerantMatch(
        _ words: [String],
        _ compounds: [[String]],
        _ index: FilmTextIndex
    ) throws -> FilmTextIndex.Query? {
        let isKnown = try words.map(isWordOfATitle)
        guard var budget = SearchBudget(isKnown: isKnown) else { return nil }
        var alternatives = [[String]](repeating: [], count: words.count)
        for index in budget.order {
            let isKnown = isKnown[index]
            alternatives[index] = try neighbours(of: words[index], isKnown: isKnown, &budget)
        }
        guard alternatives.contains(where: { !$0.isEmpty }) else { return nil }
        return index.query(words, zip(compounds, alternatives).map { $0 + $1 })
    }

    private func isWordOfATitle(_ word: String) throws -> Bool {
        try row(ActivitySQL.selectWord, [word.unicodeScalars.count, word]) != nil
    }

    /// The words of titles and names that `word` may have been meant for, nearest and most frequent first.
    private func neighbours(
        of word: String,
        isKnown: Bool,
        _ budget: inout SearchBudget
    ) throws -> [String] {
        let wordsReadMax = budget.takeShare()
        let scalars = Array(word.unicodeScalars)
        guard let (distanceMax, lengths) = EditDistance.allowed(scalars.count, isKnown: isKnown)
        else { return [] }
        let letters = LetterSet(scalars)
        var found: [(word: String, distance: Int, filmCount: Int)] = []
        let arguments: SQLArguments = [
            lengths.lowerBound, lengths.upperBound, wordsReadMax,
        ]
        let read: [Void] = try rows(ActivitySQL.selectWords, arguments) { row in
            let other: String = try row[0]
            guard letters.isWithin(distanceMax, of: LetterSet(other.unicodeScalars)) else { return }
            let distance = EditDistance.between(
                scalars,
                Array(other.unicodeScalars),
                max: distanceMax
            )
            if let distance { found.append((other, distance, try row[1])) }
        }
        budget.note(wordsRead: read.count)
        found.sort { ($0.distance, -$0.filmCount, $0.word) < ($1.distance, -$1.filmCount, $1.word) }
        return found.prefix(budget.alternativesMax).map(\.word)
    }
}
