import Expectations

@testable import varde

@Suite("Server URL", .timeLimit(.minutes(10)))
struct ServerURLTests {
    @Test(
        arguments: [
            ("ws://127.0.0.1:8000", false, "127.0.0.1", 8000, "127.0.0.1:8000"),
            ("http://hub.example", false, "hub.example", 80, "hub.example"),
            ("wss://hub.example/connection/websocket", true, "hub.example", 443, "hub.example"),
            ("https://hub.example:8443/", true, "hub.example", 8443, "hub.example:8443"),
            ("ws://[::1]:8000", false, "::1", 8000, "[::1]:8000"),
            ("wss://[::1]", true, "::1", 443, "[::1]"),
            ("ws://hub.example:65535", false, "hub.example", 65535, "hub.example:65535"),
        ] as [(String, Bool, String, UInt16, String)]
    )
    func addressIsRead(
        text: String,
        isSecure: Bool,
        host: String,
        port: UInt16,
        authority: String
    ) throws {
        let url = try require(ServerURL(text))
        expectEqual(url.isSecure, isSecure)
        expectEqual(url.host, host)
        expectEqual(url.port, port)
        expectEqual(url.authority, authority)
    }

    @Test(arguments: [
        "", "127.0.0.1:8000", "ftp://hub.example", "ws://", "ws:///path", "ws://:8000",
        "ws://hub.example:", "ws://hub.example:65536", "ws://hub.example:-1",
        "ws://hub.example:port", "ws://user@hub.example", "ws://[]:8000", "ws://hub.example:0",
        "ws://[::1", "ws://::1]:8000", "ws://::1:8000", "ws://[hub.example]", "ws://a b",
        "ws://hub.example?x", "ws://hub.example#x", "ws://hub.example:8000?x", "ws://[[::1]]",
    ])
    func otherTextsAreRefused(text: String) {
        expectNil(ServerURL(text))
    }
}
