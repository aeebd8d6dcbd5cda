import Activity
import Expectations
import Foundation
import Store
import StoreTesting

@testable import ActivityApp

/// Every statement that the film app's tables are asked with is run here, and its plan looked at.
@Suite("Query plans of the film app", .needsFile, .timeLimit(.minutes(10)))
struct ActivityPlanTests {
    /// What may be read from one end to the other, and why.
    private static let scanned = [
        "SCAN CONSTANT ROW": "no table",
        "SCAN film_text VIRTUAL TABLE": "the index of words; its number says that there is a match",
        "SCAN film_prose VIRTUAL TABLE": "the same",
        "SCAN film USING COVERING INDEX": "counts films, or reads them in an order, up to the page",
        "SCAN film USING INDEX film_by_score": "the same",
        "SCAN found": "films that are found",
        "SCAN person USING COVERING INDEX": "counts people",
        "SCAN genre": "all genres are asked for",
        "SCAN own": "some friends, at most friendsReadMax",
        "SCAN candidate": "friends of these friends",
        "SCAN rater": "some people who have rated a film, at most ratersMax",
        "SCAN known": "the same",
        "SCAN new_like": "likes, as far as they are counted",
        "SCAN request": "requests, as far as they are counted",
        "SCAN actor": "people of whom something is told; few at a time",
        "SCAN activity_fanout": "what waits to be told; empty most of the time",
        "SEARCH": "no scan",
    ]

    private static let all = FilmFilterSQL(genreCount: 0, hasYears: false, source: .order)
    private static let frequentGenre = FilmFilterSQL(genreCount: 1, hasYears: false, source: .order)
    private static let someYears = FilmFilterSQL(genreCount: 0, hasYears: true, source: .years)

    /// Filters read what they name, and not all films.
    @Test(arguments: FilmSort.allCases)
    func filteredFilmsAreFoundByTheirFilter(sort: FilmSort) async throws {
        let rare = FilmFilterSQL(genreCount: 2, hasYears: true, source: .genre)
        try await withFilmStore { store in
            try await store.act { tables throws in
                let byYears = try tables.session.plan(
                    of: ActivitySQL.browseFilms(Self.someYears, sort)
                )
                expect(byYears.contains { $0.hasPrefix("SEARCH film USING") }, "\(byYears)")
                let byGenre = try tables.session.plan(of: ActivitySQL.browseFilms(rare, sort))
                expect(
                    byGenre.contains {
                        $0.hasPrefix("SEARCH listed USING COVERING INDEX film_genre_by_genre")
                    },
                    "\(byGenre)"
                )
            }
        }
    }

    @Test func rowsAreFoundByIndex() async throws {
        let statements = try await tracedStatements()
        expect(statements.count >= (try namedStatementCount()), "some statement was not run")
        try await withFilmStore { store in
            try await store.act { tables throws in
                for sql in statements {
                    for step in try tables.session.plan(of: sql) where step.hasPrefix("SCAN") {
                        let isAllowed = Self.scanned.keys.contains { step.hasPrefix($0) }
                        expect(isAllowed, "\(step) in: \(sql)")
                    }
                }
            }
        }
    }

    /// Pages of lists are read in the order of their index and not sorted.
    @Test(arguments: [
        ActivitySQL.selectReviews, ActivitySQL.selectWatchlist, ActivitySQL.selectFriends,
        ActivitySQL.selectRequestsFrom, ActivitySQL.selectRequestsTo, ActivitySQL.selectFriendIDs,
        ActivitySQL.selectRatingPage, ActivitySQL.selectFilmPage, ActivitySQL.selectBefore,
        ActivitySQL.selectBeforeOfType, ActivitySQL.selectAfter, ActivitySQL.selectAfterOfType,
        ActivitySQL.selectRatingsOfPerson, ActivitySQL.selectWords,
        ActivitySQL.selectNewestOfAll, ActivitySQL.selectOldestOfAll,
        ActivitySQL.exportRatings, ActivitySQL.exportLikes, ActivitySQL.exportWatched,
        ActivitySQL.exportWatchlist, ActivitySQL.exportFriends, ActivitySQL.exportRequestsSent,
        ActivitySQL.exportRequestsReceived, ActivitySQL.exportBlocks, ActivitySQL.exportActivities,
        ActivitySQL.browseFilms(ActivityPlanTests.all, .popularity),
        ActivitySQL.browseFilms(ActivityPlanTests.all, .rating),
        ActivitySQL.browseFilms(ActivityPlanTests.all, .year),
        ActivitySQL.browseFilms(ActivityPlanTests.all, .title),
        ActivitySQL.browseFilms(ActivityPlanTests.frequentGenre, .rating),
        ActivitySQL.browseFilms(ActivityPlanTests.someYears, .year),
    ])
    func pagesAreNotSorted(_ sql: String) async throws {
        try await withFilmStore { store in
            try await store.act { tables throws in
                let steps = try tables.session.plan(of: sql)
                expect(!steps.isEmpty)
                expect(!steps.contains { $0.contains("TEMP B-TREE") }, "\(steps)")
            }
        }
    }

    /// Somebody who acts faster than very many friends can be told must not make each page slower.
    @Test func nextFanOutIsFoundWithoutGoingThroughAllThatWait() async throws {
        try await withFilmStore { store in
            try await store.act { tables throws in
                try tables.insertPeople(3)
                try tables.makeFriends(1, 2)
                try tables.makeFriends(1, 3)
                for id in 1...2000 {
                    try tables.startFanOut(.created, of: id, by: 1, payload: [], at: startOfTests)
                }
                try expectEqual(tables.takeFanOutPage(limit: 1)?.friendIDs, [2])
                let (next, steps) = try tables.session.steps(in: [ActivitySQL.selectFanOut]) {
                    try tables.row(ActivitySQL.selectFanOut, []).map { try $0[1] as Int }
                }
                expectEqual(next, 1)
                expect(steps < 1000, "2,000 wait")
            }
        }
    }

    @Test(arguments: [
        ActivitySQL.selectNewestHeads, ActivitySQL.selectOldestHeads,
        ActivitySQL.selectNewestHeadsOfType, ActivitySQL.selectOldestHeadsOfType,
        ActivitySQL.selectDeepFeed, ActivitySQL.selectDeepFeedOfType, ActivitySQL.countFeedSince,
        ActivitySQL.countFeedOfTypeSince,
    ])
    func feedReadsActivitiesByTheirActorAndNoRowOfThem(_ sql: String) async throws {
        try await withFilmStore { store in
            try await store.act { tables throws in
                let steps = try tables.session.plan(of: sql).filter {
                    $0.contains(" activity ")
                }
                expectEqual(steps.count, 1)
                let step = try require(steps.first)
                expect(step.hasPrefix("SEARCH activity USING COVERING INDEX activity_by_"))
                expect(step.contains("(person_id=?"))
                if sql.contains("id > ?") { expect(step.contains("rowid>?"), "\(step)") }
            }
        }
    }

    // MARK: Statements

    /// In the files of statements, without those that are parts of others.
    private func namedStatementCount() throws -> Int {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../Sources/Domains/Activity/App/Tables")
        let files = try FileManager.default.contentsOfDirectory(
            at: folder,
            includingPropertiesForKeys: nil
        ).filter { $0.lastPathComponent.hasPrefix("ActivitySQL") }
        expectEqual(files.count, 8)
        let lines = try files.flatMap { file in
            try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        }
        return lines.count {
            $0.hasPrefix("    static let ") || $0.hasPrefix("    static func ")
        }
    }

    private func tracedStatements() async throws -> Set<String> {
        let traced = Locked<Set<String>>([])
        try await withFilmStore { store in
            try await store.act { tables throws in
                tables.session.trace { sql in
                    // FTS5 keeps its index in tables of its own, which it reads by statements of its own.
                    guard !sql.contains("film_text_"), !sql.contains("film_prose_"),
                        !sql.hasPrefix("--")
                    else { return }
                    traced.withLock { _ = $0.insert(sql) }
                }
                defer { tables.session.endTrace() }
                try fill(tables)
                try read(tables)
                try remove(tables)
            }
        }
        return traced.withLock { $0 }
    }

    private func fill(_ tables: ActivityTables) throws {
        try tables.insertPeople(9)
        for id in 1...3 {
            let genres = id == 3 ? ["Drama", "War"] : ["Drama"]
            try tables.put(Film(id: id, title: "Film number \(id)", genres: genres, tmdbID: id))
        }
        try tables.put(Film(id: 1, title: "Renamed", genres: ["War"]))
        try tables.setKey("k:1", of: 1)
        for friend in [2, 3] { try tables.makeFriends(1, friend) }
        try tables.makeFriends(2, 4)
        _ = try tables.requestFriend(5, by: 1, at: startOfTests)
        _ = try tables.requestFriend(6, by: 1, at: startOfTests)
        _ = try tables.acceptRequest(2, by: 6, at: startOfTests)
        for person in 1...4 {
            let rating = try tables.rate(1, by: person, stars: person, review: "r")!
            _ = try tables.rate(1, by: person, stars: person)
            _ = try tables.rate(1, by: person, stars: person, review: "r")
            _ = try tables.like(review: rating.id, of: 1, by: 5, at: startOfTests)
            _ = try tables.unlike(review: rating.id, of: 1, by: 5)
            _ = try tables.addToWatchlist(1, of: person, at: startOfTests)
            _ = try tables.addNotInterested(1, of: person, at: startOfTests)
            try tables.setSuggestsByTaste(true, of: person)
            _ = try tables.setWatch(.completed, of: 1, by: person, at: startOfTests)
            _ = try tables.note(.review, of: 1, by: person)
            _ = try tables.note(.review, of: 1, by: person)
        }
        try tables.startFanOut(.created, of: 1, by: 1, payload: [], at: startOfTests)
    }

    private func read(_ tables: ActivityTables) throws {
        _ = try tables.film(tmdbID: 1)
        _ = try tables.filmID(key: "k:1")
        _ = try tables.filmView(1, for: 1)
        _ = try tables.films(after: 0, limit: 9)
        _ = try tables.filmCount()
        _ = try tables.genres()
        _ = try tables.searchFilms("fiml", genres: ["drama", "war"], range: everything, for: 1)
        _ = try tables.searchFilms("film", years: 1900...2000, range: everything, for: 1)
        for sort in FilmSort.allCases {
            _ = try tables.searchFilms("film", sort: sort, range: everything, for: 1)
            for genres in [[], ["war"], ["drama", "war"]] {
                for years in [nil, 1900...2000] {
                    let range = everything
                    _ = try tables.browseFilms(
                        genres: genres,
                        years: years,
                        sort: sort,
                        range: range,
                        for: 1
                    )
                }
            }
        }
        _ = try tables.indexTexts(after: 0, limit: 9)
        for section in ActivityTables.exportSections {
            _ = try tables.export(section, of: 1, after: 0, limit: 9)
        }
        _ = try tables.unread(of: 1, since: UnreadCursor())
        try readPeople(tables)
        try readFeed(tables)
    }

    private func readPeople(_ tables: ActivityTables) throws {
        _ = try tables.person(1)
        _ = try tables.personCount()
        _ = try tables.update(Person(id: 1, name: "Kari", createdAt: startOfTests))
        _ = try tables.touch(1, at: startOfTests)
        _ = try tables.profile(of: 1, for: 2)
        _ = try tables.areUnblocked(1, 2)
        _ = try tables.friends(of: 1, range: everything)
        _ = try tables.friendIDs(of: 1, limit: 9)
        _ = try tables.suggestions(for: 1, range: everything)
        _ = try tables.tasteCandidates(for: 4)
        _ = try tables.notInterestedFilmIDs(of: 1)
        for direction in RequestDirection.allCases {
            _ = try tables.friendRequests(of: 1, direction, range: everything)
        }
        _ = try tables.ratings(by: 1)
        _ = try tables.ratingTotals(of: 1)
        _ = try tables.ratings(after: 0, limit: 9)
        _ = try tables.reviews(of: 1, for: 1, range: everything)
        // Fewer friends than ratings, and more.
        _ = try tables.friendSignals(of: 1, for: 4, latest: 9)
        _ = try tables.friendSignals(of: 2, for: 1, latest: 9)
        _ = try tables.watchlist(of: 1, range: everything)
        _ = try tables.watchState(of: 1, by: 1)
    }

    private func readFeed(_ tables: ActivityTables) throws {
        _ = try tables.newestActivityID()
        for type in [nil, ActivityType.review] {
            _ = try tables.feed(of: 1, type: type, range: PageRange(limit: 9))
            let range = PageRange(limit: 9)
            _ = try tables.deepFeed(of: 1, type: type, range: range)
            _ = try tables.walkedFeed(of: 1, type: type, range: range, count: 9, reach: 9)
            _ = try tables.walkedCount(of: 1, type: type, since: 0, reach: 99)
            _ = try tables.walkedCatchUp(
                of: 1,
                type: type,
                since: 0,
                limit: 9,
                count: 9,
                reach: 9
            )
            _ = try tables.catchUp(of: 1, type: type, since: 0, limit: 9)
            _ = try tables.catchUp(of: 1, type: type, since: 1, limit: 9)
        }
        _ = try tables.isFanningOut(1)
        _ = try tables.fanOutState()
    }

    private func remove(_ tables: ActivityTables) throws {
        _ = try tables.takeFanOutPage(limit: 1)
        while try tables.takeFanOutPage() != nil {}
        _ = try tables.deleteRating(of: 1, by: 2)
        _ = try tables.removeFromWatchlist(1, of: 2)
        _ = try tables.removeNotInterested(1, of: 2)
        _ = try tables.declineRequest(1, by: 5)
        if case .sent(let id) = try tables.requestFriend(8, by: 1, at: startOfTests) {
            _ = try tables.withdrawRequest(id, by: 1)
        }
        _ = try tables.block(3, by: 1, at: startOfTests)
        _ = try tables.unblock(3, by: 1)
        _ = try tables.requestFriend(7, by: 4, at: startOfTests)
        let rating = try tables.rate(1, by: 3, stars: 1, review: "x")!
        _ = try tables.like(review: rating.id, of: 1, by: 4, at: startOfTests)
        _ = try tables.deletePerson(4, at: startOfTests)
        while try tables.purgeDeletedPeople() != nil {}
    }
}
