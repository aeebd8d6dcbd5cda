import Activity
import DomainKit

/// A cache of the tastes of listed people, so that their ratings are read once and not with every
/// list.
///
/// A note is valid as long as the model and the number and the sum of its ratings stay the same.
/// Changes of another person's ratings that leave both unchanged take effect with the next model,
/// as other effects of ratings on others do.
package final class TasteNotes: Sendable {
    /// The displayed taste of a suggested person.
    package struct Match: Sendable, Equatable {
        package var favoriteGenres: [String]
        package var sharedGenres: [String]
        package var score: Int
    }

    private struct Pair: Hashable {
        var one: Int
        var other: Int
    }

    private struct Notes {
        /// Of the model that they were made with.
        var model: Int?
        var favorites: [Int: (totals: RatingTotals, genres: [String])] = [:]
        var matches: [Pair: (own: RatingTotals, theirs: RatingTotals, match: Match)] = [:]

        /// With another model, everything is made again.
        mutating func begin(_ model: Int) {
            if self.model != model { self = Notes(model: model) }
        }
    }

    /// Notes of each kind; some hundred bytes each. With more, all are made again.
    private let countMax: Int
    private let notes = Locked(Notes())

    package init(countMax: Int = 10_000) {
        self.countMax = countMax
    }

    /// The favourite genres of a person, from the notes or made by `make`.
    ///
    /// - Parameter model: counts models.
    package func favoriteGenres(
        of personID: Int,
        _ totals: RatingTotals,
        model: Int,
        _ make: () throws -> [String]
    ) rethrows -> [String] {
        let known = notes.withLock { notes -> [String]? in
            notes.begin(model)
            return notes.favorites[personID].flatMap { $0.totals == totals ? $0.genres : nil }
        }
        if let known { return known }
        let genres = try make()
        notes.withLock { notes in
            guard notes.model == model else { return }
            if notes.favorites.count >= countMax { notes.favorites.removeAll() }
            notes.favorites[personID] = (totals, genres)
        }
        return genres
    }

    /// Returns the match of one person's taste with that of another who is suggested, from the
    /// notes or made by `make`.
    package func match(
        of personID: Int,
        _ own: RatingTotals,
        with otherID: Int,
        _ theirs: RatingTotals,
        model: Int,
        _ make: () throws -> Match
    ) rethrows -> Match {
        let pair = Pair(one: personID, other: otherID)
        let known = notes.withLock { notes -> Match? in
            notes.begin(model)
            guard let note = notes.matches[pair], note.own == own, note.theirs == theirs else {
                return nil
            }
            return note.match
        }
        if let known { return known }
        let match = try make()
        notes.withLock { notes in
            guard notes.model == model else { return }
            if notes.matches.count >= countMax { notes.matches.removeAll() }
            notes.matches[pair] = (own, theirs, match)
        }
        return match
    }
}
