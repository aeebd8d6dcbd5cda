import Expectations
import HubTesting
import LoopTesting
import Radar
import Store

@testable import RadarApp

@Suite("Radar service: the position and its reason", .timeLimit(.minutes(10)))
struct RadarPositionTests {
    private static let firstReason =
        #"{"en":"One new opinion for, one new source or author.","#
        + #""nb":"Én ny mening for, én ny kilde eller forfatter."}"#

    @Test func eventHasTheReasonInEachLanguage() async throws {
        try await RadarHub.run { hub in
            let service = try await hub.service([])
            let id = try await service.createRadar().id
            _ = try await service.push("for", to: id)
            let data = try hub.data("radar.position.changed", of: id)
            expectEqual(data.count, 1)
            expect(data[0].contains(#""certainty":"insufficient","probability":0."#))
            expect(data[0].hasSuffix(#","reason":\#(Self.firstReason)}"#))
        }
    }

    @Test func radarAndExplanationHaveTheLastChangeAndItsReason() async throws {
        try await RadarRoutesFixture.run { routes in
            let id = try await routes.service.createRadar().id
            func shown(_ query: String = "") async throws -> String {
                try await routes.send("GET", "/api/radars/\(id)\(query)", by: "1").body
            }
            try await expect(shown().contains(#""position":"neutral","positionChange":null,"#))
            try await expect(shown("?explain=1").contains(#""positionChange":null,"reason":{"#))
            _ = try await routes.service.push("for", to: id)
            let change =
                #""positionChange":{"time":"2026-03-02T10:00:00Z","position":"for","#
                + #""previous":"neutral","reason":\#(Self.firstReason)},"#
            try await expect(shown().contains(#""position":"for",\#(change)"#))
            try await expect(shown("?explain=1").contains(change))
        }
    }

    @Test func standingSurvivesARestart() async throws {
        try await RadarHub.run { hub in
            let first = try await hub.service([])
            let id = try await first.createRadar().id
            for author in ["a", "b"] { _ = try await first.push("for", author: author, to: id) }
            let before = try await hub.row(id).radar()
            expectEqual(before.standing.change?.position, .for)
            let second = try await hub.service([], after: .seconds(60))
            let after = try await second.load(id).radar
            expectEqual(after.standing, before.standing)
            // The day has begun without a position, whichever process derives it.
            let now = RadarHub.start + .seconds(60)
            expectNil(after.previousPosition(now: now))
            _ = try await second.push("for", author: "c", to: id)
            let change = try await require(hub.row(id).radar().standing.change)
            expectEqual(change.time, RadarHub.start)
            try expectEqual(hub.data("radar.position.changed", of: id).count, 1)
        }
    }

    @Test func rowWithoutAStandingGetsOneAndKeepsItsPosition() async throws {
        try await RadarHub.run { hub in
            let id = try await hub.service([]).createRadar().id
            var row = try await hub.row(id)
            row.position = "against"
            row.standing = nil
            try await hub.store.commitRadars([.update(row)])
            let service = try await hub.service([])
            try await expectNil(service.load(id).radar.standing.change)
            _ = try await service.poll(id, isScheduled: false)
            try await expectEqual(hub.row(id).position, "against", "nothing says otherwise")
            _ = try await service.push("for", to: id)
            let read = try await hub.row(id).radar()
            expect(read.standing.json() != nil)
            expectEqual(read.position, .against, "one opinion may be an exception")
        }
    }

    /// In every order, with a derivation after each opinion.
    @Test func orderInWhichOpinionsArriveDoesNotMatter() async throws {
        let opinions = [("a", "for"), ("b", "against"), ("c", "against"), ("d", "neutral")]
        var found: Set<String> = []
        for first in opinions.indices {
            try await RadarHub.run { hub in
                let service = try await hub.service([])
                let id = try await service.createRadar().id
                for (author, stance) in opinions[first...] + opinions[..<first] {
                    _ = try await service.push(stance, author: author, with: author, to: id)
                }
                let radar = try await hub.row(id).radar()
                let derivation = try await service.position(
                    of: radar,
                    SegmentTable(),
                    now: RadarHub.start
                )
                let reason = radar.standing.change?.reason.text(in: "en") ?? "none"
                found.insert("\(radar.position) \(derivation.score) \(reason)")
            }
        }
        expectEqual(found.count, 1, "\(found)")
    }

    /// What the source answers on the next days moves the position, and the event says why.
    @Test func reversalOfASourceIsFoundWithinFourPolls() async throws {
        try await RadarHub.run { hub in
            hub.providers.set(.stance("one"), RadarProviders.stance("for"))
            let id = try await hub.service(asking: "one").createRadar().id
            var positions: [String] = []
            for day in 0..<24 {
                if day == 20 {
                    hub.providers.set(.stance("one"), RadarProviders.stance("against"))
                }
                let service = try await hub.service(asking: "one", after: .seconds(day * 86_400)) {
                    $0.cacheAge = .zero
                }
                try await service.refresh(id)
                positions.append(try await hub.row(id).position)
            }
            expect(positions.prefix(20).allSatisfy { $0 == "for" })
            expectEqual(positions.last, "against", "\(positions)")
            let data = try require(hub.data("radar.position.changed", of: id).last)
            expect(data.contains(#""position":"against","previous":"for","#))
            expect(data.contains(#" new opinions against, one source changed its mind."#))
        }
    }
}
