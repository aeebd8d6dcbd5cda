import Activity
import Expectations
import Store
import StoreTesting

@testable import ActivityApp

@Suite("Watchlist and watching", .timeLimit(.minutes(10)))
struct WatchStateTests {
    private func withFilms(
        _ body: @escaping @Sendable (ActivityTables) throws -> Void
    ) async throws {
        try await withFilmStore { store in
            try await store.act { tables throws in
                try tables.insertPeople(2)
                try tables.insertFilms("A", "B", "C")
                try body(tables)
            }
        }
    }

    @Test func watchlistIsNewestFirstAndHasAFilmOnce() async throws {
        try await withFilms { tables throws in
            for (film, time) in [(2, 1), (1, 3), (3, 2)] {
                let at = startOfTests + .seconds(time)
                try expectEqual(tables.addToWatchlist(film, of: 1, at: at), .added)
                try expectEqual(tables.addToWatchlist(film, of: 1, at: at), .alreadyThere)
            }
            let page = try tables.watchlist(of: 1, range: PageRange(limit: 2))
            expectEqual(page.items.map(\.film.film.id), [1, 3])
            expectEqual(page.items.map(\.addedAt), [3, 2].map { startOfTests + .seconds($0) })
            expectEqual(page.items.map(\.film.inWatchlist), [true, true])
            expectEqual(page.totalCount, 3)
            try expect(tables.watchlist(of: 2, range: everything).items.isEmpty)
            try expect(tables.removeFromWatchlist(1, of: 1))
            try expect(!tables.removeFromWatchlist(1, of: 1))
            try expectEqual(tables.watchlist(of: 1, range: everything).totalCount, 2)
        }
    }

    @Test func watchlistHasALimitAndKnownFilmsOnly() async throws {
        try await withFilms { tables throws in
            func add(_ film: Int, by person: Int = 1) throws -> WatchlistOutcome {
                try tables.addToWatchlist(film, of: person, at: startOfTests, lengthMax: 2)
            }
            try expectEqual(
                [1, 2, 3, 2].map { try add($0) },
                [.added, .added, .full, .alreadyThere]
            )
            try expectEqual(add(9), .noSuchFilm)
            try expectEqual(add(1, by: 9), .noSuchFilm)
            try expectEqual(tables.watchlist(of: 1, range: everything).items.count, 2)
        }
    }

    @Test func watchEventReplacesTheOneBefore() async throws {
        try await withFilms { tables throws in
            let first = try tables.setWatch(
                .started,
                of: 1,
                by: 1,
                progressPercent: 25,
                at: startOfTests
            )
            let started = WatchState(
                filmID: 1,
                status: .started,
                progressPercent: 25,
                at: startOfTests
            )
            expectEqual(first, .written(started, replaced: nil))
            let later = startOfTests + .seconds(9)
            let second = try tables.setWatch(.completed, of: 1, by: 1, at: later)
            var completed = started
            completed.status = .completed
            completed.at = later
            expectEqual(second, .written(completed, replaced: started))
            try expectEqual(tables.watchState(of: 1, by: 1), completed)
            try expectNil(tables.watchState(of: 1, by: 2))
            try expectEqual(tables.setWatch(.started, of: 9, by: 1, at: later), .noSuchFilm)
            try expectEqual(tables.setWatch(.started, of: 1, by: 9, at: later), .noSuchFilm)
            _ = try tables.setWatch(.started, of: 1, by: 1, at: later)
            _ = try tables.setWatch(.completed, of: 1, by: 1, at: later)
            try expectEqual(tables.profile(of: 1, for: 1)?.watchedCount, 1, "one film, twice")
        }
    }
}
