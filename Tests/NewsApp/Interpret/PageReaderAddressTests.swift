import Duties
import Expectations
import Upstream

@testable import NewsApp

@Suite("Page reader: inside addresses are not reached", .timeLimit(.minutes(10)))
struct PageReaderAddressTests {
    private let transport = RecordingTransport()

    private func reader(
        _ resolver: RecordingResolver = RecordingResolver(),
        _ transport: RecordingTransport? = nil
    ) -> PageReader {
        PageReader(
            userAgent: "varde/test",
            limits: .patient,
            resolver: resolver,
            transport: transport ?? self.transport
        )
    }

    private static let insideAddresses = [
        "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "127.0.0.1",
        "127.255.255.254", "169.254.169.254", "169.254.0.1", "168.63.129.16", "172.16.0.1",
        "172.31.255.255", "192.0.0.1", "192.0.2.1", "192.88.99.1", "192.168.1.1", "198.18.0.1",
        "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1",
        "255.255.255.255", "::", "::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1",
        "::ffff:169.254.169.254", "::127.0.0.1", "::8.8.8.8", "64:ff9b::7f00:1",
        "64:ff9b::a9fe:a9fe", "64:ff9b:1::1", "100::1", "2001::1", "2001:db8::1",
        "2002:7f00:1::1", "2002:a9fe:a9fe::1", "3fff::1", "5f00::1", "fc00::1", "fd00:ec2::254",
        "fe80::1", "fec0::1", "ff02::1",
    ]

    @Test(arguments: insideAddresses)
    func insideAddressInTheURLIsNotReached(_ address: String) async throws {
        let resolver = RecordingResolver()
        let host = address.contains(":") ? "[\(address)]" : address
        for url in ["http://\(host)/", "https://\(host):8443/a?b", "HTTP://\(host)"] {
            await expectEqual(readError(reader(resolver), url), .notReachable, "\(url)")
        }
        expectEqual(transport.targets, [])
        expectEqual(resolver.names, [])
    }

    @Test(arguments: insideAddresses)
    func nameOfAnInsideAddressIsNotReached(_ address: String) async throws {
        let resolver = RecordingResolver([
            "inside.example": [[address]], "mixed.example": [["93.184.216.34", address]],
            "mixed2.example": [[address, "2606:4700::1111", "93.184.216.34"]],
        ])
        for host in ["inside.example", "mixed.example", "mixed2.example"] {
            await expectEqual(readError(reader(resolver), "https://\(host)/"), .notReachable)
        }
        expectEqual(transport.targets, [])
        expectEqual(resolver.names.count, 3)
    }

    @Test(arguments: insideAddresses)
    func redirectToAnInsideAddressIsNotFollowed(_ address: String) async throws {
        let host = address.contains(":") ? "[\(address)]" : address
        let transport = RecordingTransport([
            "http://public.example/a": (302, ["Location": "http://\(host)/"], ""),
            "http://public.example/b": (307, ["Location": "//inside.example/"], ""),
        ])
        let resolver = RecordingResolver([
            "public.example": [["93.184.216.34"]], "inside.example": [[address]],
        ])
        let reader = self.reader(resolver, transport)
        await expectEqual(readError(reader, "http://public.example/a"), .notReachable)
        await expectEqual(readError(reader, "http://public.example/b"), .notReachable)
        let publicTarget = "public.example 93.184.216.34:80"
        expectEqual(transport.targets, [publicTarget, publicTarget])
    }

    /// Forms that `inet_aton` takes for addresses of this machine, of a private network and of a
    /// metadata service.
    @Test(arguments: [
        "2130706433", "0x7f000001", "0x7f.1", "0x7f.0.0.1", "127.1", "127.0.1", "0177.0.0.1",
        "017700000001", "0", "00.0.0.0", "1", "127.0.0.01", "0xA9FEA9FE", "2852039166",
        "169.254.43518", "0251.0376.0251.0376", "10.1", "012.0.0.1", "192.168.257", "127.0.0.1.",
        "0x7F000001.", "[127.0.0.1]", "[::1%25lo]", "[fe80::1%25eth0]", "[::ffff:0x7f.1]", "[]",
        "[::1", "127.0.0.1:80:90", "１２７.0.0.1", "127。0。0。1", "%31%32%37.0.0.1",
    ])
    func otherFormOfAnAddressIsNoHost(_ host: String) async throws {
        let resolver = RecordingResolver()
        for prefix in ["http://", "https://public.example@"] {
            let error = await readError(reader(resolver), "\(prefix)\(host)/")
            guard case .invalidURL = error else {
                Issue.record("\(prefix)\(host): \(String(describing: error))")
                continue
            }
        }
        expectEqual(resolver.names, [])
        expectEqual(transport.targets, [])
    }

    @Test(arguments: [
        "localhost", "LOCALHOST", "localhost.", "a.localhost", "localhost.localdomain",
        "ip6-localhost", "metadata.google.internal", "127.0.0.1.nip.example",
    ])
    func nameOfThisMachineIsNotReached(_ host: String) async throws {
        let resolver = RecordingResolver([host.lowercased(): [["127.0.0.1", "::1"]]])
        await expectEqual(readError(reader(resolver), "http://\(host)/"), .notReachable)
        expectEqual(resolver.names, [host.lowercased()])
        expectEqual(transport.targets, [])
    }

    /// The request carries the checked address; the transport looks nothing up.
    @Test func nameThatMovesAfterTheCheckIsReadWhereItWasChecked() async throws {
        let resolver = RecordingResolver([
            "moving.example": [["93.184.216.34"], ["127.0.0.1"]]
        ])
        let reader = self.reader(resolver)
        _ = try await reader.read("http://moving.example:8080/")
        expectEqual(resolver.names, ["moving.example"], "one look-up for one request")
        expectEqual(transport.targets, ["moving.example 93.184.216.34:8080"])
        await expectEqual(readError(reader, "http://moving.example:8080/"), .notReachable)
        expectEqual(transport.targets.count, 1)
    }

    @Test func nameIsLookedUpAgainForARedirectToItself() async throws {
        let transport = RecordingTransport([
            "http://moving.example/": (301, ["Location": "/next"], "")
        ])
        let resolver = RecordingResolver([
            "moving.example": [["93.184.216.34"], ["10.0.0.1"]]
        ])
        let reader = self.reader(resolver, transport)
        await expectEqual(readError(reader, "http://moving.example/"), .notReachable)
        expectEqual(transport.requests.count, 1)
    }

    @Test func errorsDoNotTellInsideHostsFromThoseThatDoNotExistOrAreClosed() async throws {
        let closed = RecordingTransport { _ in
            .failure(.connectFailed("93.184.216.34:80 refused the connection"))
        }
        let resolver = RecordingResolver([
            "closed.example": [["93.184.216.34"]], "inside.example": [["10.0.0.1"]],
            "slow.example": [["93.184.216.34"]], "broken.example": [["no address"]],
        ])
        let reader = self.reader(resolver, closed)
        for host in ["closed.example", "inside.example", "nowhere.example", "broken.example"] {
            let error = await readError(reader, "http://\(host)/")
            expectEqual(error?.description, "the page is not reachable", "\(host)")
        }
        for error: UpstreamError in [
            .tlsFailed("certificate of 93.184.216.34"), .timedOut(.connecting, after: .seconds(1)),
            .notResolved("x"), .notAllowed("x"), .proxyFailed("x"),
        ] {
            let failing = RecordingTransport { _ in .failure(error) }
            let reader = self.reader(resolver, failing)
            await expectEqual(readError(reader, "http://slow.example/"), .notReachable)
        }
    }

    @Test func publicAddressesAreTriedOneAfterTheOther() async throws {
        let addresses = ["93.184.216.34", "2606:4700::1111", "64:ff9b::5db8:d822", "1.1.1.1"]
        let resolver = RecordingResolver(["many.example": [addresses]])
        let failing = RecordingTransport { _ in .failure(.connectFailed("refused")) }
        let reader = self.reader(resolver, failing)
        await expectEqual(readError(reader, "https://many.example/"), .notReachable)
        expectEqual(failing.requests.count, 3)
        expect(failing.requests.allSatisfy { $0.address != nil && $0.url.host == "many.example" })
        // What has answered is not asked at another address.
        let ending = RecordingTransport { _ in .failure(.connectionEnded("early")) }
        let other = self.reader(resolver, ending)
        await expectEqual(readError(other, "https://many.example/"), .invalidAnswer)
        expectEqual(ending.requests.count, 1)
    }
}
