import AllDomains
import Expectations
import Foundation
import HubTesting
import LoopTesting
import RadarApp
import StoreTesting

@testable import Hub

@Suite("Accounts: a hub with radars and without the film app", .timeLimit(.minutes(10)))
struct AccountHubTests {
    private static let yaml = """
        development: true
        accounts: {}
        radar:
          sources:
            - {name: claude, kind: anthropic, url: "http://127.0.0.1:9", model: m, key: k}
        namespaces:
          - {name: own, anonymous_subscribe: false, subscribe: owner}
        """

    private func withHubs(_ lives: (AccountHub) async throws -> Void...) async throws {
        try await withDirectory { directory in
            for life in lives {
                try await AccountHub.run(
                    in: directory,
                    Self.yaml,
                    domains: [RadarDomain.self],
                    life
                )
            }
        }
    }

    @Test func loginMakesAnAccountThatARestartKeeps() async throws {
        let first = Locked<AccountHub.Tokens?>(nil)
        try await withHubs(
            { hub in
                let answer = try await hub.send(
                    "POST",
                    "/auth/login",
                    #"{"provider":"development","token":"Kari"}"#
                )
                let tokens = try hub.tokens(of: answer)
                first.withLock { $0 = tokens }
                expect(UUID(uuidString: tokens.user) != nil)
                let user = #""user":{"user_id":"\#(tokens.user)","name":"Kari","email":null}"#
                expect(answer.body.contains(user))
                try await expectEqual(hub.login("Kari").user, tokens.user)
                try await expect(hub.login("Ola").user != tokens.user)
            },
            { hub in
                let tokens = try require(first.withLock { $0 })
                try await expectEqual(hub.login("Kari").user, tokens.user)
                let second = try hub.tokens(of: try await hub.refresh(tokens.refresh))
                expectEqual(second.user, tokens.user)
                try await expectEqual(
                    hub.send("GET", "/api/radars", token: second.access).status,
                    200
                )
            }
        )
    }

    @Test func accessTokenIsTheUserOnEverySideOfTheHub() async throws {
        try await withHubs { hub in
            let (kari, ola) = (try await hub.login("Kari"), try await hub.login("Ola"))
            // The radar's routes.
            let body = #"{"topic":"tea"}"#
            let made = try await hub.send("POST", "/api/radars", token: kari.access, body)
            expectEqual(made.status, 201)
            expectEqual(text("userId", in: made.body), kari.user)
            try await expectEqual(hub.send("GET", "/api/radars").status, 401)
            let others = try await hub.send("GET", "/api/radars", token: ola.access)
            expect(!others.body.contains(kari.user))
            // A WebSocket, and topics that are the user's own.
            let socket = try hub.connect()
            _ = try await socket.connectSession(token: kari.access)
            try await expect(socket.subscribe(2, "own:\(kari.user)").contains(#""subscribe""#))
            let refused = try await socket.subscribe(3, "own:\(ola.user)")
            expectEqual(number("code", in: refused), 103)
            // An event stream.
            let stream = try await hub.stream("own:\(kari.user)", token: kari.access)
            try await expectEqual(stream.receiveHead().status, 200)
            let other = try await hub.stream("own:\(kari.user)", token: ola.access)
            try await expectEqual(other.receiveHead().status, 403)
            for client in [socket, stream, other] { await client.close() }
        }
    }

    @Test func loginThatHasEndedOpensNothingAlsoAfterARestart() async throws {
        let ended = Locked("")
        func isRefused(_ hub: AccountHub) async throws {
            let token = ended.withLock { $0 }
            try await expectEqual(hub.send("GET", "/api/radars", token: token).status, 401)
            let socket = try hub.connect()
            try await socket.upgrade()
            try await socket.sendText(#"{"id":1,"connect":{"token":"\#(token)"}}"#)
            try await expect(socket.receiveClose() == (3500, "invalid token"))
            let stream = try await hub.stream("own:a", token: token)
            try await expectEqual(stream.receiveHead().status, 401)
            await stream.close()
        }
        try await withHubs(
            { hub in
                let (phone, tablet) = (try await hub.login("Kari"), try await hub.login("Kari"))
                ended.withLock { $0 = phone.access }
                let (socket, spared) = (try hub.connect(), try hub.connect())
                _ = try await socket.connectSession(token: phone.access)
                _ = try await spared.connectSession(token: tablet.access)
                let stream = try await hub.stream("own:\(phone.user)", token: phone.access)
                try await expectEqual(stream.receiveHead().status, 200)
                try await hub.logOut(phone.refresh)
                try await expect(socket.receiveClose() == (3500, "invalid token"))
                _ = try await stream.receiveAll()
                let reply = try await spared.subscribe(2, "own:\(tablet.user)")
                expect(reply.contains(#""subscribe""#))
                try await isRefused(hub)
                try await expectEqual(
                    hub.send("GET", "/api/radars", token: tablet.access).status,
                    200
                )
                try await expectEqual(hub.refresh(phone.refresh).status, 401)
                await spared.close()
            },
            isRefused
        )
    }

    @Test func copiedRefreshTokenEndsTheLogin() async throws {
        try await withHubs { hub in
            let first = try await hub.login("Kari")
            let second = try hub.tokens(of: try await hub.refresh(first.refresh))
            let third = try hub.tokens(of: try await hub.refresh(second.refresh))
            // A token was used after it, so its answer had arrived.
            let copied = try await hub.refresh(first.refresh)
            expectEqual(copied.status, 401)
            expectEqual(copied.body, #"{"message":"the token is not valid","code":"UNAUTHORIZED"}"#)
            for token in [first, second, third].map(\.access) {
                try await expectEqual(hub.send("GET", "/api/radars", token: token).status, 401)
            }
        }
    }

    @Test func errorsOfPathsAndMethodsHaveTheForm() async throws {
        try await withHubs { hub in
            let missing = try await hub.send("GET", "/auth/other")
            expectEqual(missing.status, 404)
            expect(missing.body.contains(#""code":"NOT_FOUND""#))
            let method = try await hub.send("GET", "/auth/login")
            expectEqual(method.status, 405)
            expect(method.body.contains(#""code":"METHOD_NOT_ALLOWED""#))
        }
    }

    // MARK: What switches accounts on

    private func status(
        of target: String,
        _ yaml: String,
        body: String = #"{"provider":"development","token":"Kari"}"#
    ) async throws -> Int {
        var status = 0
        try await withDirectory { directory in
            try await AccountHub.run(in: directory, yaml, domains: allDomains) { hub in
                status = try await hub.send("POST", target, body).status
            }
        }
        return status
    }

    @Test func hubWithoutAccountsHasNoLogins() async throws {
        try await expectEqual(status(of: "/auth/login", "development: true"), 404)
    }

    @Test func filmAppSwitchesAccountsOn() async throws {
        try await expectEqual(status(of: "/auth/login", "development: true\nactivity: {}"), 200)
    }

    @Test func developmentProviderNeedsDevelopment() async throws {
        try await expectEqual(status(of: "/auth/login", "accounts: {}"), 400)
        try await expectEqual(status(of: "/auth/login", "development: true\naccounts: {}"), 200)
    }

    @Test func rateOfLoginsIsThatOfTheAddress() async throws {
        try await withDirectory { directory in
            let yaml = Self.yaml + "\nrates: {address: {logins: 1}}"
            try await AccountHub.run(in: directory, yaml, domains: [RadarDomain.self]) { hub in
                var refused = 0
                // However slow the machine is, not each of them takes a second.
                for _ in 0..<10 {
                    let answer = try await hub.refresh("nobody's")
                    if answer.status == 429 { refused += 1 }
                }
                expect((1...9).contains(refused))
                let line = #"hub_limits_reached_total{limit="rates.address.logins"} \#(refused)"#
                try await expect(hub.send("GET", "/metrics").body.contains(line + "\n"))
            }
        }
    }

    // MARK: Former keys

    @Test func formerKeysApplyAndAreLogged() async throws {
        try await withDirectory { directory in
            let (logger, lines) = StreamedLog.make()
            let yaml = "development: true\nactivity: {access_token_lifetime: 2h}"
            try await AccountHub.run(
                in: directory,
                yaml,
                domains: allDomains,
                logger: logger
            ) { hub in
                let body = #"{"provider":"development","token":"Kari"}"#
                let answer = try await hub.send("POST", "/auth/login", body)
                expect(answer.body.contains(#""expires_in":7200"#))
            }
            let line = await lines.first { $0.message.hasPrefix("configuration key has moved") }
            expectEqual(line?.metadata["former"], "activity.access_token_lifetime")
            expectEqual(line?.metadata["key"], "accounts.access_token_lifetime")
        }
    }
}
