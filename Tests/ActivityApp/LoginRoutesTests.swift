import Access
import Activity
import HTTPService
import HTTPWire
import HubTesting
import Polling
import Reactor
import Routing
import ShardTesting
import Tasks
import Testing
import Timekeeping
import TokenTesting
import Tokens

@testable import ActivityApp

@Suite("Film app: /auth", .timeLimit(.minutes(10)))
struct LoginRoutesTests {
    private static let kari = #"{"provider":"development","token":"Kari"}"#

    private func string(_ key: String, in body: String) throws -> String {
        try #require(text(key, in: body))
    }

    @Test func loginAndRefreshAnswerAlike() async throws {
        let login = try await LoginFixture()
        let (first, body) = await login.send("/auth/login", Self.kari)
        #expect(first.head.status == 200)
        #expect(first.head.headers.first("Cache-Control") == "no-store")
        let keys = ["access_token", "user", "refresh_token", "token_type", "expires_in"]
        #expect(try jsonKeys(body) == keys)
        #expect(
            body.contains(#""user":{"user_id":1,"name":"Kari","avatar_url":null,"email":null}"#)
        )
        #expect(body.contains(#""expires_in":86400"#))
        let token = try string("refresh_token", in: body)
        let (second, again) = await login.send(
            "/auth/refresh",
            #"{"refresh_token":"\#(token)"}"#
        )
        #expect(second.head.status == 200)
        #expect(try jsonKeys(again) == keys)
        #expect(try string("refresh_token", in: again) != token)
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
    func refusalHasTheFormOfTheApp(target: String, body: String, status: Int) async throws {
        let login = try await LoginFixture()
        let (response, text) = await login.send(target, body)
        #expect(response.head.status == status)
        let code = status == 401 ? "AUTHENTICATION_REQUIRED" : "INVALID_REQUEST"
        #expect(text.hasPrefix(#"{"error":{"code":"\#(code)","message":""#), "\(text)")
        #expect(text.contains(#""details":{"#))
        #expect(response.head.headers.first("WWW-Authenticate") == (status == 401 ? "Bearer" : nil))
    }

    @Test func contentOverTheLimitIsRefused() async throws {
        let login = try await LoginFixture()
        let length = ActivityLimits.bodyBytesMax - Self.kari.utf8.count
        let space = String(repeating: " ", count: length)
        #expect(await login.send("/auth/login", Self.kari + space).0.head.status == 200)
        let (response, text) = await login.send("/auth/login", Self.kari + space + " ")
        #expect(response.head.status == 413)
        #expect(text.contains("INVALID_REQUEST"))
    }

    // MARK: How often

    private static func address(_ host: String) throws -> SocketAddress {
        let address = SocketAddress(host: host, port: 50_000)
        return try #require(address)
    }

    @Test func requestOverTheRateOfItsAddressIsToldWhenToComeAgain() async throws {
        let login = try await LoginFixture(loginsPerSecond: 2)
        let (mine, other) = (try Self.address("192.0.2.1"), try Self.address("192.0.2.2"))
        let statuses = [
            await login.send("/auth/login", Self.kari, from: mine),
            // What it is for and whether it can be read does not matter.
            await login.send("/auth/refresh", "{}", from: mine),
        ].map(\.0.head.status)
        #expect(statuses == [200, 400])
        for target in ["/auth/login", "/auth/refresh", "/auth/logout"] {
            let (response, text) = await login.send(target, Self.kari, from: mine)
            #expect(response.head.status == 429)
            #expect(response.head.headers.first("Retry-After") == "1")
            #expect(text.contains(#""code":"RATE_LIMIT_EXCEEDED""#))
            #expect(text.contains(#""details":{"retry_after":1}"#))
        }
        #expect(login.reached.withLock { $0 } == 3)
        #expect(await login.send("/auth/login", Self.kari, from: other).0.head.status == 200)
        #expect(await login.send("/auth/login", Self.kari).0.head.status == 200)
        login.advance(.milliseconds(500))
        #expect(await login.send("/auth/login", Self.kari, from: mine).0.head.status == 200)
        #expect(await login.send("/auth/login", Self.kari, from: mine).0.head.status == 429)
        #expect(login.reached.withLock { $0 } == 4)
    }

    @Test func hostsOfOneNetworkOfIPv6ShareItsRate() async throws {
        let login = try await LoginFixture(loginsPerSecond: 1)
        for (host, status) in [
            ("2001:db8:0:1::1", 200), ("2001:db8:0:1:ffff::9", 429), ("2001:db8:0:2::1", 200),
            ("192.0.2.1", 200), ("::ffff:192.0.2.1", 429),
        ] {
            let address = try Self.address(host)
            let answer = await login.send("/auth/login", Self.kari, from: address)
            #expect(answer.0.head.status == status, "\(host)")
        }
    }

    // MARK: Who asks of the other routes

    /// What stands in a request's header, and whose request it is.
    @Test func personIsTheOneWhomTheTokenNames() async throws {
        let tokens = try await TestTokens()
        let access = RouteAccess(
            verifier: { tokens.verifier },
            acceptsKey: { _ in false },
            endedLogins: EndedLogins(accessTokenLifetime: .seconds(3600))
        )
        func person(_ authorization: String?) async -> Result<Int, ActivityError> {
            var headers: HTTPHeaders = [:]
            if let authorization { headers.append("Authorization", authorization) }
            let request = RouteRequest(
                head: HTTPRequestHead(target: "/", headers: headers),
                body: [],
                peer: nil,
                parameters: RouteParameters()
            )
            do throws(ActivityError) {
                return .success(try await access.personID(of: request))
            } catch {
                return .failure(error)
            }
        }
        #expect(await person("Bearer \(try tokens.connection("42"))") == .success(42))
        #expect(await person(nil) == .failure(.authenticationRequired(.missing)))
        #expect(await person("Basic MTox") == .failure(.authenticationRequired(.missing)))
        access.endedLogins.add(["of the phone"], at: HubClock.wall)
        let tablet = try tokens.connection("42", login: "of the tablet")
        #expect(await person("Bearer \(tablet)") == .success(42))
        let phone = try tokens.connection("42", login: "of the phone")
        await #expect(throws: ActivityError(TokenError.revoked)) {
            try await person("Bearer \(phone)").get()
        }
        #expect(ActivityError(TokenError.revoked).details == .reason(.invalid))
        let expired = await person("Bearer \(try tokens.expiredConnection("42"))")
        #expect(throws: ActivityError(TokenError.expired)) { try expired.get() }
        for user in ["", "0", "-1", "+42", "042", "4 2", "kari", "٤٢", "9223372036854775808"] {
            let found = await person("Bearer \(try tokens.connection(user))")
            #expect(found == .failure(.authenticationRequired(.invalid)), "\(user)")
        }
    }
}
