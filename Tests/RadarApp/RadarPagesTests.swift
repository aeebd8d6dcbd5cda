import Expectations
import HubTesting
import LoopTesting
import Radar
import Wire

@testable import RadarApp

@Suite("Radar routes: pages and validators", .timeLimit(.minutes(10)))
struct RadarPagesTests {
    // MARK: Cursors

    private func ids(_ answer: RadarRoutesFixture.Answer) throws -> [String] {
        try jsonElements(answer.body).compactMap { text("id", in: $0) }
    }

    /// The target of the page after this one.
    private func next(_ answer: RadarRoutesFixture.Answer) -> String? {
        answer.headers.first("Link").flatMap { link in
            guard link.hasPrefix("<"), link.hasSuffix(#">; rel="next""#) else { return nil }
            return String(link.dropFirst().prefix { $0 != ">" })
        }
    }

    @Test func walkFindsEachOpinionOnceWhileOthersCome() async throws {
        try await RadarRoutesFixture.run { routes in
            let id = try await routes.service.createRadar(isPublic: true).id
            var pushed: [String] = []
            for number in 0..<25 {
                pushed.append(try await routes.service.push("for", author: "\(number)", to: id).id)
            }
            var target: String? = "/api/radars/\(id)/opinions?limit=10"
            var walked: [String] = []
            var pages = 0
            while let page = target {
                let answer = try await routes.send("GET", page)
                expectEqual(answer.status, 200)
                walked += try ids(answer)
                target = next(answer)
                pages += 1
                _ = try await routes.service.push("against", author: "new \(pages)", to: id)
            }
            expectEqual(pages, 3)
            // All of one millisecond, so by their ids.
            expectEqual(walked, pushed.sorted(by: >))
        }
    }

    @Test func lastPageHasNoNext() async throws {
        try await RadarRoutesFixture.run { routes in
            let id = try await routes.service.createRadar(isPublic: true).id
            for number in 0..<51 {
                _ = try await routes.service.push("for", author: "\(number)", to: id)
            }
            for (query, hasNext) in [
                ("", true), ("?limit=51", false), ("?limit=50", true), ("?limit=200", false),
                ("?offset=1", false), ("?offset=0&limit=1", true),
            ] {
                let answer = try await routes.send("GET", "/api/radars/\(id)/opinions\(query)")
                expectEqual((next(answer) != nil), hasNext, "\(query)")
            }
            let first = try await routes.send("GET", "/api/radars/\(id)/opinions")
            let rest = try await routes.send("GET", try require(next(first)))
            try expectEqual(ids(rest).count, 1)
            expectNil(rest.headers.first("Link"))
        }
    }

    @Test func cursorIsOfOneListAndStandsAlone() async throws {
        try await RadarRoutesFixture.run { routes in
            let id = try await routes.service.createRadar(isPublic: true).id
            let other = try await routes.service.createRadar("tea", isPublic: true).id
            for author in ["a", "b"] {
                _ = try await routes.service.push("for", author: author, to: id)
            }
            let first = try await routes.send("GET", "/api/radars/\(id)/opinions?limit=1")
            let target = try require(next(first))
            let cursor = try require(target.components(separatedBy: "cursor=").last)
            for target in [
                "\(target)&offset=0", "/api/radars/\(other)/opinions?cursor=\(cursor)",
                "/api/radars/\(id)/opinions?cursor=",
                "/api/radars/\(id)/opinions?cursor=\(cursor)A",
                "/api/radars/\(id)/opinions?cursor=abc",
                "/api/radars/\(id)/opinions?cursor=\(String(repeating: "A", count: 5000))",
            ] {
                let answer = try await routes.send("GET", target)
                expectEqual(answer.status, 400, "\(target)")
                expectEqual(answer.code, "INVALID_REQUEST")
                expectEqual(answer.message?.contains("cursor"), true)
            }
        }
    }

    @Test(arguments: [
        "o", "0199a000-0000-7000-8000-000000000000", String(repeating: "é", count: 256),
    ])
    func cursorIsReadAsItWasWritten(id: String) {
        for milliseconds: Int64 in [0, 1, 1_772_445_600_123, .max] {
            let cursor = OpinionCursor(createdAt: Timestamp(milliseconds: milliseconds), id: id)
            expectEqual(OpinionCursor(cursor.text(of: "r1"), of: "r1"), cursor)
            expectNil(OpinionCursor(cursor.text(of: "r1"), of: "r2"))
        }
    }

    // MARK: Entity tags

    @Test func answerThatTheClientHasIsNotRepeated() async throws {
        // One access token, and socket tokens that last: an answer carries a socket token, which
        // changes with both.
        try await RadarRoutesFixture.run {
            $0.socketTokenLifetime = .seconds(365 * 86_400)
        } _: { routes in
            let access = "Bearer \(try routes.tokens.connection("1"))"
            func get(_ target: String, knowing tag: String? = nil) async throws
                -> RadarRoutesFixture.Answer
            {
                var headers: HTTPHeaders = ["Authorization": access]
                if let tag { headers.append("If-None-Match", tag) }
                return try await routes.send("GET", target, headers)
            }
            let id = try await routes.service.createRadar().id
            for author in ["a", "b"] {
                _ = try await routes.service.push("for", author: author, to: id)
            }
            for target in [
                "/api/radars", "/api/radars/\(id)", "/api/radars/\(id)?explain=1",
                "/api/radars/\(id)/opinions", "/api/radars/\(id)/opinions?limit=1",
                "/api/radars/\(id)/trends",
            ] {
                let first = try await get(target)
                let tag = try require(first.headers.first("ETag"))
                let again = try await get(target, knowing: tag)
                expectEqual(again.status, 304, "\(target)")
                expect(again.body.isEmpty)
                expectEqual(again.headers.first("ETag"), tag)
                expectEqual(again.headers.first("Cache-Control"), "no-store")
                expectEqual(again.headers.first("Link"), first.headers.first("Link"))
                _ = try await routes.service.push("against", author: "c", to: id)
                let changed = try await get(target, knowing: tag)
                expectEqual(changed.status, 200, "\(target)")
                expect(changed.headers.first("ETag") != tag)
            }
        }
    }

    @Test func onlySuccessfulReadsHaveATag() async throws {
        try await RadarRoutesFixture.run { routes in
            let body = #"{"topic":"tea"}"#
            let made = try await routes.send("POST", "/api/radars", by: "1", body: body)
            let gone = try await routes.send(
                "GET",
                "/api/radars/x",
                by: "1",
                ["If-None-Match": "*"]
            )
            expectEqual(gone.status, 404)
            for answer in [made, gone] { expectNil(answer.headers.first("ETag")) }
        }
    }

    // MARK: Socket tokens

    @Test func socketTokenIsForTheOwnerOfAPrivateRadar() async throws {
        try await RadarRoutesFixture.run { routes in
            let id = try await routes.service.createRadar(by: "1").id
            let target = "/api/radars/\(id)"
            let owners = [
                try await routes.send("GET", target, by: "1"),
                try await routes.send("GET", "/api/radars", by: "1"),
                try await routes.send("PATCH", target, by: "1", body: "{}"),
                try await routes.send("POST", target + "/refresh", by: "1"),
            ]
            for answer in owners {
                let token = try require(text("socketToken", in: answer.body))
                expect(token.hasPrefix(RadarSocketTokens.prefix))
            }
            _ = try await routes.service.setPublic(true, of: id)
            for user in ["1", "2", nil] {
                let answer = try await routes.send("GET", target, by: user)
                expect(answer.body.contains(#""socketToken":null"#))
            }
        }
    }

    @Test(
        arguments: [
            (RadarSection.Visibility.private, nil, false), (.public, nil, true),
            (.private, true, true), (.public, false, false),
        ] as [(RadarSection.Visibility, Bool?, Bool)]
    )
    func visibilityIsTheConfiguredOneUnlessTheBodySaysOtherwise(
        visibility: RadarSection.Visibility,
        wish: Bool?,
        isPublic: Bool
    ) async throws {
        try await RadarRoutesFixture.run({ $0.defaultVisibility = visibility }) { routes in
            let wish = wish.map { #","isPublic":\#($0)"# } ?? ""
            let body = #"{"topic":"tea"\#(wish)}"#
            let answer = try await routes.send("POST", "/api/radars", by: "1", body: body)
            expect(answer.body.contains(#""isPublic":\#(isPublic),"#))
            let id = try require(text("id", in: answer.body))
            expectEqual(routes.service.directory[id]?.isPublic, isPublic)
        }
    }

    @Test func languageOfTheBodyDecidesTheWordLists() async throws {
        try await RadarRoutesFixture.run { routes in
            let body = #"{"topic":"rente","language":"de"}"#
            for path in ["/api/interpret", "/api/radars"] {
                let answer = try await routes.send("POST", path, by: "1", body: body)
                expect(answer.body.contains(#""category":"work""#), "\(path)")
                expect(answer.body.contains(#""language":"de""#))
            }
        }
    }
}
