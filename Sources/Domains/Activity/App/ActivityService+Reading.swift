import Activity
import DomainKit

/// The reads of the app. Every answer is made of one snapshot of the store, and of values computed
/// next to it.
extension ActivityService {
    /// Friends shown with a film.
    private static let friendsShown = 3
    /// Genres that stand for a taste.
    private static let genresShown = 3

    // MARK: Films

    package func film(_ id: Int, for personID: Int) async throws -> [UInt8] {
        try await store.readActivity { [taste, clock] tables in
            guard let film = try tables.filmView(id, for: personID) else {
                throw ActivityError.movieNotFound(id)
            }
            let scores = try taste.scores(of: [film.film], for: personID, now: clock.now, tables)
            return film.json(scores: scores[id] ?? .unknown)
        }
    }

    package func search(_ query: SearchQuery, for personID: Int) async throws -> [UInt8] {
        try await store.readActivity { [taste, clock] tables in
            let found = try tables.films(query, for: personID)
            let films = found.items.map(\.film)
            return found.json(
                scores: try taste.scores(of: films, for: personID, now: clock.now, tables)
            )
        }
    }

    package func watchlist(of personID: Int, _ range: PageRange) async throws -> [UInt8] {
        try await store.readActivity { [taste, clock] tables in
            let list = try tables.watchlist(of: personID, range: range)
            let films = list.items.map(\.film.film)
            return list.json(
                scores: try taste.scores(of: films, for: personID, now: clock.now, tables)
            )
        }
    }

    package func reviews(of filmID: Int, for personID: Int, _ range: PageRange) async throws
        -> [UInt8]
    {
        try await store.readActivity { tables in
            guard let reviews = try tables.reviews(of: filmID, for: personID, range: range) else {
                throw ActivityError.movieNotFound(filmID)
            }
            return reviews.json()
        }
    }

    package func explanation(
        of filmID: Int,
        for personID: Int,
        in language: FilmLanguage
    ) async throws -> [UInt8] {
        try await store.readActivity { [taste, clock] tables in
            guard let film = try tables.film(filmID) else {
                throw ActivityError.movieNotFound(filmID)
            }
            return try taste.explanation(
                of: film,
                for: personID,
                in: language,
                now: clock.now,
                tables
            )
        }
    }

    package func recommendations(
        for personID: Int,
        in language: FilmLanguage,
        _ range: PageRange
    ) async throws -> [UInt8] {
        try await store.readActivity { [taste, clock] tables in
            try taste.recommendations(
                for: personID,
                in: language,
                range,
                now: clock.now,
                tables
            )
        }
    }

    // MARK: The feed

    package func activities(of personID: Int, _ query: ActivityQuery) async throws -> [UInt8] {
        try await store.readActivity { tables in
            let removals = try tables.removalCount(of: personID)
            return switch query.part {
            case .page(let range):
                try tables.feed(of: personID, type: query.type, range: range)
                    .json(removals: removals)
            case .since(let id, let limit):
                try tables.catchUp(of: personID, type: query.type, since: id, limit: limit)
                    .json(removals: removals)
            }
        }
    }

    // MARK: People

    package func friends(of personID: Int, _ range: PageRange) async throws -> [UInt8] {
        try await store.readActivity { [taste] tables in
            var friends = try tables.friends(of: personID, range: range)
            for index in friends.items.indices {
                let id = friends.items[index].person.id
                friends.items[index].favoriteGenres = try taste.favoriteGenres(of: id, tables)
            }
            let suggestionsMax = ActivityLimits.pageLengthDefault
            var suggestions = try tables.suggestions(
                for: personID,
                range: PageRange(limit: suggestionsMax)
            ).items
            try taste.compare(personID, with: &suggestions, tables)
            suggestions += try taste.tasteSuggestions(
                for: personID,
                beside: suggestions,
                limit: suggestionsMax - suggestions.count,
                tables
            )
            return friends.json(suggestions: suggestions)
        }
    }

    package func blockedPeople(by personID: Int, _ range: PageRange) async throws -> [UInt8] {
        try await store.readActivity { tables in
            try tables.blockedPeople(by: personID, range: range).json(suggestions: [])
        }
    }

    package func friendRequests(
        of personID: Int,
        _ direction: RequestDirection,
        _ range: PageRange
    ) async throws -> [UInt8] {
        try await store.readActivity { tables in
            try tables.friendRequests(of: personID, direction, range: range).json()
        }
    }

    package func profile(of personID: Int, for viewerID: Int) async throws -> [UInt8] {
        try await store.readActivity { [taste] tables in
            guard var profile = try tables.profile(of: personID, for: viewerID) else {
                throw ActivityError.userNotFound(personID)
            }
            // One's own ratings count at once.
            profile.favoriteGenres =
                personID == viewerID
                ? taste.favoriteGenres(try tables.ratings(by: personID))
                : try taste.favoriteGenres(of: personID, tables)
            guard personID == viewerID else { return profile.json() }
            profile.suggestsByTaste = try tables.suggestsByTaste(personID)
            return profile.ownJSON()
        }
    }

    /// Notes that a person is active.
    ///
    /// - Throws: `ActivityError` for an account that was deleted while its token is still good.
    package func touch(_ personID: Int) async throws {
        let now = clock.now
        let lastActive = try await store.readActivity { tables in
            guard let person = try tables.person(personID) else {
                throw ActivityError.authenticationRequired(.invalid)
            }
            return person.lastActiveAt
        }
        guard lastActive.map({ now - $0 >= .seconds(60) }) ?? true else { return }
        try await store.commitActivity { tables in
            try tables.touch(personID, at: now)
            return (Change(), ())
        }
    }
}
