import Base
import Expectations

@Suite("X-Forwarded-For", .timeLimit(.minutes(10)))
struct ForwardedForTests {
    static let trusted = PeerBlocks(
        ["10.0.0.0/8", "2001:db8:1::/48", "192.0.2.7"].map { PeerBlocks.Entry($0)! }
    )

    static func client(_ lines: String...) -> String? {
        ForwardedFor.client(lines) { trusted.contains($0) }?.description
    }

    @Test(arguments: [
        ("198.51.100.1", "198.51.100.1"),
        ("198.51.100.1, 10.0.0.1", "198.51.100.1"),
        ("203.0.113.5, 198.51.100.1, 10.0.0.1, 10.0.0.2", "198.51.100.1"),
        ("198.51.100.1,10.0.0.1", "198.51.100.1"),
        ("198.51.100.1:5555 ,\t10.0.0.1:80", "198.51.100.1"),
        ("2001:db8:2::1, 2001:db8:1::1", "2001:db8:2::1"),
        ("[2001:db8:2::1]:443, [2001:db8:1::1]", "2001:db8:2::1"),
        ("::ffff:198.51.100.1", "198.51.100.1"),
        ("nonsense, 198.51.100.1, 10.0.0.1", "198.51.100.1"),
        ("10.0.0.9, 10.0.0.1", "10.0.0.9"),
    ])
    func rightMostUntrustedAddressIsTheClient(header: String, client: String) {
        expectEqual(ForwardedForTests.client(header), client)
    }

    @Test func linesAreOneList() {
        expectEqual(
            ForwardedForTests.client("203.0.113.5", "198.51.100.1, 10.0.0.1"),
            "198.51.100.1"
        )
    }

    @Test(arguments: [
        "", " ", ",", "unknown", "_hidden", "198.51.100.1, ", "198.51.100.1, nonsense, 10.0.0.1",
        "198.51.100.256", "127.1", "198.51.100.1:", "198.51.100.1:65536", "198.51.100.1:+1",
        "[198.51.100.1]", "[2001:db8::1", "[2001:db8::1]x", "2001:db8::1%eth0", "\"198.51.100.1\"",
    ])
    func malformedHeaderNamesNoClient(header: String) {
        expectNil(ForwardedForTests.client(header))
    }

    @Test func headerWithTooManyTrustedProxiesNamesNoClient() {
        let most = Array(repeating: "10.0.0.1", count: ForwardedFor.hopsMax - 1)
        let header = (["198.51.100.1"] + most).joined(separator: ",")
        expectEqual(ForwardedForTests.client(header), "198.51.100.1")
        expectNil(ForwardedForTests.client(header + ",10.0.0.1"))
    }

    @Test func entriesAreBlocksAddressesAndUnix() {
        let blocks = PeerBlocks(["10.0.0.0/8", "::1", "unix"].compactMap { PeerBlocks.Entry($0) })
        expect(blocks.includesUnix)
        expect(blocks.contains(IPAddress("10.200.0.1")!))
        expect(blocks.contains(IPAddress("::ffff:10.1.1.1")!))
        expect(blocks.contains(IPAddress("::1")!))
        expect(!blocks.contains(IPAddress("11.0.0.1")!))
        expect(!blocks.contains(IPAddress("::2")!))
        expect(PeerBlocks().isEmpty)
        for wrong in ["10.0.0.1/8", "localhost", "UNIX", "10.0.0.0/33", ""] {
            expectNil(PeerBlocks.Entry(wrong), "\(wrong)")
        }
    }
}
