import Expectations
import Foundation
import Hub
import HubTesting
import LoopTesting

@testable import Hooks

/// A whole hub, and an application that it asks over HTTP.
@Suite("Hooks: a hub that asks an application", .timeLimit(.minutes(10)))
struct HooksHubTests {
    private static let key = "a-key-of-the-backend"

    private func withHub(
        _ answer: @escaping @Sendable (ServerRequest) -> ScriptedServer.Answer,
        _ body: (HubService, ScriptedServer) async throws -> Void
    ) async throws {
        let directory = FileManager.default.temporaryDirectory
            .appending(path: "varde-hooks-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(
            atPath: directory,
            withIntermediateDirectories: true
        )
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try await ScriptedServer.run(answer: answer) { server in
            let yaml = """
                listen: ["127.0.0.1:0"]
                drain: {spread: 0s, timeout: 60s}
                api: {keys: [\(Self.key)]}
                hooks: [{name: app, url: "\(server.url)/{event}", timeout: 20s, headers: [Cookie]}]
                clients: {connect_hook: app, rpc_hooks: {"*": app}}
                namespaces: [{name: chat, subscribe_hook: app, publish_hook: app}]
                """
            let hub = try await HubService.start(
                LoadedConfiguration(
                    file: (name: "varde.yaml", text: yaml),
                    environment: ["VARDE_DATABASE": directory + "/varde.sqlite"],
                    domains: [HooksDoor.configuration]
                ),
                environment: [:],
                logger: silentLogger,
                domains: [HooksDoor.self]
            )
            let result: Result<Void, any Error>
            do { result = .success(try await body(hub, server)) } catch { result = .failure(error) }
            await expect(hub.stop())
            try result.get()
        }
    }

    private func get(_ target: String, of hub: HubService) async throws -> String {
        let client = try LoopTestClient(port: hub.addresses[0].port)
        try await client.send(httpRequest("GET", target, ["X-API-Key: \(Self.key)"]))
        let body = try await client.receiveResponse().body
        await client.close()
        return body
    }

    @Test func applicationDecidesAboutAClientFromItsConnectionOn() async throws {
        try await withHub { request in
            let isAnn = request.head.headers.first("Cookie") == "user=ann"
            return switch request.head.target {
            case "/connect" where isAnn: .json(#"{"result":{"user":"ann"}}"#)
            case "/connect": .json(#"{"disconnect":{"code":4403,"reason":"who are you"}}"#)
            case "/subscribe": .json(#"{"result":{}}"#)
            case "/publish": .json(#"{"result":{"data":{"text":"mended"}}}"#)
            case "/rpc": .json(#"{"result":{"data":42}}"#)
            default: .status(404)
            }
        } _: { hub, _ in
            let port = hub.addresses[0].port
            let stranger = try LoopTestClient(port: port)
            try await stranger.upgrade()
            try await stranger.sendText(#"{"id":1,"connect":{}}"#)
            try await expectEqual(stranger.receiveClose().code, 4403)
            let ann = try LoopTestClient(port: port)
            try await ann.send(webSocketRequest("/connection/websocket", ["Cookie: user=ann"]))
            _ = try await ann.receiveHead()
            try await expect(ann.command(#"{"id":1,"connect":{}}"#).contains(#""client""#))
            try await expect(ann.subscribe(2, "chat:1").contains(#""subscribe":{"#))
            let call = try await ann.command(#"{"id":3,"rpc":{"method":"any"}}"#)
            expectEqual(call, #"{"id":3,"rpc":{"data":42}}"#)
            try await ann.sendText(
                #"{"id":4,"publish":{"channel":"chat:1","data":{"text":"raw"}}}"#
            )
            let texts = [try await ann.receiveText(), try await ann.receiveText()]
            expect(texts.contains { $0.contains(#""data":{"text":"mended"}"#) }, "\(texts)")
            let metrics = try Exposition(try await get("/metrics", of: hub))
            expectEqual(
                metrics.value(
                    "hub_hook_calls_total",
                    ["hook": "app", "event": "publish", "result": "result"]
                ),
                1
            )
            let doors = try await get("/api/doors", of: hub)
            expect(doors.contains(#"["app","127.0.0.1","ok",0,0,0]"#), "\(doors)")
            expect(doors.contains(#"["app","connect","disconnect",1]"#), "\(doors)")
        }
    }

    @Test func streamsDoNotGoRoundTheApplication() async throws {
        try await withHub { _ in
            .status(500)
        } _: { hub, _ in
            let client = try LoopTestClient(port: hub.addresses[0].port)
            let response = try await client.get("/events?topics=chat:1")
            expect([401, 403, 503].contains(response.status))
        }
    }
}
