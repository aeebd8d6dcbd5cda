import Activity
import DomainKit
import Foundation

/// Keeps the model for recommendations and scores, and builds it again after ratings change.
///
/// A person's own ratings are included at every request, so a rating counts at once for its author.
/// Its effect on others waits for the next build.
package final class TasteKeeper: Sendable {
    /// Rows of one snapshot while ratings and films are read: a snapshot that is kept keeps the log from being
    /// written back.
    private static let pageLength = 10_000

    private struct State {
        var model: TasteModel
        /// Counts models.
        var number = 0
        /// Whether there may be ratings or films that the model does not include.
        var isStale = true
    }

    private let store: HubStore
    private let clock: HubClock
    private let limits: TasteLimits
    private let metrics: DomainMetrics
    private let logger: Logger
    private let state: Locked<State>
    private let notes = TasteNotes()

    package init(
        store: HubStore,
        clock: HubClock,
        recommendationsMax: Int,
        metrics: DomainMetrics,
        logger: Logger
    ) {
        var limits = TasteLimits()
        limits.recommendationsMax = recommendationsMax
        self.store = store
        self.clock = clock
        self.limits = limits
        self.metrics = metrics
        metrics.addDerivations(of: "activity")
        self.logger = logger
        let empty = TasteModel(ratings: [], films: [], at: clock.now, limits: limits)
        state = Locked(State(model: empty))
    }

    package var model: TasteModel { state.withLock { $0.model } }

    private var modelNumber: Int { state.withLock { $0.number } }

    /// Notes that ratings have changed.
    package func noteChange() { state.withLock { $0.isStale = true } }

    // MARK: Building

    /// Builds the model, and again at every interval in which something has changed, until cancelled.
    package func run(every interval: Duration) async {
        while !Task.isCancelled {
            do { try await build() } catch is CancellationError {
                return
            } catch {
                logger.error(
                    "activity: recommendations not computed",
                    metadata: ["err": "\(error)"]
                )
                noteChange()
            }
            try? await Task.sleep(for: interval)
        }
    }

    /// Builds the model if it does not include all ratings and films.
    package func build() async throws {
        let isStale = state.withLock { state in
            defer { state.isStale = false }
            return state.isStale
        }
        guard isStale else { return }
        let start = ContinuousClock.now
        let films = try await films()
        let ratings = try await ratings()
        let model = try await built(ratings, films)
        state.withLock { state in
            state.model = model
            state.number += 1
        }
        let duration = ContinuousClock.now - start
        metrics.noteDerivation("activity", duration)
        logger.info(
            "activity: recommendations computed",
            metadata: [
                "ratings": .stringConvertible(ratings.count),
                "films": .stringConvertible(films.count),
                "seconds": "\(duration.inSeconds)",
            ]
        )
    }

    private static let buildNiceness: Int32 = 10

    /// On a thread of its own with a low priority: the pool's are few, and requests run there.
    private func built(_ ratings: [TasteRating], _ films: [Film]) async throws -> TasteModel {
        let isCancelled = Locked(false)
        let now = clock.now
        let limits = limits
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                Thread.detachNewThread {
                    // Of this thread only, on Linux: loops and requests go first.
                    _ = setpriority(.init(PRIO_PROCESS.rawValue), 0, TasteKeeper.buildNiceness)
                    continuation.resume(
                        with: Result {
                            try TasteModel(
                                ratings: ratings,
                                films: films,
                                at: now,
                                limits: limits
                            ) {
                                if isCancelled.withLock({ $0 }) { throw CancellationError() }
                            }
                        }
                    )
                }
            }
        } onCancel: {
            isCancelled.withLock { $0 = true }
        }
    }

    private func films() async throws -> [Film] {
        var films: [Film] = []
        while true {
            let last = films.last?.id ?? 0
            let page = try await store.readActivity {
                try $0.films(after: last, limit: TasteKeeper.pageLength).map(\.film)
            }
            films += page
            guard page.count == TasteKeeper.pageLength else { return films }
            try Task.checkCancellation()
        }
    }

    private func ratings() async throws -> [TasteRating] {
        var ratings: [TasteRating] = []
        var last = 0
        while true {
            let after = last
            let page = try await store.readActivity {
                try $0.ratings(after: after, limit: TasteKeeper.pageLength)
            }
            ratings += page.map(TasteRating.init)
            last = page.last?.id ?? last
            guard page.count == TasteKeeper.pageLength else { return ratings }
            try Task.checkCancellation()
        }
    }

    // MARK: Scores

    package func taste(of ratings: [Rating]) -> PersonalTaste {
        model.taste(of: ratings.map(TasteRating.init))
    }

    package func favoriteGenres(_ ratings: [Rating]) -> [String] {
        taste(of: ratings).favoriteGenres()
    }

    /// The favourite genres of a listed person. Ratings are read again when they have changed.
    package func favoriteGenres(of personID: Int, _ tables: ActivityTables) throws -> [String] {
        guard let totals = try tables.ratingTotals(of: personID) else { return [] }
        return try notes.favoriteGenres(of: personID, totals, model: modelNumber) {
            favoriteGenres(try tables.ratings(by: personID))
        }
    }

    /// Fills in the comparison of a person's taste with those of the suggested people. Ratings are
    /// read if they have changed, the person's own at most once.
    package func compare(
        _ personID: Int,
        with suggestions: inout [SuggestionView],
        _ tables: ActivityTables
    ) throws {
        guard let own = try tables.ratingTotals(of: personID) else { return }
        var ownTaste: PersonalTaste?
        for index in suggestions.indices {
            let otherID = suggestions[index].person.id
            guard let theirs = try tables.ratingTotals(of: otherID) else { continue }
            let match = try notes.match(
                of: personID,
                own,
                with: otherID,
                theirs,
                model: modelNumber
            ) {
                let own = try ownTaste ?? taste(of: tables.ratings(by: personID))
                ownTaste = own
                return TasteNotes.Match(own, taste(of: try tables.ratings(by: otherID)))
            }
            suggestions[index].favoriteGenres = match.favoriteGenres
            suggestions[index].sharedGenres = match.sharedGenres
            suggestions[index].matchScore = match.score
        }
    }

    /// Suggestions by taste agree at least so much; strangers who rate at random are at about 50.
    private static let suggestedScoreMin = 60

    /// People of the same taste, best match first, who are not among those who are suggested already.
    func tasteSuggestions(
        for personID: Int,
        beside others: [SuggestionView],
        limit: Int,
        _ tables: ActivityTables
    ) throws -> [SuggestionView] {
        guard limit > 0 else { return [] }
        let listed = Set(others.map(\.person.id))
        var found = try tables.tasteCandidates(for: personID)
            .filter { !listed.contains($0.person.id) }
        try compare(personID, with: &found, tables)
        return try found.filter { $0.matchScore >= TasteKeeper.suggestedScoreMin }
            .sorted { ($1.matchScore, $0.person.id) < ($0.matchScore, $1.person.id) }
            .prefix(limit)
            .map { suggestion in
                var suggestion = suggestion
                suggestion.mutualFriends = try tables.mutualFriendCount(
                    personID,
                    suggestion.person.id
                )
                return suggestion
            }
    }

    /// Of films by their ids.
    package func scores(
        of films: [Film],
        for personID: Int,
        now: Timestamp,
        _ tables: ActivityTables
    ) throws -> [Int: FilmScores] {
        let taste = taste(of: try tables.ratings(by: personID))
        let meanStars = model.meanStars
        var scores: [Int: FilmScores] = [:]
        for film in films {
            let friends = try tables.friendRatings(of: film.id, for: personID, latest: 0)
            scores[film.id] = FilmScores(
                ai: taste.score(of: film, now: now).aiScore,
                social: SocialScore(friends, meanStars: meanStars)?.value
            )
        }
        return scores
    }

    /// The answer of `GET /movies/{id}/explanation`.
    package func explanation(
        of film: Film,
        for personID: Int,
        in language: FilmLanguage,
        now: Timestamp,
        _ tables: ActivityTables
    ) throws -> [UInt8] {
        let taste = taste(of: try tables.ratings(by: personID))
        let friends = try tables.friendSignals(
            of: film.id,
            for: personID,
            latest: FriendRatings.shownMax
        )
        let ratings = try tables.ratingSummary(ofFilm: film.id)
        return taste.explanation(of: film, ratings: ratings, friends: friends, now: now)
            .json(in: language)
    }

    /// The answer of `GET /feed/recommendations`: no film that the person has rated, seen, or marked as
    /// not interesting.
    package func recommendations(
        for personID: Int,
        in language: FilmLanguage,
        _ range: PageRange,
        now: Timestamp,
        _ tables: ActivityTables
    ) throws -> [UInt8] {
        let model = model
        let taste = model.taste(of: try tables.ratings(by: personID).map(TasteRating.init))
        let found = taste.recommendations(
            excluding: Set(try tables.completedFilmIDs(of: personID))
                .union(try tables.notInterestedFilmIDs(of: personID)),
            limit: range.limit,
            offset: range.offset,
            now: now
        )
        var items: [Recommendation] = []
        for score in found.films {
            guard let view = try tables.filmView(score.filmID, for: personID) else { continue }
            let friends = try tables.friendSignals(
                of: score.filmID,
                for: personID,
                latest: FriendRatings.shownMax
            )
            let explanation = taste.explanation(
                of: view.film,
                score: score,
                ratings: view.ratings,
                friends: friends
            )
            items.append(
                Recommendation(
                    film: view,
                    scores: FilmScores(
                        ai: score.aiScore,
                        social: SocialScore(friends.ratings, meanStars: model.meanStars)?.value
                    ),
                    explanation: explanation.recommendationJSON(in: language),
                    friendRatings: friends.ratings
                )
            )
        }
        return Page(items: items, totalCount: found.totalCount, range: range)
            .json(updatedAt: model.builtAt)
    }
}

extension TasteNotes.Match {
    fileprivate init(_ own: PersonalTaste, _ theirs: PersonalTaste) {
        let match = TasteMatch(own, theirs)
        favoriteGenres = theirs.favoriteGenres()
        sharedGenres = match.sharedGenres
        score = match.score ?? 0
    }
}

extension TasteRating {
    fileprivate init(_ fact: RatingFact) {
        self.init(personID: fact.personID, filmID: fact.filmID, stars: fact.stars, at: fact.at)
    }

    fileprivate init(_ rating: Rating) {
        self.init(
            personID: rating.personID,
            filmID: rating.filmID,
            stars: rating.stars,
            at: rating.at
        )
    }
}
