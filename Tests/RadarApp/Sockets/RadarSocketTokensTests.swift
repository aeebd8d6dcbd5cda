import Expectations
import Service
import TokenTesting

@testable import RadarApp

@Suite("Tokens of radar sockets", .timeLimit(.minutes(10)))
struct RadarSocketTokensTests {
    private typealias Grant = RadarSocketTokens.Grant

    private static let now = Timestamp(iso8601: "2026-03-02T10:10:00Z")!
    private static let key = [UInt8](repeating: 7, count: RadarSocketTokens.keyLengthMin)
    private static let grants = [
        Grant(),
        Grant(login: "l1", issuedAt: now - .seconds(60), endsAt: now + .seconds(86_400)),
        Grant(login: String(repeating: "x", count: 255)),
    ]

    private let tokens = RadarSocketTokens(key: key, lifetime: .seconds(3600))

    private func token(
        of radarID: String = "r1",
        owner: String = "ann",
        _ grant: Grant = Grant(),
        now: Timestamp = now
    ) throws -> String {
        try require(tokens.token(of: radarID, owner: owner, grant, now: now))
    }

    private func grant(
        _ text: String,
        of radarID: String = "r1",
        owner: String = "ann",
        now: Timestamp = now
    ) throws(TokenError) -> Grant {
        try tokens.grant(of: text, radarID: radarID, owner: owner, now: now)
    }

    @Test(arguments: grants)
    private func tokenGrantsWhatItWasMadeFor(grant: RadarSocketTokens.Grant) throws {
        let text = try token(grant)
        expect(text.hasPrefix("rst_"))
        expect(text.utf8.allSatisfy { !"./+=&%".utf8.contains($0) })
        try expectEqual(self.grant(text), grant)
    }

    @Test func loginThatIsTooLongHasNoToken() {
        let grant = Grant(login: String(repeating: "x", count: 256))
        expectNil(tokens.token(of: "r1", owner: "ann", grant, now: Self.now))
    }

    @Test func tokenIsOfOneRadarOneOwnerAndOneHub() throws {
        let text = try token()
        #expect(throws: TokenError.signature) { try grant(text, of: "r2") }
        #expect(throws: TokenError.signature) { try grant(text, owner: "bob") }
        // Not to be taken for another pair by where one name ends.
        let other = try token(of: "r1 3 a", owner: "nn")
        #expect(throws: TokenError.signature) { try grant(other, of: "r1", owner: "a 2 nn") }
        let hub = RadarSocketTokens(key: Self.key.map { $0 + 1 }, lifetime: .seconds(3600))
        #expect(throws: TokenError.signature) {
            try hub.grant(of: text, radarID: "r1", owner: "ann", now: Self.now)
        }
    }

    /// Made at 10:10, in the half-hour that began at 10:00.
    @Test func tokenHoldsUntilTheEndOfTheNextHalfOfItsLifetime() throws {
        let text = try token()
        let end = Timestamp(iso8601: "2026-03-02T11:00:00Z")!
        try expectEqual(grant(text, now: end - .milliseconds(1)), Grant())
        #expect(throws: TokenError.expired) { try grant(text, now: end) }
    }

    @Test func tokenEndsWithTheAccessTokenThatItWasMadeFor() throws {
        let end = Self.now + .seconds(60)
        let text = try token(Grant(endsAt: end))
        try expectEqual(grant(text, now: end - .milliseconds(1)).endsAt, end)
        #expect(throws: TokenError.expired) { try grant(text, now: end) }
    }

    @Test func tokenStaysTheSameForHalfOfItsLifetime() throws {
        let first = Timestamp(iso8601: "2026-03-02T10:00:00Z")!
        let next = Timestamp(iso8601: "2026-03-02T10:30:00Z")!
        try expectEqual(token(now: first), token(now: next - .milliseconds(1)))
        try expect(token(now: first) != token(now: next))
    }

    @Test func everyChangeOfAByteIsFound() throws {
        let text = try token(Grant(login: "l1"))
        for index in text.indices.dropFirst(RadarSocketTokens.prefix.count) {
            var other = text
            other.replaceSubrange(index...index, with: text[index] == "A" ? "B" : "A")
            #expect(throws: TokenError.self) { try grant(other) }
        }
    }

    @Test(arguments: [
        "rst_", "rst_AAAA", "rst_!", "rst_\(String(repeating: "A", count: 10_000))",
        "rst_\(String(repeating: "A", count: 60))",
    ])
    func textOfAnotherFormIsRefused(text: String) {
        #expect(throws: TokenError.self) { try grant(text) }
    }

    @Test func tokenIsNoAccessToken() async throws {
        let text = try token()
        let verifier = try await TestTokens().verifier
        #expect(throws: TokenError.malformed(.partCount)) {
            try verifier.verifyConnection(text, now: Self.now)
        }
    }
}
