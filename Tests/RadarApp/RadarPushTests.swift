import Expectations
import HubTesting
import LoopTesting
import Radar

@testable import RadarApp

@Suite("Radars: opinions that are pushed", .timeLimit(.minutes(10)))
struct RadarPushTests {
    private func derivation(_ routes: RadarRoutesFixture, _ id: String) async throws
        -> PositionDerivation
    {
        let (radar, row) = try await routes.service.load(id)
        return try await routes.service.position(
            of: radar,
            row.segments(),
            now: routes.service.clock.now
        )
    }

    @Test func opinionsOfOneKeyAreOneProviderWhateverTheirAuthors() async throws {
        try await RadarRoutesFixture.run { routes in
            let id = try await routes.service.createRadar().id
            for author in ["ada", "ben", "cleo"] {
                _ = try await routes.push(RadarRoutesFixture.opinion(author: author), to: id)
            }
            _ = try await routes.push(
                RadarRoutesFixture.opinion(author: "ada"),
                to: id,
                key: RadarRoutesFixture.otherKey
            )
            let providers = try await derivation(routes, id).providers
            expectEqual(providers.map(\.provider), ["key:1", "key:2"])
            expectEqual(providers.map(\.opinions), [3, 1])
            let text = try await routes.send("GET", "/api/radars/\(id)?explain=1", by: "1").body
            expect(!text.contains(RadarRoutesFixture.apiKey))
        }
    }

    @Test func keyKeepsItsNumberAcrossARestart() async throws {
        try await RadarHub.run { hub in
            let first = try await hub.service([])
            let id = try await first.createRadar().id
            let one = try await first.push("for", with: "one", to: id)
            let other = try await first.push("for", with: "other", to: id)
            let again = try await hub.service([]).push("for", with: "one", to: id)
            expectEqual(one.provider, again.provider)
            expect(one.provider != other.provider)
            try await expectEqual(hub.opinions(id).map(\.pushedBy).sorted(), [1, 1, 2])
        }
    }

    @Test func opinionsThatWerePushedBeforeKeysWereStoredAreOneProvider() async throws {
        try await RadarRoutesFixture.run { routes in
            let id = try await routes.service.createRadar().id
            let rows = ["ada", "ben"].map { author in
                var row = opinion(author, of: id)
                row.createdAt = RadarHub.start
                row.provider = author
                return row
            }
            try await routes.hub.store.commitRadars(rows.map { .opinion($0) })
            let providers = try await derivation(routes, id).providers
            expectEqual(providers.map(\.provider), ["key:unknown"])
            expectEqual(providers.map(\.opinions), [2])
        }
    }

    @Test func floodOfOneKeyDisplacesNeitherSourcesNorOtherKeys() async throws {
        try await RadarRoutesFixture.run { routes in
            let id = try await routes.service.createRadar().id
            func row(_ name: String, source: String? = nil, by key: Int = 0) -> OpinionRow {
                var row = opinion(name, of: id, stance: -1, source: source, pushedBy: key)
                row.provider = source ?? ""
                row.createdAt = RadarHub.start - .seconds(key == 1 ? 0 : 3600)
                return row
            }
            let flood = (0..<2000).map { row("flood \($0)", by: 1) }
            let others = [row("a", source: "claude"), row("b", source: "gpt"), row("c", by: 2)]
            try await routes.hub.store.commitRadars((flood + others).map { .opinion($0) })
            let counts = Dictionary(
                uniqueKeysWithValues: try await derivation(routes, id).providers.map {
                    ($0.provider, $0.opinions)
                }
            )
            let each = RadarLimits.positionPushedMax / 2
            expectEqual(counts, ["claude": 1, "gpt": 1, "key:1": each, "key:2": 1])
        }
    }

    @Test func keyHasARateForEachRadar() async throws {
        try await RadarRoutesFixture.run({ $0.pushesPerMinute = 2 }) { routes in
            let id = try await routes.service.createRadar().id
            let body = RadarRoutesFixture.opinion()
            var statuses: [Int] = []
            for _ in 0..<5 {
                let answer = try await routes.push(body, to: id)
                statuses.append(answer.status)
                if answer.status == 429 {
                    expectEqual(answer.code, "RATE_LIMITED")
                    expect(answer.headers.first("Retry-After") != nil)
                }
            }
            // The minute may end between two of them.
            expectEqual(statuses.prefix(2), [201, 201])
            expect(statuses.contains(429))
            let other = try await routes.service.createRadar("tea").id
            try await expectEqual(routes.push(body, to: other).status, 201)
            let key = RadarRoutesFixture.otherKey
            try await expectEqual(routes.push(body, to: id, key: key).status, 201)
        }
    }
}
