import Expectations

@testable import varde_load

@Suite("Target URL: which server is meant", .timeLimit(.minutes(10)))
struct TargetURLTests {
    @Test(
        arguments: [
            ("ws://127.0.0.1:8000", false, "127.0.0.1", 8000, nil),
            ("ws://127.0.0.1:8000/echo", false, "127.0.0.1", 8000, "/echo"),
            ("wss://hub.example/a?b=c", true, "hub.example", 443, "/a?b=c"),
            ("http://hub.example?b=c", false, "hub.example", 80, "/?b=c"),
            ("https://[::1]:8443/", true, "::1", 8443, "/"),
            ("ws://[::1]/x", false, "::1", 80, "/x"),
        ] as [(String, Bool, String, UInt16, String?)]
    )
    func partsAreRead(text: String, isSecure: Bool, host: String, port: UInt16, path: String?)
        throws
    {
        let url = try require(TargetURL(text))
        expectEqual(url.isSecure, isSecure)
        expectEqual(url.host, host)
        expectEqual(url.port, port)
        expectEqual(url.path, path)
    }

    @Test(arguments: [
        "", "127.0.0.1:8000", "ftp://host", "ws://", "ws://:80", "ws://host:", "ws://host:99999",
        "ws://user@host", "ws://host/#part",
    ])
    func otherTextIsRefused(text: String) {
        expectNil(TargetURL(text))
    }

    @Test func authorityLeavesOutTheStandardPortAndBracketsAddresses() {
        expectEqual(TargetURL("ws://hub:80/a")?.authority, "hub")
        expectEqual(TargetURL("wss://hub:80/a")?.authority, "hub:80")
        expectEqual(TargetURL("wss://[::1]:443")?.authority, "[::1]")
    }
}
