import Activity
import Expectations
import HubTesting
import LoopTesting
import Store
import StoreTesting

@testable import ActivityApp

@Suite("The film app: commits that are not answered", .timeLimit(.minutes(10)))
struct FilmUnansweredCommitTests {
    private struct End: Equatable {
        var announced: AnnouncedTexts
        var stored: AnnouncedTexts
        var ratings: [String?]
        var feed: Int
    }

    private func type(_ publication: Publication) -> String? { publication.tags[ActivityTag.type] }

    @Test func friendsReceiveEachActOnce() async throws {
        try await expectSameEndWithUnansweredCommits { run in
            var end: End?
            try await FilmAppHub.run(people: 3, films: 2, commits: run.commits) { hub in
                try await hub.befriend(1, 2...3)
                run.begin()
                for film in 1...2 {
                    try await run.attempt { try await hub.rate(film, film + 2, by: 1) }
                }
                try await run.attempt { try await hub.rate(1, 5, by: 2) }
                try await run.attempt { try await hub.service.unrate(2, by: 1) }
                try await run.attempt { try await hub.carryOutChores() }
                let (ratings, feed) = try await hub.store.readActivity { tables in
                    (
                        try [(1, 1), (2, 1), (1, 2)].map { film, person in
                            try tables.rating(of: film, by: person).map { "\($0.stars)" }
                        },
                        try tables.feed(of: 3, range: PageRange(limit: 9)).totalCount
                    )
                }
                end = End(
                    announced: AnnouncedTexts(hub.publications.withLock { $0 }, type),
                    stored: AnnouncedTexts(try await hub.store.storedPublications(), type),
                    ratings: ratings,
                    feed: feed
                )
            }
            let found = try require(end)
            let announced = Set(found.announced.texts)
            expect(
                announced.isSuperset(of: found.stored.texts),
                "the rating that was withdrawn is erased"
            )
            return found
        }
    }
}
