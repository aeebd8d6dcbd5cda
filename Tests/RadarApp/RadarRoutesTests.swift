import Expectations
import Foundation
import HubTesting
import LoopTesting
import Radar
import Wire

@testable import RadarApp

@Suite("Radar routes: answers", .timeLimit(.minutes(10)))
struct RadarRoutesTests {
    private static let radarKeys = [
        "id", "userId", "topic", "interpretation", "position", "positionChange", "opinions",
        "lastPolledAt", "refreshCount", "lastPoll", "createdAt", "updatedAt", "isPublic",
        "socketToken",
    ]

    // MARK: Radars

    @Test func radarIsMade() async throws {
        try await RadarRoutesFixture.run { routes in
            let body = #"{"topic":"  four-day working week ","unknown":1}"#
            let answer = try await routes.send("POST", "/api/radars", by: "7", body: body)
            expectEqual(answer.status, 201)
            try expectEqual(jsonKeys(answer.body), Self.radarKeys)
            expectEqual(text("userId", in: answer.body), "7")
            expectEqual(text("topic", in: answer.body), "four-day working week")
            expectEqual(text("createdAt", in: answer.body), "2026-03-02T10:00:00Z")
            expectEqual(text("lastPolledAt", in: answer.body), "2026-03-02T10:00:00Z")
            expect(answer.body.contains(#""isPublic":false,"socketToken":"rst_"#))
            expectEqual(answer.headers.first("Cache-Control"), "no-store")
            expectEqual(answer.headers.first("Content-Type"), "application/json; charset=utf-8")
            let id = try require(text("id", in: answer.body))
            expectEqual(routes.service.directory[id]?.owner, "7")
        }
    }

    @Test func radarIsMadePublicAtOnceWhenAsked() async throws {
        try await RadarRoutesFixture.run { routes in
            let body = #"{"topic":"tea","isPublic":true}"#
            let answer = try await routes.send("POST", "/api/radars", by: "7", body: body)
            expect(answer.body.hasSuffix(#""isPublic":true,"socketToken":null}"#))
        }
    }

    @Test func radarIsShownWithItsNewestOpinions() async throws {
        try await RadarRoutesFixture.run { routes in
            let id = try await routes.service.createRadar().id
            for number in 0..<21 {
                _ = try await routes.service.push("for", author: "a\(number)", to: id)
            }
            let answer = try await routes.send("GET", "/api/radars/\(id)", by: "1")
            expectEqual(answer.status, 200)
            try expectEqual(jsonKeys(answer.body), Self.radarKeys)
            expectEqual(answer.body.components(separatedBy: #""author":"#).count - 1, 20)
            let head = try await routes.send("HEAD", "/api/radars/\(id)", by: "1")
            expectEqual(head.status, 200)
        }
    }

    @Test func radarsAreListedInPages() async throws {
        try await RadarRoutesFixture.run { routes in
            var ids: [String] = []
            for number in 0..<21 {
                ids.append(try await routes.service.createRadar("topic \(number)", by: "1").id)
            }
            _ = try await routes.service.createRadar(by: "2")
            // The newest first, and of one millisecond the greater id.
            ids.sort(by: >)
            for (query, range) in [
                ("", 0..<20), ("?limit=1", 0..<1), ("?limit=100", 0..<21), ("?offset=20", 20..<21),
                ("?limit=2&offset=1", 1..<3), ("?offset=21", 0..<0), ("?offset=1000000", 0..<0),
            ] {
                let answer = try await routes.send("GET", "/api/radars\(query)", by: "1")
                expectEqual(answer.status, 200)
                let listed = try jsonElements(answer.body).compactMap { text("id", in: $0) }
                expectEqual(listed, Array(ids[range]), "\(query)")
            }
            let none = try await routes.send("GET", "/api/radars", by: "3")
            expectEqual(none.body, "[]")
        }
    }

    @Test(arguments: [
        "limit=0", "limit=201", "limit=-1", "limit=", "limit=1.5", "limit=ten", "offset=-1",
        "offset=1000001", "limit=99999999999999999999",
    ])
    func pageOutOfBoundsIsRefused(query: String) async throws {
        try await RadarRoutesFixture.run { routes in
            let id = try await routes.service.createRadar().id
            for target in ["/api/radars", "/api/radars/\(id)/opinions"] {
                let answer = try await routes.send("GET", "\(target)?\(query)", by: "1")
                expectEqual(answer.status, 400)
                expectEqual(answer.code, "INVALID_REQUEST")
                let (name, value) = (query.split(separator: "="), "expected a whole number")
                expectEqual(answer.message?.hasPrefix("\(name[0]) is "), true)
                expect(answer.body.contains(value))
            }
        }
    }

    @Test func radarIsChanged() async throws {
        try await RadarRoutesFixture.run { routes in
            let target = "/api/radars/\(try await routes.service.createRadar().id)"
            for (body, isPublic) in [
                (#"{"isPublic":true}"#, true), ("{}", true), (#"{"isPublic":false}"#, false),
            ] {
                let answer = try await routes.send("PATCH", target, by: "1", body: body)
                expectEqual(answer.status, 200)
                expect(answer.body.contains(#""isPublic":\#(isPublic),"#))
            }
        }
    }

    @Test func radarIsDeleted() async throws {
        try await RadarRoutesFixture.run { routes in
            let target = "/api/radars/\(try await routes.service.createRadar().id)"
            let answer = try await routes.send("DELETE", target, by: "1")
            expectEqual(answer.status, 200)
            expectEqual(answer.body, "{}")
            for method in ["GET", "DELETE"] {
                let gone = try await routes.send(method, target, by: "1")
                expectEqual(gone.status, 404)
                expectEqual(gone.code, "RADAR_NOT_FOUND")
            }
        }
    }

    // MARK: Opinions and trends

    @Test func opinionIsPushed() async throws {
        try await RadarRoutesFixture.run { routes in
            let id = try await routes.service.createRadar().id
            let answer = try await routes.push(RadarRoutesFixture.opinion(), to: id)
            expectEqual(answer.status, 201)
            try expectEqual(
                jsonKeys(answer.body),
                [
                    "id", "radarId", "author", "model", "content", "stance", "confidence",
                    "reasoning", "createdAt",
                ]
            )
            expect(answer.body.contains(#""reasoning":null"#))
            let list = try await routes.send("GET", "/api/radars/\(id)/opinions", by: "1")
            expectEqual(list.body, "[\(answer.body)]")
        }
    }

    @Test func opinionsAreListedInPages() async throws {
        try await RadarRoutesFixture.run { routes in
            let id = try await routes.service.createRadar(isPublic: true).id
            for number in 0..<51 {
                _ = try await routes.service.push("for", author: "a\(number)", to: id)
            }
            for (query, count) in [
                ("", 50), ("?limit=100", 51), ("?limit=1", 1), ("?offset=50", 1),
            ] {
                let answer = try await routes.send("GET", "/api/radars/\(id)/opinions\(query)")
                try expectEqual(jsonElements(answer.body).count, count, "\(query)")
            }
        }
    }

    @Test func trendHasTheDaysThatWereAskedFor() async throws {
        try await RadarRoutesFixture.run { routes in
            let id = try await routes.service.createRadar().id
            _ = try await routes.service.push("against", to: id)
            for (query, days) in [("", 7), ("?days=1", 1), ("?days=365", 365)] {
                let target = "/api/radars/\(id)/trends\(query)"
                let answer = try await routes.send("GET", target, by: "1")
                expectEqual(answer.status, 200)
                try expectEqual(jsonKeys(answer.body), ["id", "radarId", "data", "slope"])
                let points = answer.body.components(separatedBy: #""date":"#).count - 1
                expectEqual(points, days)
                expect(answer.body.contains(#""againstCount":1"#))
            }
            for days in ["0", "366", "", "x", "-7"] {
                let target = "/api/radars/\(id)/trends?days=\(days)"
                let answer = try await routes.send("GET", target, by: "1")
                expectEqual(answer.status, 400)
                expectEqual(answer.code, "INVALID_REQUEST")
            }
        }
    }

    @Test func explanationHasTheNumbersBehindThePosition() async throws {
        try await RadarRoutesFixture.run { routes in
            let id = try await routes.service.createRadar().id
            for author in ["a", "b", "c", "d"] {
                _ = try await routes.service.push("for", author: author, to: id)
            }
            let answer = try await routes.send("GET", "/api/radars/\(id)?explain=1", by: "1")
            expectEqual(answer.status, 200)
            let keys = Set(try jsonKeys(answer.body))
            let documented: Set = [
                "position", "previous", "heldBy", "strength", "certainty", "probability",
                "positionChange", "reason", "score", "positions", "weightSum",
                "effectiveSampleSize", "effectiveProviders", "expectation", "deviation", "shares",
                "disagreement", "forShareInterval", "answersSince", "counts", "noOpinions",
                "coverage", "providers", "voices", "bounds", "methods",
            ]
            expectEqual(keys, documented)
            expectEqual(text("position", in: answer.body), "for")
            // Four authors of one key, with a correlation of 0.7: 4 / 3.1.
            expect(answer.body.contains(#""effectiveSampleSize":1.29"#))
            expectEqual(text("certainty", in: answer.body), "uncertain")
            let plain = try await routes.send("GET", "/api/radars/\(id)?explain=0", by: "1")
            try expectEqual(jsonKeys(plain.body), Self.radarKeys)
        }
    }

    // MARK: What sources are asked for

    @Test func refreshAnswersTheRefreshedRadarAndItsRate() async throws {
        try await RadarRoutesFixture.run(asking: ["one"], { $0.refreshesPerMinute = 5 }) { routes in
            routes.hub.providers.set(.stance("one"), RadarProviders.stance())
            let id = try await routes.service.createRadar().id
            let answer = try await routes.send("POST", "/api/radars/\(id)/refresh", by: "1")
            expectEqual(answer.status, 200)
            expectEqual(number("refreshCount", in: answer.body), 1)
            expectEqual(text("stance", in: answer.body), "for")
            expectEqual(answer.rate, ["5", "4"])
            let reset = try require(answer.headers.first("X-RateLimit-Reset").flatMap { Int64($0) })
            let wait = reset - HubClock.wall.wholeSeconds
            expect((-1...60).contains(wait), "\(wait)")
        }
    }

    @Test func topicIsInterpreted() async throws {
        try await RadarRoutesFixture.run(asking: ["one"]) { routes in
            let interpretation = RadarProviders.interpretation("A drink.")
            routes.hub.providers.set(.interpretation("one"), interpretation)
            for _ in 0..<2 {
                let body = #"{"topic":"tea"}"#
                let answer = try await routes.send("POST", "/api/interpret", by: "1", body: body)
                expectEqual(answer.status, 200)
                expectEqual(
                    answer.body,
                    #"{"text":"A drink.","category":"work","subCategory":null,"#
                        + #""tags":["hours"],"sentiment":"neutral","source":"one","language":null"#
                        + #","pending":false}"#
                )
            }
            expectEqual(routes.hub.providers.asked, [.interpretation("one")])
        }
    }

    @Test func topicIsInterpretedByItsWordsWithoutSources() async throws {
        try await RadarRoutesFixture.run { routes in
            let body = #"{"topic":"tea"}"#
            let answer = try await routes.send("POST", "/api/interpret", by: "1", body: body)
            expectEqual(answer.status, 200)
            expect(answer.body.hasSuffix(#""source":"lexical","language":null,"pending":false}"#))
        }
    }
}
