import Expectations
import HubTesting
import LoopTesting
import Reactor
import Wire

@testable import Service

@Suite("Accounts: /auth", .timeLimit(.minutes(10)))
struct AccountRoutesTests {
    private static let kari = #"{"provider":"development","token":"Kari"}"#

    private func string(_ key: String, in body: String) throws -> String {
        try require(text(key, in: body))
    }

    @Test func loginAndRefreshAnswerAlike() async throws {
        let login = try await LoginFixture()
        let (first, body) = await login.send("/auth/login", Self.kari)
        expectEqual(first.head.status, 200)
        expectEqual(first.head.headers.first("Cache-Control"), "no-store")
        let keys = ["access_token", "user", "refresh_token", "token_type", "expires_in"]
        try expectEqual(jsonKeys(body), keys)
        expect(body.contains(#""user":{"user_id":"1","name":"Kari","email":null}"#))
        expect(body.contains(#""expires_in":86400"#))
        let token = try string("refresh_token", in: body)
        let (second, again) = await login.send(
            "/auth/refresh",
            #"{"refresh_token":"\#(token)"}"#
        )
        expectEqual(second.head.status, 200)
        try expectEqual(jsonKeys(again), keys)
        try expect(string("refresh_token", in: again) != token)
    }

    @Test(
        arguments: [
            ("/auth/login", "", 400), ("/auth/login", "[]", 400), ("/auth/login", "{}", 400),
            ("/auth/login", #"{"provider":"development"}"#, 400),
            ("/auth/login", #"{"provider":"development","token":""}"#, 400),
            ("/auth/login", #"{"provider":"development","token":7}"#, 400),
            ("/auth/login", #"{"provider":"nobody","token":"a"}"#, 400),
            ("/auth/refresh", "{}", 400), ("/auth/logout", "{}", 400),
            ("/auth/refresh", #"{"refresh_token":"nobody's"}"#, 401),
        ]
    )
    func refusalHasTheFormOfTheHub(target: String, body: String, status: Int) async throws {
        let login = try await LoginFixture()
        let (response, text) = await login.send(target, body)
        expectEqual(response.head.status, status)
        let code = status == 401 ? "UNAUTHORIZED" : "INVALID_REQUEST"
        expect(text.hasPrefix(#"{"message":""#), "\(text)")
        expect(text.hasSuffix(#","code":"\#(code)"}"#), "\(text)")
        expectEqual(
            response.head.headers.first("WWW-Authenticate"),
            (status == 401 ? "Bearer" : nil)
        )
    }

    @Test func contentOverTheLimitIsRefused() async throws {
        let login = try await LoginFixture()
        let length = LoginLimits.bodyBytesMax - Self.kari.utf8.count
        let space = String(repeating: " ", count: length)
        await expectEqual(login.send("/auth/login", Self.kari + space).0.head.status, 200)
        let (response, text) = await login.send("/auth/login", Self.kari + space + " ")
        expectEqual(response.head.status, 413)
        expect(text.contains("INVALID_REQUEST"))
    }

    @Test func tokenThatWasValidHasACodeOfItsOwn() async throws {
        let login = try await LoginFixture { $0.refreshTokenLifetime = .seconds(3600) }
        let token = try await login.login("Kari").refreshToken
        login.advance(.seconds(3600))
        let (response, text) = await login.send("/auth/refresh", #"{"refresh_token":"\#(token)"}"#)
        expectEqual(response.head.status, 401)
        expectEqual(text, #"{"message":"the token has expired","code":"TOKEN_EXPIRED"}"#)
    }

    @Test func pathAndMethodWithoutARouteHaveTheForm() async throws {
        let login = try await LoginFixture()
        let (response, text) = await login.send("/auth/other", "{}")
        expectEqual(response.head.status, 404)
        expect(text.contains(#""code":"NOT_FOUND""#))
    }

    // MARK: How often

    private static func address(_ host: String) throws -> SocketAddress {
        let address = SocketAddress(host: host, port: 50_000)
        return try require(address)
    }

    @Test func requestOverTheRateOfItsAddressIsToldWhenToComeAgain() async throws {
        let login = try await LoginFixture(loginsPerSecond: 2)
        let (mine, other) = (try Self.address("192.0.2.1"), try Self.address("192.0.2.2"))
        let statuses = [
            await login.send("/auth/login", Self.kari, from: mine),
            // What it is for and whether it can be read does not matter.
            await login.send("/auth/refresh", "{}", from: mine),
        ].map(\.0.head.status)
        expectEqual(statuses, [200, 400])
        for target in ["/auth/login", "/auth/refresh", "/auth/logout"] {
            let (response, text) = await login.send(target, Self.kari, from: mine)
            expectEqual(response.head.status, 429)
            expectEqual(response.head.headers.first("Retry-After"), "1")
            expect(text.contains(#""code":"RATE_LIMITED""#))
        }
        expectEqual(login.reached.withLock { $0 }, 3)
        await expectEqual(login.send("/auth/login", Self.kari, from: other).0.head.status, 200)
        await expectEqual(login.send("/auth/login", Self.kari).0.head.status, 200)
        login.advance(.milliseconds(500))
        await expectEqual(login.send("/auth/login", Self.kari, from: mine).0.head.status, 200)
        await expectEqual(login.send("/auth/login", Self.kari, from: mine).0.head.status, 429)
        expectEqual(login.reached.withLock { $0 }, 4)
    }

    @Test func hostsOfOneNetworkOfIPv6ShareItsRate() async throws {
        let login = try await LoginFixture(loginsPerSecond: 1)
        for (host, status) in [
            ("2001:db8:0:1::1", 200), ("2001:db8:0:1:ffff::9", 429), ("2001:db8:0:2::1", 200),
            ("192.0.2.1", 200), ("::ffff:192.0.2.1", 429),
        ] {
            let address = try Self.address(host)
            let answer = await login.send("/auth/login", Self.kari, from: address)
            expectEqual(answer.0.head.status, status, "\(host)")
        }
    }
}
