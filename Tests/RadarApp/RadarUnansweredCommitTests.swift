import Expectations
import HubTesting
import Radar
import Store
import StoreTesting

@testable import RadarApp

@Suite("Radars: commits that are not answered", .timeLimit(.minutes(10)))
struct RadarUnansweredCommitTests {
    private struct End: Equatable {
        var announced: [String]
        var stored: [String]
        var opinions: [String]
        var positions: [Int]
    }

    /// The type and the offset, since the names of topics contain random ids.
    private func text(_ publication: Publication) -> String {
        "\(publication.topic.namespace) \(publication.offset) \(eventType(publication) ?? "")"
    }

    @Test func opinionsCountOnceAndPositionsFollowTheStore() async throws {
        try await expectSameEndWithUnansweredCommits { run in
            var end: End?
            try await RadarHub.run(commits: run.commits) { hub in
                let service = try await hub.service([])
                run.begin()
                let id = try await run.attempt { try await service.createRadar().id }
                for (index, stance) in ["for", "against", "for"].enumerated() {
                    _ = try await run.attempt {
                        try await service.push(stance, author: "\(index)", with: "\(index)", to: id)
                    }
                }
                let (radar, row) = try await service.load(id)
                end = End(
                    // Those of the app's sockets are not stored.
                    announced: hub.publications.withLock { $0.filter { $0.offset > 0 }.map(text) },
                    stored: try await hub.store.storedPublications().map(text),
                    opinions: try await hub.opinions(id).map { "\($0.author)" }.sorted(),
                    positions: try await service.position(
                        of: radar,
                        row.segments(),
                        now: service.clock.now
                    ).providers.map(\.opinions)
                )
            }
            let found = try require(end)
            expectEqual(found.announced, found.stored)
            expectEqual(found.opinions, ["0", "1", "2"])
            return found
        }
    }
}
