import Activity
import Store

extension ActivityTables {
    /// Words of a search that count; what a user types beyond them is left out.
    private static let searchWordsMax = 12

    /// Films whose titles have all words of `text`, as a user sees them, the most relevant first. The last
    /// word may be the beginning of one. Case, accents and punctuation do not matter; when nothing is
    /// found, neither does a typing mistake in a word of at least four letters, nor a second one from
    /// eight letters on, as far as `SearchBudget` goes.
    ///
    /// - Parameters:
    ///   - genres: names; only films that have all of them are found. Compared without case and accents.
    /// - Complexity: O(films found) for their order, and for mistyped words `SearchBudget.wordsReadMax`.
    package func searchFilms(
        _ text: String,
        genres: [String] = [],
        range: PageRange,
        for personID: Int
    ) throws -> Page<FilmView> {
        let none = Page<FilmView>(items: [], totalCount: 0, range: range)
        let words = Array(SearchFolding.words(text).prefix(Self.searchWordsMax))
        guard !words.isEmpty, let genreIDs = try genreIDs(named: genres) else { return none }

        var match = FilmMatch.exact(words)
        var count = try filmCount(match, genreIDs)
        if count == 0, let tolerant = try tolerantMatch(words) {
            match = tolerant
            count = try filmCount(match, genreIDs)
        }
        guard count > 0 else { return none }
        let ids = try integers(
            ActivitySQL.searchFilms(genreCount: genreIDs.count),
            [match.query, words.joined(separator: " "), range.limit, range.offset]
                + SQLArguments(genreIDs)
        )
        let films = try filmViews(ids, for: personID)
        return Page(items: films, totalCount: count, range: range)
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

    private func filmCount(_ match: FilmMatch, _ genreIDs: [Int]) throws -> Int {
        let sql = ActivitySQL.countFound(genreCount: genreIDs.count)
        return try integer(sql, [match.query] + SQLArguments(genreIDs)) ?? 0
    }

    // MARK: Typing mistakes

    private func tolerantMatch(_ words: [String]) throws -> FilmMatch? {
        let isKnown = try words.map(isWordOfATitle)
        guard var budget = SearchBudget(isKnown: isKnown) else { return nil }
        var alternatives = [[String]](repeating: [], count: words.count)
        for index in budget.order {
            alternatives[index] = try neighbours(of: words[index], &budget)
        }
        guard alternatives.contains(where: { !$0.isEmpty }) else { return nil }
        return .tolerant(words, alternatives)
    }

    private func isWordOfATitle(_ word: String) throws -> Bool {
        try row(ActivitySQL.selectWord, [word.unicodeScalars.count, word]) != nil
    }

    /// The words of titles that `word` may have been meant for, nearest and most frequent first.
    private func neighbours(of word: String, _ budget: inout SearchBudget) throws -> [String] {
        let wordsReadMax = budget.takeShare()
        let scalars = Array(word.unicodeScalars)
        let distanceMax = EditDistance.allowed(length: scalars.count)
        guard distanceMax > 0 else { return [] }
        let letters = LetterSet(scalars)
        var found: [(word: String, distance: Int, filmCount: Int)] = []
        let arguments: SQLArguments = [
            scalars.count - distanceMax, scalars.count + distanceMax, wordsReadMax,
        ]
        let read: [Void] = try rows(ActivitySQL.selectWords, arguments) { row in
            let other: String = row[0]
            guard letters.isWithin(distanceMax, of: LetterSet(other.unicodeScalars)) else { return }
            let distance = EditDistance.between(
                scalars,
                Array(other.unicodeScalars),
                max: distanceMax
            )
            if let distance { found.append((other, distance, row[1])) }
        }
        budget.note(wordsRead: read.count)
        found.sort { ($0.distance, -$0.filmCount, $0.word) < ($1.distance, -$1.filmCount, $1.word) }
        return found.prefix(budget.alternativesMax).map(\.word)
    }
}

/// What FTS5 is asked: words are letters and digits alone, so quotes around them are all the escaping there
/// is to do.
struct FilmMatch {
    let query: String

    static func exact(_ words: [String]) -> FilmMatch {
        let terms = words.enumerated().map { term($1, isLast: $0 == words.count - 1) }
        return FilmMatch(query: terms.joined(separator: " AND "))
    }

    /// Each word or one of its alternatives.
    static func tolerant(_ words: [String], _ alternatives: [[String]]) -> FilmMatch {
        let terms = words.indices.map { index in
            let own = term(words[index], isLast: index == words.count - 1)
            let others = alternatives[index].map { term($0, isLast: false) }
            return "(" + ([own] + others).joined(separator: " OR ") + ")"
        }
        return FilmMatch(query: terms.joined(separator: " AND "))
    }

    /// The last word is not yet typed to its end, perhaps.
    private static func term(_ word: String, isLast: Bool) -> String {
        "\"\(word)\"" + (isLast ? "*" : "")
    }
}
