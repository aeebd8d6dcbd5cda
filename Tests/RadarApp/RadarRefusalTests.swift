import Expectations
import Foundation
import HubTesting
import LoopTesting
import Radar
import Store
import TokenTesting
import Wire

@testable import RadarApp

@Suite("Radar routes: refusals", .timeLimit(.minutes(10)))
struct RadarRefusalTests {
    private static let topic = #"{"topic":"tea"}"#

    /// All routes of a radar but the one for opinions that are pushed, and whether they only read.
    private static func routes(_ id: String) -> [(method: String, target: String, reads: Bool)] {
        [
            ("GET", "/api/radars/\(id)", true), ("GET", "/api/radars/\(id)?explain=1", true),
            ("GET", "/api/radars/\(id)/opinions", true), ("GET", "/api/radars/\(id)/trends", true),
            ("PATCH", "/api/radars/\(id)", false), ("POST", "/api/radars/\(id)/refresh", false),
            // Last, as it ends the others.
            ("DELETE", "/api/radars/\(id)", false),
        ]
    }

    // MARK: Who may

    @Test(arguments: [
        ("GET", "/api/radars", ""), ("POST", "/api/radars", topic),
        ("POST", "/api/interpret", topic),
    ])
    func userIsNeeded(method: String, target: String, body: String) async throws {
        try await RadarRoutesFixture.run { routes in
            let expired = try routes.tokens.expiredConnection("1")
            let stranger = try await TestTokens(secret: "another secret of another application")
            for token in [
                nil, "Bearer x", "Bearer", "Basic MTox", "Bearer \(expired)",
                "Bearer \(try stranger.connection("1"))",
                "Bearer \(try routes.tokens.connection(""))",
            ] {
                var headers: HTTPHeaders = [:]
                if let token { headers.append("Authorization", token) }
                let answer = try await routes.send(method, target, headers, body: body)
                expectEqual(answer.status, 401, "\(token ?? "")")
                expectEqual(answer.code, "UNAUTHORIZED")
                expectEqual(answer.headers.first("WWW-Authenticate"), "Bearer")
            }
            let answer = try await routes.send(method, target, by: "1", body: body)
            expect((200...201).contains(answer.status))
        }
    }

    /// What a stranger, somebody else and its user get of a private radar, of a public one and of none.
    @Test func radarIsItsUsersUntilItIsPublic() async throws {
        try await RadarRoutesFixture.run { routes in
            let own = try await routes.service.createRadar(by: "1").id
            let open = try await routes.service.createRadar(isPublic: true, by: "1").id
            for (user, id, reading, writing) in [
                (nil, own, 401, 401), (nil, open, 200, 401), (nil, "gone", 401, 401),
                ("2", own, 404, 404), ("2", open, 200, 403), ("2", "gone", 404, 404),
                ("1", "gone", 404, 404), ("1", own, 200, 200), ("1", open, 200, 200),
            ] as [(String?, String, Int, Int)] {
                for route in Self.routes(id) {
                    let body = route.method == "PATCH" ? "{}" : ""
                    let answer = try await routes.send(
                        route.method,
                        route.target,
                        by: user,
                        body: body
                    )
                    let status = route.reads ? reading : writing
                    expectEqual(
                        answer.status,
                        status,
                        "\(user ?? "-") \(route.method) \(route.target)"
                    )
                    let codes = [401: "UNAUTHORIZED", 403: "FORBIDDEN", 404: "RADAR_NOT_FOUND"]
                    expectEqual(answer.code, codes[status])
                }
            }
        }
    }

    /// Swift takes the two for equal; nobody else does.
    @Test func userWhoseNameIsWrittenWithOtherBytesIsSomebodyElse() async throws {
        try await RadarRoutesFixture.run { routes in
            let owner = "ren\u{E9}"
            let other = "rene\u{301}"
            let own = try await routes.service.createRadar(by: owner).id
            let open = try await routes.service.createRadar(isPublic: true, by: owner).id
            try await expectEqual(routes.send("GET", "/api/radars/\(own)", by: owner).status, 200)
            try await expectEqual(routes.send("GET", "/api/radars/\(own)", by: other).status, 404)
            try await expectEqual(
                routes.send("DELETE", "/api/radars/\(own)", by: other).status,
                404
            )
            try await expectEqual(
                routes.send("DELETE", "/api/radars/\(open)", by: other).status,
                403
            )
        }
    }

    @Test func badTokenDoesNotReadEvenWhatIsPublic() async throws {
        try await RadarRoutesFixture.run { routes in
            let id = try await routes.service.createRadar(isPublic: true).id
            let expired: HTTPHeaders = [
                "Authorization": "Bearer \(try routes.tokens.expiredConnection("1"))"
            ]
            let answer = try await routes.send("GET", "/api/radars/\(id)", expired)
            expectEqual(answer.status, 401)
            expectEqual(answer.code, "UNAUTHORIZED")
        }
    }

    @Test func hubWithoutTokensServesWhatIsPublic() async throws {
        try await RadarRoutesFixture.run(hasTokens: false) { routes in
            let own = try await routes.service.createRadar(by: "1").id
            let open = try await routes.service.createRadar(isPublic: true, by: "1").id
            try await expectEqual(routes.send("GET", "/api/radars/\(open)", by: "1").status, 200)
            try await expectEqual(routes.send("GET", "/api/radars/\(own)", by: "1").status, 401)
            try await expectEqual(routes.send("GET", "/api/radars", by: "1").status, 401)
        }
    }

    @Test func opinionIsPushedWithAKeyAlone() async throws {
        try await RadarRoutesFixture.run { routes in
            let id = try await routes.service.createRadar(by: "1").id
            let opinion = RadarRoutesFixture.opinion()
            for key in [nil, "", "wrong"] {
                let answer = try await routes.push(opinion, to: id, key: key)
                expectEqual(answer.status, 401)
                expectEqual(answer.code, "UNAUTHORIZED")
            }
            let target = "/api/radars/\(id)/opinions"
            let owner = try await routes.send("POST", target, by: "1", body: opinion)
            expectEqual(owner.status, 401)
            let gone = try await routes.push(opinion, to: "gone")
            expectEqual(gone.status, 404)
            expectEqual(gone.code, "RADAR_NOT_FOUND")
            try await expect(routes.hub.opinions(id).isEmpty)
        }
    }

    // MARK: Bodies

    @Test(arguments: [
        "", "[]", "{", #"{"topic":1}"#, #"{"topic":""}"#, #"{"topic":" "}"#, #"{"topic":null}"#,
        #"{"topic":"a\u0000b"}"#, #"{"topic":"\#(String(repeating: "a", count: 301))"}"#,
        #"{"topic":"tea","isPublic":"yes"}"#,
    ])
    func radarThatIsNotDescribedIsNotMade(body: String) async throws {
        try await RadarRoutesFixture.run { routes in
            let answer = try await routes.send("POST", "/api/radars", by: "1", body: body)
            expectEqual(answer.status, 400)
            expectEqual(answer.code, "INVALID_REQUEST")
            expectEqual(routes.service.directory.count, 0)
        }
    }

    @Test func topicOfTheGreatestLengthIsTaken() async throws {
        try await RadarRoutesFixture.run { routes in
            let topic = String(repeating: "é", count: RadarLimits.topicLengthMax)
            let body = #"{"topic":"\#(topic)"}"#
            let answer = try await routes.send("POST", "/api/radars", by: "1", body: body)
            expectEqual(answer.status, 201)
        }
    }

    @Test(arguments: [
        ("confidence", "1.2"), ("confidence", "-0.1"), ("confidence", "null"),
        ("confidence", "\"1\""), ("stance", "\"maybe\""), ("author", "\"\""), ("content", "7"),
    ])
    func opinionThatIsNotDescribedIsNotTaken(field: String, value: String) async throws {
        try await RadarRoutesFixture.run { routes in
            let id = try await routes.service.createRadar().id
            var fields = [
                "author": "\"a\"", "model": "\"m\"", "content": "\"c\"", "stance": "\"for\"",
                "confidence": "1",
            ]
            fields[field] = value
            let body = "{" + fields.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
            let answer = try await routes.push(body, to: id)
            expectEqual(answer.status, 400)
            expectEqual(answer.code, "INVALID_REQUEST")
            expect(answer.body.contains(field))
            try await expect(routes.hub.opinions(id).isEmpty)
        }
    }

    @Test func contentOfTheGreatestLengthIsTakenAndOneByteMoreIsNot() async throws {
        try await RadarRoutesFixture.run { routes in
            let id = try await routes.service.createRadar().id
            let whole = String(repeating: "c", count: RadarLimits.contentBytesMax)
            for (content, status) in [(whole, 201), (whole + "c", 400)] {
                let answer = try await routes.push(
                    RadarRoutesFixture.opinion(content: content),
                    to: id
                )
                expectEqual(answer.status, status)
            }
        }
    }

    @Test func bodyMayHaveTheLimitAndNotOneByteMore() async throws {
        try await RadarRoutesFixture.run { routes in
            let limit = 128 << 10
            for (length, status) in [(limit, 201), (limit + 1, 413)] {
                let body = Self.topic.padding(toLength: length, withPad: " ", startingAt: 0)
                let answer = try await routes.send("POST", "/api/radars", by: "1", body: body)
                expectEqual(answer.status, status)
                if status == 413 { expectEqual(answer.code, "INVALID_REQUEST") }
            }
        }
    }

    // MARK: How many, and how often

    @Test func userWithAllRadarsGetsNoMore() async throws {
        try await RadarRoutesFixture.run({ $0.radarsPerUser = 1 }) { routes in
            for status in [201, 409, 409] {
                let answer = try await routes.send("POST", "/api/radars", by: "1", body: Self.topic)
                expectEqual(answer.status, status)
                if status == 409 { expectEqual(answer.code, "TOO_MANY_RADARS") }
            }
            let other = try await routes.send("POST", "/api/radars", by: "2", body: Self.topic)
            expectEqual(other.status, 201)
        }
    }

    @Test func radarIsRefreshedOnceAnInterval() async throws {
        try await RadarRoutesFixture.run({ $0.refreshInterval = .seconds(45) }) { routes in
            let target = "/api/radars/\(try await routes.service.createRadar().id)/refresh"
            try await expectEqual(routes.send("POST", target, by: "1").status, 200)
            let asked = routes.hub.providers.asked
            let answer = try await routes.send("POST", target, by: "1")
            expectEqual(answer.status, 200, "a second pull to refresh is no error")
            expect(answer.body.hasSuffix(#""pending":false}"#))
            expectEqual(answer.rate[0], "10")
            expectEqual(routes.hub.providers.asked, asked)
        }
    }

    /// Interpretations count apart from refreshes, and each user's apart from the others'.
    @Test(arguments: ["refresh", "interpret"])
    func userMayAskSoOftenInAMinute(kind: String) async throws {
        try await RadarRoutesFixture.run({ $0.refreshesPerMinute = 2 }) { routes in
            let id = try await routes.service.createRadar(by: "1").id
            let target = kind == "refresh" ? "/api/radars/\(id)/refresh" : "/api/interpret"
            var statuses: [Int] = []
            // Four at least within one minute of the clock, should another begin meanwhile.
            for _ in 0..<8 {
                let answer = try await routes.send("POST", target, by: "1", body: Self.topic)
                statuses.append(answer.status)
                guard answer.status == 429 else { continue }
                expectEqual(answer.code, "RATE_LIMITED")
                expectEqual(answer.rate, ["2", "0"])
                let wait = try require(answer.headers.first("Retry-After").flatMap { Int($0) })
                expect((1...60).contains(wait))
                expect(answer.headers.contains("X-RateLimit-Reset"))
            }
            expectEqual(statuses.prefix(2), [200, 200])
            expectEqual(Set(statuses), [200, 429])
            let other = try await routes.send("POST", "/api/interpret", by: "2", body: Self.topic)
            expectEqual(other.status, 200)
        }
    }

    @Test func refreshThatNoSourceCanServeIsToComeBack() async throws {
        let policy = SourcePolicy(dailyRequestsMax: 1)
        try await RadarRoutesFixture.run(asking: ["one"], policy: policy) { routes in
            let id = try await routes.service.createRadar("tea").id
            _ = try await routes.send("POST", "/api/radars/\(id)/refresh", by: "1")
            let other = try await routes.service.createRadar("coffee").id
            let answer = try await routes.send("POST", "/api/radars/\(other)/refresh", by: "1")
            expectEqual(answer.status, 503)
            expectEqual(answer.code, "UNAVAILABLE")
            expectEqual(answer.message, "no source can be asked before 2026-03-03T00:00:00Z")
            expectEqual(answer.headers.first("Retry-After"), "50400")
            expectEqual(answer.rate[0], "10")
        }
    }

    /// What is wrong with a question costs a turn as well.
    @Test func rateStandsInEveryAnswer() async throws {
        try await RadarRoutesFixture.run { routes in
            for body in ["{}", "", Self.topic] {
                let answer = try await routes.send("POST", "/api/interpret", by: "1", body: body)
                expectEqual(answer.status, (body == Self.topic ? 200 : 400))
                expectEqual(answer.rate[0], "10")
            }
            let id = try await routes.service.createRadar().id
            try await routes.hub.store.close()
            let answer = try await routes.send("POST", "/api/radars/\(id)/refresh", by: "1")
            expectEqual(answer.status, 503)
            expectEqual(answer.rate[0], "10")
        }
    }

    @Test func rowThatCannotBeReadIsOurFault() async throws {
        try await RadarRoutesFixture.run { routes in
            let id = try await routes.service.createRadar().id
            var row = try await routes.hub.row(id)
            row.position = "maybe"
            try await routes.hub.store.commitRadars([.update(row)])
            let answer = try await routes.send("GET", "/api/radars/\(id)", by: "1")
            expectEqual(answer.status, 500)
            expectEqual(answer.code, "INTERNAL")
            expectEqual(answer.message, "internal error")
        }
    }

    @Test func storeThatTakesNothingIsUnavailable() async throws {
        try await RadarRoutesFixture.run { routes in
            let id = try await routes.service.createRadar().id
            try await routes.hub.store.close()
            let opinion = RadarRoutesFixture.opinion()
            for answer in [
                try await routes.send("POST", "/api/radars", by: "1", body: Self.topic),
                try await routes.send("DELETE", "/api/radars/\(id)", by: "1"),
                try await routes.push(opinion, to: id),
            ] {
                expectEqual(answer.status, 503)
                expectEqual(answer.code, "UNAVAILABLE")
            }
            expect(routes.service.directory[id] != nil)
        }
    }
}
