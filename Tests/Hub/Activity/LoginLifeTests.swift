import AllDomains
import Expectations
import Foundation
import HubTesting
import LoopTesting

@testable import Hub

/// A whole hub with the film app, that may be started again with what it has stored.
private struct FilmHub {
    let service: HubService
    private let file: String
    private let source: ConfigurationSource

    init(in directory: String) async throws {
        file = directory + "/varde.yaml"
        try FilmHub.write(to: file)
        source = ConfigurationSource(
            path: file,
            environment: ["VARDE_DATABASE": directory + "/varde.sqlite"],
            domains: allDomains.configurations
        )
        service = try await HubService.start(
            try source.load(),
            environment: source.environment,
            logger: silentLogger,
            domains: allDomains
        )
    }

    private static func write(_ more: String = "", to file: String) throws {
        let text = """
            listen: ["127.0.0.1:0"]
            drain: {spread: 0s, timeout: 1s}
            development: true
            tokens: {secrets: [a secret of thirty-two bytes or more]}
            activity: {}
            \(more)
            """
        try text.write(toFile: file, atomically: true, encoding: .utf8)
    }

    /// Goes on with another limit of logins.
    func reload(loginsPerSecond: Int) async throws -> HubService.ReloadOutcome {
        try FilmHub.write("rates: {address: {logins: \(loginsPerSecond)}}", to: file)
        return await service.reload(from: source)
    }

    func connect() throws -> LoopTestClient {
        try LoopTestClient(port: service.addresses[0].port)
    }

    func send(
        _ method: String,
        _ target: String,
        token: String = "",
        _ body: String = ""
    ) async throws -> LoopTestClient.Response {
        let client = try connect()
        let fields = token.isEmpty ? [] : ["Authorization: Bearer \(token)"]
        try await client.send(httpRequest(method, target, fields, body: body))
        let response = try await client.receiveResponse()
        await client.close()
        return response
    }

    /// The tokens of a login as somebody.
    func login(_ name: String) async throws -> (access: String, refresh: String) {
        let body = #"{"provider":"development","token":"\#(name)"}"#
        let answer = try await send("POST", "/auth/login", body).body
        return (
            try require(text("access_token", in: answer)),
            try require(text("refresh_token", in: answer))
        )
    }

    /// How many of so many requests in a row are told to come later.
    func refusedLogins(of count: Int) async throws -> Int {
        var refused = 0
        for _ in 0..<count {
            let answer = try await send("POST", "/auth/refresh", #"{"refresh_token":"nobody's"}"#)
            if answer.status == 429 { refused += 1 }
        }
        return refused
    }

    /// The status of a route that is the user's own.
    func status(_ token: String) async throws -> Int {
        try await send("GET", "/users/me", token: token).status
    }
}

@Suite("Film app: a login from its beginning to its end", .timeLimit(.minutes(10)))
struct LoginLifeTests {
    private func withHubs(
        _ lives: (FilmHub) async throws -> Void...
    ) async throws {
        let directory = NSTemporaryDirectory() + "varde-logins-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: directory,
            withIntermediateDirectories: true
        )
        defer { try? FileManager.default.removeItem(atPath: directory) }
        for life in lives {
            let hub = try await FilmHub(in: directory)
            do { try await life(hub) } catch {
                await hub.service.stop()
                throw error
            }
            await hub.service.stop()
        }
    }

    @Test func logoutTakesTheTokenBackClosesTheSocketAndHoldsOverARestart() async throws {
        let tokens = Locked((phone: "", tablet: ""))
        try await withHubs(
            { hub in
                let (phone, tablet) = (try await hub.login("Kari"), try await hub.login("Kari"))
                tokens.withLock { $0 = (phone.access, tablet.access) }
                let (socket, other) = (try hub.connect(), try hub.connect())
                _ = try await socket.connectSession(token: phone.access)
                _ = try await other.connectSession(token: tablet.access)
                try await expectEqual(hub.status(phone.access), 200)
                let body = #"{"refresh_token":"\#(phone.refresh)"}"#
                try await expectEqual(hub.send("POST", "/auth/logout", body).status, 200)
                try await expect(socket.receiveClose() == (3500, "invalid token"))
                let refused = try await hub.send("GET", "/users/me", token: phone.access)
                expectEqual(refused.status, 401)
                expect(refused.body.contains(#""details":{"reason":"invalid"}"#))
                try await expectEqual(hub.status(tablet.access), 200)
                let reply = try await other.subscribe(2, "activity:1")
                expect(reply.contains(#""subscribe""#))
            },
            { hub async throws in
                let (phone, tablet) = tokens.withLock { $0 }
                try await expectEqual(hub.status(phone), 401)
                try await expectEqual(hub.status(tablet), 200)
            }
        )
    }

    @Test func deletedAccountTakesAllItsTokensAlongAndHoldsOverARestart() async throws {
        let tokens = Locked<[String]>([])
        func areRefused(_ hub: FilmHub) async throws {
            for token in tokens.withLock({ $0 }) {
                // Of a domain that does not ask for the account.
                let answer = try await hub.send("GET", "/api/alerts/rules", token: token)
                expectEqual(answer.status, 401)
                let socket = try hub.connect()
                try await socket.upgrade()
                try await socket.sendText(#"{"id":1,"connect":{"token":"\#(token)"}}"#)
                try await expect(socket.receiveClose() == (3500, "invalid token"))
            }
        }
        try await withHubs(
            { hub in
                let (phone, tablet) = (try await hub.login("Kari"), try await hub.login("Kari"))
                tokens.withLock { $0 = [phone.access, tablet.access] }
                let ola = try await hub.login("Ola").access
                for token in [phone.access, tablet.access, ola] {
                    let answer = try await hub.send("GET", "/api/alerts/rules", token: token)
                    expectEqual(answer.status, 200)
                }
                let deleted = try await hub.send("DELETE", "/users/me", token: phone.access)
                expectEqual(deleted.status, 200)
                try await areRefused(hub)
                try await expectEqual(hub.status(ola), 200)
            },
            areRefused
        )
    }

    @Test func rateOfLoginsChangesWithTheConfigurationAndIsCounted() async throws {
        try await withHubs { hub in
            try await expectEqual(
                hub.reload(loginsPerSecond: 1),
                .reloaded(["rates.address.logins"])
            )
            // However slow the machine is, not each of them takes a second.
            let refused = try await hub.refusedLogins(of: 10)
            expect((1...9).contains(refused))
            let line = #"hub_limits_reached_total{limit="rates.address.logins"} \#(refused)"#
            try await expect(hub.send("GET", "/metrics").body.contains(line + "\n"))
            try await expectEqual(
                hub.reload(loginsPerSecond: 0),
                .reloaded(["rates.address.logins"])
            )
            try await expectEqual(hub.refusedLogins(of: 10), 0)
        }
    }

    @Test func copiedRefreshTokenTakesTheAccessTokensAlong() async throws {
        try await withHubs { hub in
            let login = try await hub.login("Kari")
            var refresh = login.refresh
            var access = [login.access]
            for _ in 0..<2 {
                let body = #"{"refresh_token":"\#(refresh)"}"#
                let answer = try await hub.send("POST", "/auth/refresh", body).body
                refresh = try require(text("refresh_token", in: answer))
                access.append(try require(text("access_token", in: answer)))
            }
            for token in access { try await expectEqual(hub.status(token), 200) }
            // A token was used after it, so its answer had arrived.
            let body = #"{"refresh_token":"\#(login.refresh)"}"#
            try await expectEqual(hub.send("POST", "/auth/refresh", body).status, 401)
            for token in access { try await expectEqual(hub.status(token), 401) }
        }
    }
}
