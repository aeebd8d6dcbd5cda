import Expectations
import TokenTesting

@testable import Service

@Suite("Logins that have ended", .timeLimit(.minutes(10)))
struct EndedLoginsTests {
    private let start = Timestamp(milliseconds: 1_780_000_000_000)
    private let lifetime = Duration.seconds(3600)

    private func claims(_ login: String?, issuedAt: Timestamp) async throws -> ConnectionClaims {
        var draft = TokenDraft(
            user: "42",
            issuedAt: issuedAt,
            lifetime: nil,
            kind: .connection(topics: [])
        )
        draft.login = login
        let token = try draft.signed(with: try .secret(Array(TestTokens.secret.utf8)))
        return try await TestTokens().verifier.verifyConnection(token, now: start)
    }

    @Test func tokenOfALoginThatHasEndedIsRevokedAndOthersAreNot() async throws {
        let logins = EndedLogins(accessTokenLifetime: lifetime)
        logins.add(["a", "b"], at: start)
        for login in ["a", "b"] {
            let claims = try await claims(login, issuedAt: start)
            #expect(throws: TokenError.revoked) { try logins.check(claims, now: start) }
        }
        for login in ["c", nil] {
            let claims = try await claims(login, issuedAt: start)
            try logins.check(claims, now: start)
        }
    }

    /// So that a login may be forgotten when the tokens of its last moment would have expired.
    @Test func tokenIsGoodForTheLifetimeOfNowWhateverItSays() async throws {
        let logins = EndedLogins(accessTokenLifetime: lifetime)
        let claims = try await claims("a", issuedAt: start)
        let issuedAt = try require(claims.issuedAt)
        let end = issuedAt + lifetime + TokenVerifier.leewayMax
        try logins.check(claims, now: end - .milliseconds(1))
        #expect(throws: TokenError.expired) { try logins.check(claims, now: end) }
        let others = try await self.claims(nil, issuedAt: start)
        try logins.check(others, now: end)
        try EndedLogins().check(claims, now: end)
    }

    @Test func loginIsForgottenWhenItsTokensHaveExpired() async throws {
        let logins = EndedLogins(accessTokenLifetime: lifetime)
        logins.add(["a"], at: start)
        logins.add(["b"], at: start + .seconds(1))
        let end = start + lifetime + TokenVerifier.leewayMax
        expectEqual(logins.horizon(now: end), start)
        logins.trim(now: end)
        expectEqual(logins.count, 2)
        logins.trim(now: end + .milliseconds(1))
        expectEqual(logins.count, 1)
        let claims = try await claims("a", issuedAt: start)
        #expect(throws: TokenError.expired) {
            try logins.check(claims, now: end + .milliseconds(1))
        }
    }

    @Test func floodOfLogoutsMakesOldTokensExpireAndBringsNoneBack() async throws {
        let logins = EndedLogins(accessTokenLifetime: lifetime)
        logins.add(["first"], at: start)
        logins.add((1..<EndedLogins.countMax).map { "early \($0)" }, at: start)
        expectEqual(logins.count, EndedLogins.countMax)
        let now = start + .seconds(2)
        let (old, new) = (
            try await claims("nobody's", issuedAt: start),
            try await claims("nobody's", issuedAt: now)
        )
        try logins.check(old, now: now)
        logins.add(["one more"], at: start + .seconds(1))
        expectEqual(logins.count, EndedLogins.countMax * 3 / 4 + 1)
        #expect(throws: TokenError.expired) { try logins.check(old, now: now) }
        try logins.check(new, now: now)
        let first = try await claims("first", issuedAt: start)
        #expect(throws: TokenError.expired) { try logins.check(first, now: now) }
        let more = try await claims("one more", issuedAt: start + .seconds(1))
        #expect(throws: TokenError.revoked) { try logins.check(more, now: now) }
    }

    @Test func loginEndsOnce() {
        let logins = EndedLogins(accessTokenLifetime: lifetime)
        logins.add(["a", "a"], at: start)
        logins.add(["a"], at: start + .seconds(1))
        expectEqual(logins.count, 1)
    }
}
