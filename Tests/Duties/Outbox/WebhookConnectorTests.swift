import Expectations
import HubTesting
import LoopTesting
import Loops
import Service
import Wire

@testable import Duties

/// Answers names from a script; the last answer of a name repeats.
final class ScriptedResolver: AddressResolver {
    private let answers: Locked<[String: ArraySlice<[String]>]>
    private let asked = Locked(0)

    var lookUps: Int { asked.withLock { $0 } }

    init(_ answers: [String: [[String]]]) {
        self.answers = Locked(answers.mapValues { $0[...] })
    }

    func addresses(of name: String) async throws -> [IPAddress] {
        asked.withLock { $0 += 1 }
        let texts: [String]? = answers.withLock { answers in
            guard let rest = answers[name], let first = rest.first else { return nil }
            if rest.count > 1 { answers[name] = rest.dropFirst() }
            return first
        }
        guard let texts else { throw AddressResolutionError(description: "no such name") }
        return texts.compactMap { IPAddress($0) }
    }
}

@Suite(
    "Webhook connector: the address that is called is the one that was checked",
    .timeLimit(.minutes(10))
)
struct WebhookConnectorTests {
    /// A server at 127.0.0.1, which stands for the public network, and one at 127.0.0.2 with the same port,
    /// which stands for the inside.
    private struct Network {
        let outside: ScriptedServer
        /// Requests that came to the inside.
        let trapped: Locked<Int>
        let port: Int
    }

    private func withNetwork(
        _ answer: ScriptedServer.Answer = .status(200),
        _ body: (Network) async throws -> Void
    ) async throws {
        let trapped = Locked(0)
        try await ScriptedServer.run(script: [answer]) { outside in
            let port = try require(Int(outside.url.split(separator: ":").last ?? ""))
            let inside = try await RequestServer.start(
                listen: "127.0.0.2:\(port)",
                logger: silentLogger
            ) { _ in
                trapped.withLock { $0 += 1 }
                return ServerResponse(status: 200, text: "a secret of the inside")
            }
            let outcome: Result<Void, any Error>
            do {
                try await body(Network(outside: outside, trapped: trapped, port: port))
                outcome = .success(())
            } catch { outcome = .failure(error) }
            await inside.stop()
            try outcome.get()
        }
    }

    private func attempts(
        _ network: Network,
        _ names: [String: [[String]]],
        url: String,
        count: Int = 1,
        timeout: Duration = .seconds(20)
    ) async throws -> [DeliveryResult] {
        let outside = try require(AddressBlock("127.0.0.1/32"))
        let connector = WebhookConnector(
            rules: .init(allowed: [outside], ports: [network.port], development: false),
            resolver: ScriptedResolver(names)
        )
        var results: [DeliveryResult] = []
        for attempt in 0..<count {
            results.append(
                await connector.post(
                    [(name: "webhook-id", value: "\(attempt)")],
                    body: Array("{}".utf8),
                    to: try WebhookURL(url),
                    isConfigured: false,
                    attempt: attempt,
                    timeout: timeout
                ).result
            )
        }
        await connector.shutdown()
        return results
    }

    private func isRefused(_ result: DeliveryResult?) -> Bool {
        if case .failed(.notAllowed) = result { true } else { false }
    }

    @Test func requestGoesToTheCheckedAddressAndKeepsTheName() async throws {
        try await withNetwork { network in
            let url = "http://receiver.test:\(network.port)/hook?a=b"
            let results = try await attempts(
                network,
                ["receiver.test": [["127.0.0.1"]]],
                url: url,
                count: 2
            )
            let delivered = DeliveryResult.response(status: 200, retryAfter: nil)
            expectEqual(results, [delivered, delivered])
            let request = try await require(network.outside.requests.next(1).first)
            expectEqual(request.head.headers.first("Host"), "receiver.test:\(network.port)")
            expectEqual(request.head.target, "/hook?a=b")
            expectEqual(request.body, Array("{}".utf8))
        }
    }

    @Test(arguments: [
        ["169.254.169.254"], ["127.0.0.2"], ["10.0.0.1"], ["::1"], ["::ffff:127.0.0.2"],
        ["64:ff9b::7f00:2"], ["127.0.0.1", "127.0.0.2"], ["127.0.0.2", "127.0.0.1"],
    ])
    func nameWithAnInsideAddressIsNotCalled(addresses: [String]) async throws {
        try await withNetwork { network in
            let url = "http://inside.test:\(network.port)/"
            let result = try await attempts(network, ["inside.test": [addresses]], url: url).first
            expect(isRefused(result), "\(String(describing: result))")
            expectEqual(network.trapped.withLock { $0 }, 0)
        }
    }

    /// The server's certificate for the name is shown only to those who ask for the name (SNI), and holds for
    /// nothing else: the address that is connected to has neither.
    @Test(arguments: [
        ("receiver.test", true), ("other.test", true), ("stranger.test", false),
    ])
    func requestOverTLSAsksForTheNameAndHoldsTheCertificateAgainstIt(
        name: String,
        isVouchedFor: Bool
    ) async throws {
        let hosts = Locked<[String]>([])
        try await NamedHTTPSServer.run(respond: { request in
            hosts.withLock { $0.append(request.head.headers.first("Host") ?? "") }
            return ServerResponse(status: 204, text: "")
        }) { server in
            let resolver = ScriptedResolver([name: [["127.0.0.1"], ["127.0.0.2"]]])
            let connector = WebhookConnector(
                rules: .init(
                    allowed: [try require(AddressBlock("127.0.0.1/32"))],
                    ports: [Int(server.port)],
                    development: false
                ),
                resolver: resolver,
                authorityFile: server.authorityFile
            )
            let result = await connector.post(
                [],
                body: [],
                to: try WebhookURL("https://\(name):\(server.port)/"),
                isConfigured: false,
                attempt: 0,
                timeout: .seconds(20)
            ).result
            expectEqual(resolver.lookUps, 1, "the address that was checked, and no other look")
            await connector.shutdown()
            if isVouchedFor {
                expectEqual(result, .response(status: 204, retryAfter: nil))
                expectEqual(hosts.withLock { $0 }, ["\(name):\(server.port)"])
            } else {
                guard case .failed(.connectFailed) = result else {
                    Issue.record("a certificate for another name was taken: \(result)")
                    return
                }
                expect(hosts.withLock { $0 }.isEmpty, "nothing was sent")
            }
        }
    }

    /// Had the client looked the name up by itself, its answer would have been the second one.
    @Test func nameThatMovesBetweenLookUpAndConnectIsCalledWhereItWasChecked() async throws {
        try await withNetwork { network in
            let results = try await attempts(
                network,
                ["moving.test": [["127.0.0.1"], ["127.0.0.2"]]],
                url: "http://moving.test:\(network.port)/",
                count: 3
            )
            expectEqual(results.first, .response(status: 200, retryAfter: nil))
            // Even with a connection to the good address at hand, the name is judged anew.
            expect(isRefused(results[1]))
            expect(isRefused(results[2]))
            await expectEqual(network.outside.requests.next(1).count, 1)
            expectEqual(network.trapped.withLock { $0 }, 0)
        }
    }

    @Test func redirectInsideIsNotFollowed() async throws {
        let trap = Locked(0)
        try await ScriptedServer.run(answer: { request in
            guard request.head.target == "/" else {
                trap.withLock { $0 += 1 }
                return .status(200)
            }
            return .status(307, ["Location": "/inside"])
        }) { server in
            let port = try require(Int(server.url.split(separator: ":").last ?? ""))
            let network = Network(outside: server, trapped: trap, port: port)
            let url = "http://redirecting.test:\(port)/"
            let names = ["redirecting.test": [["127.0.0.1"]]]
            let results = try await attempts(network, names, url: url)
            expectEqual(results, [.response(status: 307, retryAfter: nil)])
        }
        expectEqual(trap.withLock { $0 }, 0)
    }

    @Test(arguments: ["127.0.0.2", "[::1]", "[::ffff:127.0.0.2]", "169.254.169.254"])
    func insideAddressInTheURLIsNotCalled(host: String) async throws {
        try await withNetwork { network in
            let results = try await attempts(network, [:], url: "http://\(host):\(network.port)/")
            expect(isRefused(results.first))
            expectEqual(network.trapped.withLock { $0 }, 0)
        }
    }

    @Test func otherPortIsNotCalledNorItsNameLookedUp() async throws {
        let resolver = ScriptedResolver(["receiver.test": [["127.0.0.1"]]])
        let connector = WebhookConnector(
            rules: .init(allowed: [], ports: [], development: true),
            resolver: resolver
        )
        let result = await connector.post(
            [],
            body: [],
            to: try WebhookURL("http://receiver.test:22/"),
            isConfigured: false,
            attempt: 0,
            timeout: .seconds(1)
        ).result
        expect(isRefused(result))
        expectEqual(resolver.lookUps, 0)
        await connector.shutdown()
    }

    @Test(arguments: [
        ("http://127.0.0.1:18600/", true, true), ("http://[::1]:4567/", true, true),
        ("http://localhost:4567/", true, true), ("http://LOCALHOST:22/", true, true),
        ("http://127.0.0.1:18600/", false, false), ("http://localhost:4567/", false, false),
        ("http://localhost.example:4567/", true, false), ("http://example.org:22/", true, false),
        ("http://93.184.216.34:22/", true, false), ("http://93.184.216.34:443/", true, true),
    ])
    func portsOfThisMachineAreOpenInDevelopment(url: String, development: Bool, isOpen: Bool)
        async
        throws
    {
        let loopback = ["127.0.0.0/8", "::1/128"].compactMap { AddressBlock($0) }
        let connector = WebhookConnector(
            rules: .init(allowed: loopback, ports: [9000], development: development)
        )
        let refusal = connector.refusal(of: try WebhookURL(url), isConfigured: false)
        expectEqual((refusal == nil), isOpen)
        if let refusal {
            expect(refusal.hasPrefix("port "))
            expect(refusal.hasSuffix(", 9000; webhook_limits.ports adds others"))
        }
        await connector.shutdown()
    }

    @Test func nameThatNobodyKnowsIsAFailureToConnect() async throws {
        try await withNetwork { network in
            let results = try await attempts(
                network,
                [:],
                url: "http://unknown.test:\(network.port)/"
            )
            expectEqual(results, [.failed(.connectFailed("no address: no such name"))])
        }
    }

    /// The receiver has had the request: whoever looks for its trouble must not look at the network.
    @Test(arguments: [
        ("", true), ("HTTP/1.1 200", true), ("nonsense\r\n\r\n", false),
        ("HTTP/1.1 two\r\n\r\n", false),
    ])
    func receiverThatDoesNotSpeakHTTPHasNotAnswered(bytes: String, closes: Bool) async throws {
        try await RawServer.run(sending: bytes, closes: closes) { url in
            let loopback = try require(AddressBlock("127.0.0.1/32"))
            let port = try require(Int(url.dropLast().split(separator: ":").last ?? ""))
            let connector = WebhookConnector(
                rules: .init(allowed: [loopback], ports: [port], development: false),
                resolver: ScriptedResolver([:])
            )
            let result = await connector.post(
                [],
                body: Array("{}".utf8),
                to: try WebhookURL(url),
                isConfigured: false,
                attempt: 0,
                timeout: .seconds(20)
            ).result
            await connector.shutdown()
            guard case .failed(.noAnswer) = result else {
                Issue.record("\(result)")
                return
            }
        }
    }

    @Test func longAnswerIsNotReadToItsEndAndCounts() async throws {
        let long = [UInt8](repeating: 0x61, count: 4 * WebhookConnector.answerBytesMax)
        try await withNetwork(.status(200, body: long)) { network in
            let results = try await attempts(
                network,
                ["receiver.test": [["127.0.0.1"]]],
                url: "http://receiver.test:\(network.port)/",
                count: 2
            )
            expectEqual(
                results,
                [DeliveryResult](
                    repeating: .response(status: 200, retryAfter: nil),
                    count: 2
                )
            )
        }
    }

    @Test func retryTakesTheNextAddress() async throws {
        try await withNetwork { network in
            let resolver = ScriptedResolver(["receiver.test": [["127.0.0.3", "127.0.0.1"]]])
            let both = try require(AddressBlock("127.0.0.0/8"))
            let connector = WebhookConnector(
                rules: .init(allowed: [both], ports: [network.port], development: false),
                resolver: resolver
            )
            var results: [DeliveryResult] = []
            for attempt in 0..<2 {
                results.append(
                    await connector.post(
                        [],
                        body: [],
                        to: try WebhookURL("http://receiver.test:\(network.port)/"),
                        isConfigured: false,
                        attempt: attempt,
                        timeout: .seconds(20)
                    ).result
                )
            }
            guard case .failed(.connectFailed) = results[0] else {
                Issue.record("nothing listens at the first address: \(results)")
                return
            }
            expectEqual(results[1], .response(status: 200, retryAfter: nil))
            await connector.shutdown()
        }
    }

    @Test func systemResolverKnowsThisMachine() async throws {
        let found = try await SystemResolver().addresses(of: "localhost")
        expect(!found.isEmpty)
        for address in found { expect(AddressGuard().refusal(of: address) != nil) }
    }
}
