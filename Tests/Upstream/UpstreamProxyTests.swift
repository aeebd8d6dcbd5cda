import Expectations
import Reactor
import TLSTesting

@testable import Upstream

@Suite("Proxies", .timeLimit(.minutes(10)))
struct UpstreamProxyTests {
    private static let credentials = "Basic dXNlcjpwYXNzd29yZA=="

    @Test func plainRequestIsSentInAbsoluteForm() async throws {
        let heads = RequestLog()
        let serve: HostileServer.Serve = { connection in
            while let request = connection.readRequest() {
                heads.append(request.head)
                connection.write(answer(request.target))
            }
        }
        try await withProxy(serve) { client, proxy in
            let url = try UpstreamURL("http://origin.test/a?b")
            for _ in 0..<2 {
                let response = try await client.send(UpstreamRequest("GET", url))
                expectEqual(response.text, "http://origin.test/a?b")
            }
            expectEqual(proxy.accepted.count, 1)
        }
        let head =
            "GET http://origin.test/a?b HTTP/1.1\r\nHost: origin.test\r\n"
            + "Proxy-Authorization: \(UpstreamProxyTests.credentials)\r\n\r\n"
        expectEqual(heads.targets, [head, head])
    }

    @Test(arguments: [true, false])
    func secureRequestGoesThroughATunnel(hasCredentials: Bool) async throws {
        let heads = RequestLog()
        let identity = try TLSTestIdentity(names: "DNS:origin.test")
        let tls = try ServerTLS(identity)
        let serve: HostileServer.Serve = { connection in
            guard let request = connection.readRequest() else { return }
            heads.append(request.head)
            connection.write("HTTP/1.1 200 Connection established\r\nContent-Length: 5\r\n\r\n")
            guard connection.acceptTLS(tls) else { return }
            while let request = connection.readRequest() {
                heads.append(request.head)
                connection.write(answer(connection.serverName ?? "none"))
            }
        }
        try await withProxy(serve, identity, hasCredentials: hasCredentials) { client, proxy in
            let url = try UpstreamURL("https://origin.test/secret")
            for _ in 0..<2 {
                let response = try await client.send(UpstreamRequest("GET", url))
                expectEqual(response.text, "origin.test")
            }
            expectEqual(proxy.accepted.count, 1)
        }
        let authorization =
            hasCredentials ? "Proxy-Authorization: \(UpstreamProxyTests.credentials)\r\n" : ""
        let inner = "GET /secret HTTP/1.1\r\nHost: origin.test\r\n\r\n"
        expectEqual(
            heads.targets,
            [
                "CONNECT origin.test:443 HTTP/1.1\r\nHost: origin.test:443\r\n\(authorization)\r\n",
                inner, inner,
            ]
        )
    }

    @Test func certificateBehindTheProxyIsChecked() async throws {
        let tls = try ServerTLS(try TLSTestIdentity(names: "DNS:origin.test"))
        let serve: HostileServer.Serve = { connection in
            guard connection.readRequest() != nil else { return }
            connection.write("HTTP/1.1 200 OK\r\n\r\n")
            if connection.acceptTLS(tls) { echo(connection) }
        }
        try await withProxy(serve, try TLSTestIdentity(names: "DNS:origin.test")) { client, _ in
            guard case .tlsFailed = await client.failure(try tunnelled()) else {
                Issue.record("not refused")
                return
            }
        }
    }

    @Test(arguments: [
        ("HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n", "407"),
        ("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 2\r\n\r\nno", "502 Bad Gateway"),
        ("HTTP/1.1 302 Found\r\nLocation: http://evil.test/\r\nContent-Length: 0\r\n\r\n", "302"),
        ("HTTP/1.1 101 Switching\r\n\r\n", "not asked for"),
        ("SSH-2.0-OpenSSH\r\n\r\n", "not valid"),
        ("", "ended"), ("HTTP/1.1 200", "ended"), ("HTTP/1.1 200 OK\r\n\r\nhello", "its own"),
        ("HTTP/1.1 200 OK\r\n\r\n\u{15}\u{3}\u{3}", "its own"),
    ])
    func proxyThatDoesNotLeadThroughIsAnError(text: String, reason: String) async throws {
        let serve: HostileServer.Serve = { connection in
            if connection.readRequest() != nil { connection.write(text) }
        }
        try await withProxy(serve) { client, _ in
            guard case .proxyFailed(let found) = await client.failure(try tunnelled()) else {
                Issue.record("no error of the proxy")
                return
            }
            expect(found.contains(reason))
            expectNoCredentials(found)
        }
    }

    @Test func plainRequestGetsTheAnswerOfTheProxy() async throws {
        let serve: HostileServer.Serve = { connection in
            while let request = connection.readRequest() {
                let isAuthorized = request.field("Proxy-Authorization") != nil
                connection.write(answer("", status: isAuthorized ? "502 " : "407 "))
            }
        }
        for hasCredentials in [true, false] {
            try await withProxy(serve, hasCredentials: hasCredentials) { client, _ in
                let url = try UpstreamURL("http://origin.test/")
                let response = try await client.send(UpstreamRequest("GET", url))
                expectEqual(response.status, (hasCredentials ? 502 : 407))
            }
        }
    }

    @Test func proxyThatHangsTimesOut() async throws {
        try await withProxy({ while !$0.read().isEmpty {} }) { client, _ in
            var request = try tunnelled()
            let connecting = Duration.milliseconds(5)
            request.deadlines.connecting = connecting
            await expectEqual(client.failure(request), .timedOut(.connecting, after: connecting))
        }
    }

    @Test func proxyThatHangsBehindItsAnswerTimesOut() async throws {
        let serve: HostileServer.Serve = { connection in
            guard connection.readRequest() != nil else { return }
            connection.write("HTTP/1.1 200 OK\r\n\r\n")
            while !connection.read().isEmpty {}
        }
        try await withProxy(serve) { client, _ in
            var request = try tunnelled()
            let connecting = Duration.milliseconds(100)
            request.deadlines.connecting = connecting
            await expectEqual(client.failure(request), .timedOut(.connecting, after: connecting))
        }
    }

    @Test func bytesBehindTheAnswerOfTheProxyAreAnError() async throws {
        let serve: HostileServer.Serve = { connection in
            guard connection.readRequest() != nil else { return }
            connection.write("HTTP/1.1 200 OK\r\n\r\n")
            // The first bytes of the handshake are here: ours come behind them.
            _ = connection.read()
            connection.write("hello")
        }
        try await withProxy(serve) { client, _ in
            guard case .tlsFailed = await client.failure(try tunnelled()) else {
                Issue.record("no error of TLS")
                return
            }
        }
    }

    @Test func proxyThatRefusesIsAnErrorWithoutCredentials() async throws {
        let proxies = try ProxySettings(
            environment: ["https_proxy": "http://user:password@127.0.0.3:9"]
        )
        try await withClient {
            $0.proxies = proxies
        } _: { client in
            let error = await client.failure(try tunnelled())
            expectEqual(error, .connectFailed("127.0.0.3:9: connection refused"))
        }
    }

    /// The loop is held up until the answer is there, so that it sees it together with the connection. Not in
    /// every round: it may have seen the connection before.
    @Test(arguments: 0..<20)
    func proxyThatAnswersBeforeItIsAskedDoesNoHarm(round: Int) async throws {
        let answered = Gate()
        let serve: HostileServer.Serve = { connection in
            connection.write("HTTP/1.1 200 OK\r\n\r\n")
            answered.open()
            _ = connection.read()
            _ = connection.read()
        }
        try await withServer(serve) { proxy in
            let proxies = try ProxySettings(
                environment: ["https_proxy": "http://127.0.0.1:\(proxy.port)"]
            )
            try await withLoop {
                $0.proxies = proxies
            } _: { loop, client in
                let request = try tunnelled()
                async let failure = client.failure(request)
                await loop.wait { loop in
                    guard loop.lineCount == 1 else { return false }
                    answered.waitBlocking()
                    return true
                }
                switch await failure {
                case .proxyFailed, .tlsFailed: break
                case let other: Issue.record("\(String(describing: other))")
                }
            }
        }
    }

    private func tunnelled() throws -> UpstreamRequest {
        UpstreamRequest("GET", try UpstreamURL("https://origin.test/"))
    }

    private func expectNoCredentials(_ text: String) {
        expect(!text.contains("password") && !text.contains("dXNlcjpwYXNzd29yZA"))
    }

    private func withProxy(
        _ serve: @escaping HostileServer.Serve,
        _ authority: TLSTestIdentity? = nil,
        hasCredentials: Bool = true,
        _ body: (UpstreamClient, HostileServer) async throws -> Void
    ) async throws {
        try await withServer(serve) { proxy in
            let user = hasCredentials ? "user:password@" : ""
            let proxies = try ProxySettings(
                environment: ["all_proxy": "http://\(user)127.0.0.1:\(proxy.port)"]
            )
            // Names are for the proxy to look up.
            let resolver = StubResolver()
            try await withClient(resolver: resolver) { settings in
                settings.proxies = proxies
                if let authority { settings.trust = .file(authority.certificateFile) }
            } _: { client in
                try await body(client, proxy)
            }
            expectEqual(resolver.asked.count, 0)
        }
    }
}
