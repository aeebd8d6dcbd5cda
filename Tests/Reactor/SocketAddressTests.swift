import Expectations

@testable import Reactor

@Suite("SocketAddress", .timeLimit(.minutes(10)))
struct SocketAddressTests {
    @Test(
        arguments: [
            ("127.0.0.1:8000", "127.0.0.1", 8000), ("0.0.0.0:0", "0.0.0.0", 0),
            ("[::1]:65535", "::1", 65535), ("[::]:80", "::", 80),
            ("[2001:db8::1]:1", "2001:db8::1", 1),
        ] as [(String, String, UInt16)]
    )
    func addressIsReadAndWritten(text: String, host: String, port: UInt16) throws {
        let address = try require(SocketAddress(text))
        expectEqual(address.host, host)
        expectEqual(address.port, port)
        expectEqual(address.description, text)
    }

    @Test(arguments: [
        "", ":", "127.0.0.1", "127.0.0.1:", ":80", "127.0.0.1:65536", "127.0.0.1:-1",
        "127.0.0.1:+80", "127.0.0.1:8 0", "127.0.0.1:0x50", "::1:80", "::1", "[::1]", "[::1]80",
        "[]:80", "[::1:80", "::1]:80", "127.0.0.256:80", "[::g]:80",
    ])
    func wrongFormIsRefused(text: String) {
        expectNil(SocketAddress(text))
    }

    @Test func hostsOfOneNetworkOfIPv6AreOne() throws {
        func network(_ text: String) throws -> UInt64 {
            try require(SocketAddress(text)).network
        }
        try expectEqual(network("[2001:db8:0:1::1]:1"), network("[2001:db8:0:1:ffff::2]:2"))
        try expect(network("[2001:db8:0:1::1]:1") != network("[2001:db8:0:2::1]:1"))
        try expect(network("192.0.2.1:1") != network("192.0.2.2:1"))
        try expectEqual(network("192.0.2.1:1"), network("[::ffff:192.0.2.1]:2"))
    }

    @Test func nameIsLookedUp() throws {
        let address = try require(SocketAddress("localhost:8000"))
        expect(address.isLoopback)
        expectEqual(address.port, 8000)
    }

    @Test(arguments: [
        ("127.0.0.1:1", true), ("127.9.8.7:1", true), ("[::1]:1", true),
        ("[::ffff:127.0.0.1]:1", true), ("0.0.0.0:1", false), ("10.0.0.1:1", false),
        ("[::]:1", false), ("[2001:db8::127]:1", false),
    ])
    func loopbackIsTold(text: String, isLoopback: Bool) throws {
        let address = try require(SocketAddress(text))
        expectEqual(address.isLoopback, isLoopback)
    }

    @Test func addressInUseIsNotFree() async throws {
        try await withHost { host in
            let address = try await host.listen()
            let error = #expect(throws: SystemError.self) { try checkIsFree(address) }
            expectEqual(error?.code, 98, "EADDRINUSE")
            expectEqual(error?.description.contains("\(address)"), true)
        }
    }
}
