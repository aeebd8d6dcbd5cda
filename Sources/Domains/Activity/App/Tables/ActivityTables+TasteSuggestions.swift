import Activity
import DomainKit

extension ActivityTables {
    /// Liked films by which people of the same taste are looked for.
    private static let likedFilmsMax = 20
    /// The number of people that are read for each of them.
    private static let ratersMax = 500
    /// People who are compared with the person.
    private static let candidatesMax = 30
    /// People who are looked up for these places.
    private static let lookupsMax = 100
    /// Ratings of a person who is compared.
    private static let comparedRatingsMax = 2000

    /// Whether a person consents to being suggested by taste, and is shown such suggestions.
    package func suggestsByTaste(_ personID: Int) throws -> Bool {
        try integer(ActivitySQL.selectSuggestsByTaste, [personID]) == 1
    }

    package func setSuggestsByTaste(_ isOn: Bool, of personID: Int) throws {
        try run(ActivitySQL.updateSuggestsByTaste, [personID, isOn ? 1 : 0])
    }

    /// People who like films that a person likes, those with most of them first. Only if both consent,
    /// are not friends, and have neither a request nor a block between them.
    ///
    /// - Complexity: O(the person's ratings), and bounds on everything else: 20 films, 500 people who
    ///   have rated each, 100 lookups.
    package func tasteCandidates(for personID: Int) throws -> [SuggestionView] {
        guard try suggestsByTaste(personID) else { return [] }
        let films = try integers(
            ActivitySQL.selectRarestLikedFilms,
            [personID, Self.likedFilmsMax]
        )
        var shared: [Int: Int] = [:]
        for film in films {
            let likers = try integers(ActivitySQL.selectLikersByTaste, [film, Self.ratersMax])
            for id in likers where id != personID { shared[id, default: 0] += 1 }
        }
        let order = shared.keys.sorted { (shared[$1]!, $0) < (shared[$0]!, $1) }
        var candidates: [SuggestionView] = []
        for id in order.prefix(Self.lookupsMax) where candidates.count < Self.candidatesMax {
            let arguments: SQLArguments = [personID, id, Self.comparedRatingsMax]
            guard let row = try row(ActivitySQL.selectSuggestionByTaste, arguments) else {
                continue
            }
            candidates.append(
                SuggestionView(
                    person: try row.personCard(),
                    mutualFriends: 0,
                    watchedCount: try row[3],
                    lastActiveAt: try row.optionalInstant(4)
                )
            )
        }
        return candidates
    }
}
