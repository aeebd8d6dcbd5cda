import Configuration
import Expectations
import HubTesting
import LoopTesting
import TokenTesting

@testable import Core
@testable import Service

@Suite("Accounts: logins and their tokens", .timeLimit(.minutes(10)))
struct AccountServiceTests {
    private func apple(
        _ login: LoginFixture,
        _ token: String,
        more: String = ""
    ) async throws -> LoginAnswer {
        let body = #"{"provider":"apple","token":"\#(token)"\#(more)}"#
        return try await login.service.login(LoginRequest(json: Array(body.utf8)))
    }

    // MARK: The access token

    @Test func accessTokenIsOneOfTheHubsOwnAndNamesTheUser() async throws {
        let login = try await LoginFixture { $0.accessTokenLifetime = .seconds(3600) }
        _ = try await login.login("Ola")
        let kari = try await login.login("Kari")
        expectEqual(kari.user, "2")
        expectEqual(kari.lifetime, .seconds(3600))
        let claims = try login.verifier.verifyConnection(kari.accessToken, now: login.now)
        expectEqual(claims.user, "2")
        let end = try require(claims.expiresAt)
        expectEqual(end.wholeSeconds, login.now.wholeSeconds + 3600)
        #expect(throws: TokenError.expired) {
            try login.verifier.verifyConnection(kari.accessToken, now: end)
        }
    }

    @Test func anotherSecretSignsFromThenOn() async throws {
        let login = try await LoginFixture()
        let secret = Array("another secret of thirty-two bytes".utf8)
        login.service.use(
            TokenIssuer(key: try .secret(secret), audience: "films", issuer: "hub")
        )
        let token = try await login.login("Kari").accessToken
        #expect(throws: TokenError.signature) {
            try login.verifier.verifyConnection(token, now: login.now)
        }
    }

    // MARK: Development

    @Test func developmentKnowsAnybodyByName() async throws {
        let login = try await LoginFixture()
        let first = try await login.login("Kari")
        try expectEqual(first.text("name"), "Kari")
        try expectNil(first.text("email"))
        try await expectEqual(login.login("Kari").user, first.user)
        try await expect(login.login("Ola").user != first.user)
        // U+212A, the Kelvin sign, equals K in Swift.
        try await expect(login.login("\u{212a}ari").user != first.user)
    }

    @Test func identifierCountsForMoreThanTheName() async throws {
        let login = try await LoginFixture()
        let first = try await login.login("Kari", user: "1")
        try await expect(login.login("Kari", user: "2").user != first.user)
        let again = try await login.login("Kari Nordmann", user: "1")
        expectEqual(again.user, first.user)
        try expectEqual(again.text("name"), "Kari", "a name is taken over once")
    }

    @Test(arguments: ["development", "apple", "Apple", "other", ""])
    func providerThatIsNotConfiguredLogsNobodyIn(provider: String) async throws {
        let login = try await LoginFixture(allowsDevelopment: false)
        let body = #"{"provider":"\#(provider)","token":"Kari"}"#
        let (response, text) = await login.send("/auth/login", body)
        expectEqual(response.head.status, 400)
        expect(text.contains("INVALID_REQUEST"))
        expect(login.memory.state.withLock { $0.users.isEmpty && $0.records.isEmpty })
    }

    @Test func nameOverTheLimitIsRefused() async throws {
        let login = try await LoginFixture()
        let longest = String(repeating: "k", count: LoginLimits.nameLengthMax)
        try await expectEqual(login.login(longest).text("name"), longest)
        await #expect(throws: AccountError.nameTooLong(LoginLimits.nameLengthMax + 1)) {
            try await login.login(longest + "k")
        }
    }

    // MARK: Apple

    @Test func userIsTheOneWhomAppleNames() async throws {
        let issuer = try await TestIssuer()
        let login = try await LoginFixture(apple: issuer.identities(try await issuer.keys))
        let more = #","user_identifier":"001.k","name":"Kari","email":"kari@example.org""#
        let first = try await apple(login, issuer.token("001.k"), more: more)
        try expectEqual(first.text("name"), "Kari")
        try expectNil(first.text("email"), "only the app claims the address")
        let again = try await apple(login, issuer.token("001.k"), more: #","name":"Ola""#)
        expectEqual(again.account, first.account)
        let nameless = try await apple(login, issuer.token("001.o"))
        expect(nameless.user != first.user)
        try expectEqual(nameless.text("name"), AccountService.nameDefault)
        // The same subject of another provider is somebody else.
        try await expect(login.login("Kari", user: "001.k").user != first.user)
    }

    @Test func tokenThatProvesNothingLogsNobodyIn() async throws {
        let issuer = try await TestIssuer()
        let login = try await LoginFixture(apple: issuer.identities(try await issuer.keys))
        for (token, more, isExpired) in [
            (try issuer.token("001.k", audience: "org.example.other"), "", false),
            (try issuer.token("001.k", age: .seconds(3600)), "", true),
            (try issuer.token("001.k"), #","user_identifier":"001.o""#, false),
            (try issuer.token(""), "", false),
            (try await TestTokens().connection("001.k"), "", false), ("x", "", false),
        ] {
            let error = await #expect(throws: AccountError.self) {
                try await apple(login, token, more: more)
            }
            guard case .token(let reason) = error else {
                Issue.record("\(token) leads to \(String(describing: error))")
                continue
            }
            expectEqual((reason == .expired), isExpired)
        }
        expect(login.memory.state.withLock { $0.users.isEmpty && $0.records.isEmpty })
    }

    @Test(arguments: ["n-1", hexadecimal(sha256("n-1".utf8))])
    func nonceOfTheRequestHasToBeTheTokens(claimed: String) async throws {
        let issuer = try await TestIssuer()
        let login = try await LoginFixture(apple: issuer.identities(try await issuer.keys))
        let token = try issuer.token("001.k", nonce: claimed)
        let shown = #","nonce":"n-1""#
        try await expectEqual(apple(login, token, more: shown).user, "1")
        try await expectEqual(apple(login, token).user, "1", "an app need not show it")
        for (token, nonce) in [(token, "n-2"), (try issuer.token("001.k"), "n-1")] {
            await #expect(throws: AccountError.token(.claim("nonce"))) {
                try await apple(login, token, more: #","nonce":"\#(nonce)""#)
            }
        }
    }

    @Test func nobodyIsToBlameBeforeTheKeysWereRead() async throws {
        let issuer = try await TestIssuer()
        let login = try await LoginFixture(apple: issuer.identities([]))
        let token = try issuer.token("001.k")
        await #expect(throws: AccountError.unavailable) { try await apple(login, token) }
        let malformed = await #expect(throws: AccountError.self) { try await apple(login, "x") }
        guard case .token = malformed else {
            Issue.record("\(String(describing: malformed))")
            return
        }
    }

    // MARK: Refresh

    @Test func refreshTokenIsGoodOnceAndGivesBothAnew() async throws {
        let login = try await LoginFixture { $0.refreshTokenLifetime = .seconds(7200) }
        let first = try await login.login("Kari")
        login.advance(.seconds(3600))
        let second = try await login.refresh(first.refreshToken)
        expectEqual(second.user, first.user)
        expect(second.refreshToken != first.refreshToken)
        let claims = try login.verifier.verifyConnection(second.accessToken, now: login.now)
        expectEqual(claims.user, "1")
        login.advance(.seconds(7199))
        let third = try await login.refresh(second.refreshToken)
        await #expect(throws: AccountError.refresh(.unknown)) {
            try await login.refresh(second.refreshToken + "A")
        }
        login.advance(.seconds(7200))
        await #expect(throws: AccountError.refresh(.expired)) {
            try await login.refresh(third.refreshToken)
        }
    }

    @Test func copiedRefreshTokenEndsTheLoginAndNoOther() async throws {
        let login = try await LoginFixture()
        let phone = try await login.login("Kari")
        let tablet = try await login.login("Kari")
        let thiefs = try await login.refresh(phone.refreshToken)
        login.advance(.seconds(60))
        for (token, refusal) in [
            (phone.refreshToken, .reused), (thiefs.refreshToken, .unknown),
        ] as [(String, RefreshRefusal)] {
            await #expect(throws: AccountError.refresh(refusal)) { try await login.refresh(token) }
        }
        try await expectEqual(login.refresh(tablet.refreshToken).user, tablet.user)
    }

    @Test func answerThatWasLostIsGivenAgain() async throws {
        let login = try await LoginFixture()
        let first = try await login.login("Kari")
        let lost = try await login.refresh(first.refreshToken)
        login.advance(.seconds(5))
        let second = try await login.refresh(first.refreshToken)
        expect(second.refreshToken != lost.refreshToken)
        login.advance(.seconds(60))
        try await expectEqual(login.refresh(second.refreshToken).user, first.user)
    }

    @Test func refreshOfADeletedAccountIsRefused() async throws {
        let login = try await LoginFixture()
        let token = try await login.login("Kari").refreshToken
        login.memory.state.withLock { $0.users = [] }
        await #expect(throws: AccountError.refresh(.unknown)) { try await login.refresh(token) }
    }

    @Test func logoutEndsOneLogin() async throws {
        let login = try await LoginFixture()
        let phone = try await login.login("Kari")
        let tablet = try await login.login("Kari")
        let second = try await login.refresh(phone.refreshToken)
        // Whichever token of the login is given back.
        let (response, text) = await login.send(
            "/auth/logout",
            #"{"refresh_token":"\#(phone.refreshToken)"}"#
        )
        expectEqual(response.head.status, 200)
        expectEqual(text, "{}")
        await #expect(throws: AccountError.self) {
            try await login.refresh(second.refreshToken)
        }
        try await expectEqual(login.refresh(tablet.refreshToken).user, tablet.user)
        let again = await login.send("/auth/logout", #"{"refresh_token":"nobody's"}"#)
        expectEqual(again.0.head.status, 200)
    }

    // MARK: Access tokens of logins that have ended

    @Test func logoutTakesTheAccessTokensOfItsLoginBack() async throws {
        let login = try await LoginFixture()
        let phone = try await login.login("Kari")
        let tablet = try await login.login("Kari")
        login.advance(.seconds(60))
        let second = try await login.refresh(phone.refreshToken)
        for token in [phone, second, tablet].map(\.accessToken) { try login.check(token) }
        _ = await login.send("/auth/logout", #"{"refresh_token":"\#(second.refreshToken)"}"#)
        for token in [phone, second].map(\.accessToken) {
            #expect(throws: TokenError.revoked) { try login.check(token) }
        }
        try login.check(tablet.accessToken)
        let ended = login.memory.state.withLock { $0.ended }
        expectEqual(ended.map(\.endedAt), [login.now])
        let disconnected = login.disconnected
        expectEqual(disconnected.map(\.user), [phone.user])
        expectEqual(disconnected.flatMap(\.logins), ended.map(\.family))
        // There is nothing left to end.
        _ = await login.send("/auth/logout", #"{"refresh_token":"\#(second.refreshToken)"}"#)
        expectEqual(login.disconnected.count, 1)
    }

    /// On every node: `disconnect` with the logins is a note to the others.
    @Test func deletionTakesTheAccessTokensOfAllLoginsBack() async throws {
        let login = try await LoginFixture()
        let phone = try await login.login("Kari")
        let tablet = try await login.login("Kari")
        let other = try await login.login("Ola")
        try await expect(login.service.delete(phone.user))
        for token in [phone, tablet].map(\.accessToken) {
            #expect(throws: TokenError.revoked) { try login.check(token) }
        }
        try login.check(other.accessToken)
        let ended = login.memory.state.withLock { $0.ended }
        expectEqual(login.disconnected.map(\.user), [phone.user])
        expectEqual(login.disconnected.flatMap(\.logins), ended.map(\.family))
        expectEqual(ended.count, 2)
        try await expect(!login.service.delete(phone.user))
    }

    @Test func copiedRefreshTokenTakesTheAccessTokensOfItsLoginBack() async throws {
        let login = try await LoginFixture()
        let phone = try await login.login("Kari")
        let tablet = try await login.login("Kari")
        let thiefs = try await login.refresh(phone.refreshToken)
        login.advance(.seconds(60))
        await #expect(throws: AccountError.self) { try await login.refresh(phone.refreshToken) }
        for token in [phone, thiefs].map(\.accessToken) {
            #expect(throws: TokenError.revoked) { try login.check(token) }
        }
        try login.check(tablet.accessToken)
        expectEqual(login.disconnected.map(\.user), [phone.user])
    }

    @Test func loginThatMakesWayTakesItsAccessTokenAlong() async throws {
        let login = try await LoginFixture()
        let first = try await login.login("Kari")
        for _ in 1..<AccountService.familiesMax {
            login.advance(.seconds(1))
            _ = try await login.login("Kari")
        }
        try login.check(first.accessToken)
        login.advance(.seconds(1))
        let last = try await login.login("Kari")
        #expect(throws: TokenError.revoked) { try login.check(first.accessToken) }
        try login.check(last.accessToken)
    }

    @Test func endedLoginIsKeptUntilNoTokenCanBeLeft() async throws {
        let login = try await LoginFixture()
        let kari = try await login.login("Kari")
        try await login.service.logout(
            RefreshRequest(json: Array(#"{"refresh_token":"\#(kari.refreshToken)"}"#.utf8))
        )
        let kept = Configuration.Accounts.accessTokenLifetimes.upperBound + TokenVerifier.leewayMax
        login.advance(kept)
        try await login.service.trim()
        expectEqual(login.memory.state.withLock { $0.ended.count }, 1)
        expectEqual(login.service.ended.count, 0, "its tokens have expired by the lifetime of now")
        login.advance(.milliseconds(1))
        try await login.service.trim()
        expect(login.memory.state.withLock { $0.ended.isEmpty })
    }

    @Test func noTokenIsKeptAsItIs() async throws {
        let login = try await LoginFixture()
        let answer = try await login.login("Kari")
        let records = login.memory.state.withLock { $0.records }
        expectEqual(records.map(\.hash), [RefreshToken.hash(of: answer.refreshToken)])
        expect(!"\(records)".contains(answer.refreshToken))
    }

    @Test func loginsOfOneUserAreBounded() async throws {
        let login = try await LoginFixture()
        let first = try await login.login("Kari")
        let ola = try await login.login("Ola")
        for _ in 0..<AccountService.familiesMax {
            login.advance(.seconds(1))
            _ = try await login.login("Kari")
        }
        expectEqual(
            login.memory.state.withLock { $0.records.count },
            AccountService.familiesMax + 1
        )
        await #expect(throws: AccountError.self) { try await login.refresh(first.refreshToken) }
        try await expectEqual(login.refresh(ola.refreshToken).user, ola.user)
    }

    @Test func endedLoginsAreForgotten() async throws {
        let login = try await LoginFixture { $0.refreshTokenLifetime = .seconds(3600) }
        _ = try await login.login("Kari")
        login.advance(.seconds(3000))
        _ = try await login.login("Kari")
        login.advance(.seconds(601))
        try await login.service.trim()
        expectEqual(login.memory.state.withLock { $0.records.count }, 1)
    }

    /// As a hub does at its start.
    @Test func endedLoginsAreReadFromTheStore() async throws {
        let login = try await LoginFixture()
        let kari = try await login.login("Kari")
        let claims = try login.verifier.verifyConnection(kari.accessToken, now: login.now)
        let family = try require(claims.login)
        login.memory.state.withLock { $0.end(family, at: login.now) }
        try login.check(kari.accessToken)
        try await login.service.prepare()
        #expect(throws: TokenError.revoked) { try login.check(kari.accessToken) }
    }
}
