import Expectations

@testable import Radar

@Suite("Requests: what is taken and what is refused, and why", .timeLimit(.minutes(10)))
struct RadarRequestTests {
    private func read(_ vector: RadarVectors.Request) throws(RequestError) {
        let body = Array(vector.body.utf8)
        switch vector.request {
        case "opinion": _ = try PushedOpinion(json: body)
        case "radar": _ = try NewRadar(json: body)
        case "patch": _ = try RadarPatch(json: body)
        case "interpret": _ = try InterpretRequest(json: body)
        default: Issue.record("no request \(vector.request)")
        }
    }

    @Test(arguments: RadarVectors.all.requests)
    private func bodyIsTakenOrRefusedWithTheReason(_ vector: RadarVectors.Request) {
        var message: String?
        do throws(RequestError) {
            try read(vector)
        } catch {
            message = error.description
        }
        expectEqual(message, vector.error)
    }

    private let body = #"""
        {"author":" An economist ","model":"survey","content":"Wages\nfall.\n","stance":"against",
        "confidence":0.55,"reasoning":"Output \u0066alls."}
        """#

    @Test func pushedOpinionIsReadWithoutTheSpaceAroundItsTexts() throws {
        let pushed = try PushedOpinion(json: Array(body.utf8))
        expectEqual(pushed.author, "An economist")
        expectEqual(pushed.model, "survey")
        expectEqual(pushed.content, "Wages\nfall.")
        expectEqual(pushed.stance, .against)
        expectEqual(pushed.confidence, 0.55)
        expectEqual(pushed.reasoning, "Output falls.")
    }

    @Test func pushedOpinionIsOneOfItsAuthorInTheRadarsSegment() throws {
        var radar = ExampleRadar.polled
        radar.segment = 4
        let time = ExampleRadar.instant("2026-01-02T12:00:00Z")
        let opinion = try PushedOpinion(json: Array(body.utf8))
            .opinion(id: "o1", on: radar, pusher: 3, createdAt: time)
        expectEqual(opinion.id, "o1")
        expectEqual(opinion.radarID, radar.id)
        expectEqual(opinion.provider, "key:3")
        expectEqual(opinion.pusher, 3)
        expectNil(opinion.source)
        expectNil(opinion.promptVersion)
        expectEqual(opinion.segment, 4)
        expectEqual(opinion.createdAt, time)
    }

    @Test func cutBodyIsNeverAnOpinion() {
        let bytes = Array(body.utf8)
        for length in 0..<bytes.count {
            #expect(throws: RequestError.self, "\(length) bytes") {
                try PushedOpinion(json: Array(bytes.prefix(length)))
            }
        }
    }

    /// Whatever becomes of a body, what is taken keeps the limits and can be sent on.
    @Test(arguments: 0..<20)
    func alteredBodyIsTakenWithinTheLimitsOrRefused(seed: Int) throws {
        var generator = OpinionGenerator(seed: seed)
        for _ in 0..<200 {
            var bytes = Array(body.utf8)
            for _ in 0..<Int.random(in: 0..<4, using: &generator) {
                let index = bytes.indices.randomElement(using: &generator) ?? 0
                bytes[index] = UInt8.random(in: 0...255, using: &generator)
            }
            guard let pushed = try? PushedOpinion(json: bytes) else { continue }
            expect((0...1).contains(pushed.confidence), "seed \(seed)")
            expect(!pushed.author.isEmpty && !pushed.content.isEmpty, "seed \(seed)")
            let time = ExampleRadar.instant("2026-01-02T12:00:00Z")
            let form = pushed.opinion(
                id: "o1",
                on: ExampleRadar.polled,
                pusher: 1,
                createdAt: time
            ).json()
            #expect(throws: Never.self, "seed \(seed)") { try JSONReader.value(of: form[...]) }
        }
    }

    @Test func bytesThatAreNoTextAreRefused() {
        #expect(throws: RequestError.notUTF8) {
            try NewRadar(json: Array(#"{"topic":""#.utf8) + [0xFF] + Array(#""}"#.utf8))
        }
    }

    /// What people see as one character may have any number of scalars.
    @Test func charactersAreCountedAsScalars() throws {
        let piled = "e" + String(repeating: "\u{0301}", count: 299)
        expectEqual(piled.count, 1)
        try expectEqual(NewRadar(json: Array(#"{"topic":"\#(piled)"}"#.utf8)).topic, piled)
        #expect(
            throws: RequestError.tooLong(
                field: "topic",
                length: 301,
                unit: "characters",
                limit: 300
            )
        ) {
            try NewRadar(json: Array(#"{"topic":"\#(piled)\#u{0301}"}"#.utf8))
        }
    }

    @Test func ofAFieldThatStandsTwiceTheLastCounts() throws {
        let radar = try NewRadar(json: Array(#"{"topic":7,"isPublic":true,"topic":"a"}"#.utf8))
        expectEqual(radar, (try NewRadar(json: Array(#"{"topic":"a","isPublic":true}"#.utf8))))
    }

    @Test func visibilityThatIsLeftOutIsNotDecidedHere() throws {
        try expectNil(NewRadar(json: Array(#"{"topic":"a"}"#.utf8)).isPublic)
        let own = Array(#"{"topic":"a","isPublic":false}"#.utf8)
        try expectEqual(NewRadar(json: own).isPublic, false)
    }

    @Test(arguments: [
        ("nb", LexicalLanguage.norwegian), ("nn", .norwegian), ("no", .norwegian),
        ("SV", .swedish), ("da-DK", .danish), ("de-AT", .german), ("fr", .french),
        ("es-419", .spanish), (" en ", .english),
    ])
    func languageOfATopicIsRead(tag: String, language: LexicalLanguage) throws {
        let json = Array(#"{"topic":"a","language":"\#(tag)"}"#.utf8)
        try expectEqual(NewRadar(json: json).language, language)
        try expectEqual(InterpretRequest(json: json).language, language)
    }

    @Test(arguments: ["fi", "english", "", "-", String(repeating: "e", count: 36)])
    func otherLanguagesAreRefused(tag: String) throws {
        let json = Array(#"{"topic":"a","language":"\#(tag)"}"#.utf8)
        #expect(throws: RequestError.self) { try NewRadar(json: json) }
        #expect(throws: RequestError.self) { try InterpretRequest(json: json) }
    }

    @Test func refusalOfALanguageNamesThoseThatThereAre() {
        #expect(
            throws: RequestError.unexpected(
                field: "language",
                expected: #"one of "da", "de", "en", "es", "fr", "nb", "nn", "no", "sv""#,
                found: #""fi""#
            )
        ) { try InterpretRequest(json: Array(#"{"topic":"a","language":"fi"}"#.utf8)) }
    }

    @Test func patchKeepsWhatItDoesNotName() throws {
        try expectNil(RadarPatch(json: Array("{}".utf8)).isPublic)
        try expectEqual(RadarPatch(json: Array(#"{"isPublic":false}"#.utf8)).isPublic, false)
        try expectNil(RadarPatch(json: Array(#"{"isPublic":null}"#.utf8)).isPublic)
    }

    @Test(arguments: [(nil, 7), ("1", 1), ("30", 30), ("365", 365)] as [(String?, Int)])
    func daysOfATrendAreRead(text: String?, days: Int) throws {
        try expectEqual(requestedTrendDays(text), days)
    }

    @Test(arguments: ["0", "366", "-1", "7.0", "", "seven", "99999999999999999999"])
    func otherDaysAreRefused(text: String) {
        #expect(
            throws: RequestError.unexpected(
                field: "days",
                expected: "a whole number from 1 to 365",
                found: #""\#(text)""#
            )
        ) { try requestedTrendDays(text) }
    }
}
