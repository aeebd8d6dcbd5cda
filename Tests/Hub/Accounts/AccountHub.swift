import Expectations
import Foundation
import HubTesting
import LoopTesting
import StoreTesting

@testable import Hub

/// A whole hub with accounts, over a directory that outlives it.
struct AccountHub {
    static let secret = "a secret of thirty-two bytes or more"

    let service: HubService

    init(
        in directory: String,
        _ yaml: String,
        domains: [any Domain.Type],
        logger: Logger = silentLogger
    ) async throws {
        let environment = ["VARDE_DATABASE": TestEngine.location(directory)]
        let text = """
            listen: ["127.0.0.1:0"]
            drain: {spread: 0s, timeout: 1s}
            tokens: {secrets: [\(Self.secret)]}
            \(yaml)
            """
        service = try await HubService.start(
            LoadedConfiguration(
                file: (name: "varde.yaml", text: text),
                environment: environment,
                domains: domains.configurations
            ),
            environment: environment,
            logger: logger,
            domains: domains
        )
    }

    /// Runs `body` with a hub, and stops it.
    static func run(
        in directory: String,
        _ yaml: String,
        domains: [any Domain.Type],
        logger: Logger = silentLogger,
        _ body: (AccountHub) async throws -> Void
    ) async throws {
        let hub = try await AccountHub(in: directory, yaml, domains: domains, logger: logger)
        do { try await body(hub) } catch {
            await hub.service.stop()
            throw error
        }
        await hub.service.stop()
    }

    func connect() throws -> LoopTestClient {
        try LoopTestClient(port: service.addresses[0].port)
    }

    func send(
        _ method: String,
        _ target: String,
        token: String = "",
        fields: [String] = [],
        _ body: String = ""
    ) async throws -> LoopTestClient.Response {
        let client = try connect()
        let credentials = token.isEmpty ? [] : ["Authorization: Bearer \(token)"]
        try await client.send(httpRequest(method, target, credentials + fields, body: body))
        let response = try await client.receiveResponse()
        await client.close()
        return response
    }

    struct Tokens {
        var user: String
        var access: String
        var refresh: String
    }

    func login(_ name: String) async throws -> Tokens {
        let body = #"{"provider":"development","token":"\#(name)"}"#
        return try tokens(of: try await send("POST", "/auth/login", body))
    }

    func refresh(_ token: String) async throws -> LoopTestClient.Response {
        try await send("POST", "/auth/refresh", #"{"refresh_token":"\#(token)"}"#)
    }

    func logOut(_ token: String) async throws {
        let answer = try await send("POST", "/auth/logout", #"{"refresh_token":"\#(token)"}"#)
        try require(answer.status == 200)
    }

    func tokens(of answer: LoopTestClient.Response) throws -> Tokens {
        try require(answer.status == 200, "\(answer)")
        return Tokens(
            // A text, or a number of the film app.
            user: try require(
                text("user_id", in: answer.body)
                    ?? number("user_id", in: answer.body).map { "\($0)" }
            ),
            access: try require(text("access_token", in: answer.body)),
            refresh: try require(text("refresh_token", in: answer.body))
        )
    }

    /// An event stream of a topic.
    func stream(_ topic: String, token: String) async throws -> LoopTestClient {
        let client = try connect()
        let field = "Authorization: Bearer \(token)"
        try await client.send(httpRequest("GET", "/events?topics=\(topic)", [field]))
        return client
    }
}
