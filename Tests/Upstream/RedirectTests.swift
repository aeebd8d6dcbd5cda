import Expectations
import Reactor
import TLSTesting

@testable import Upstream

@Suite("RFC 9110 §15.4 redirects", .timeLimit(.minutes(10)))
struct RedirectTests {
    @Test(arguments: [301, 302, 303, 307, 308])
    func redirectIsFollowedOnlyWhereThatIsAsked(status: Int) async throws {
        try await withServer(redirecting(status, to: "/there?x=1")) { server in
            try await withClient { client in
                var request = try UpstreamRequest.get(server)
                try await expectEqual(client.send(request).status, status)
                request.redirectsMax = 1
                let response = try await client.send(request)
                expectEqual(response.status, 200)
                expectEqual(response.text, "GET /there?x=1 ")
                expectEqual(response.url.target, "/there?x=1")
            }
        }
    }

    /// Nothing listens there, so an attempt to connect would be another error.
    @Test(arguments: ["http://127.0.0.9:9/", "http://[::1]:9/", "//127.0.0.9:9/x"])
    func redirectToARefusedAddressIsNotFollowed(location: String) async throws {
        try await withServer(redirecting(302, to: location)) { server in
            try await withClient { client in
                var request = try UpstreamRequest.get(server)
                request.redirectsMax = 3
                request.reach = UpstreamReach(from: request.url) { "\($0.host) is inside" }
                guard case .notAllowed(let text) = await client.failure(request) else {
                    Issue.record("a redirect was followed")
                    return
                }
                expect(text.hasSuffix("is inside"))
            }
        }
    }

    @Test func redirectToTheSameHostIsFollowedWhateverItsAddress() async throws {
        try await withServer(redirecting(302, to: "/there")) { server in
            try await withClient { client in
                var request = try UpstreamRequest.get(server)
                request.redirectsMax = 3
                request.reach = UpstreamReach(from: request.url) { "\($0.host) is inside" }
                try await expectEqual(client.send(request).status, 200)
            }
        }
    }

    /// Such as the stored target of a permanent redirect.
    @Test func checkedRequestUsesNoConnectionOfAnUncheckedOne() async throws {
        try await withServer(redirecting(404, to: "/")) { server in
            try await withClient { client in
                var request = try UpstreamRequest.get(server)
                try await expectEqual(client.send(request).status, 404)
                request.reach = UpstreamReach(from: try UpstreamURL("http://feeds.test/")) {
                    "\($0.host) is inside"
                }
                await expectEqual(client.failure(request), .notAllowed("127.0.0.1 is inside"))
            }
        }
    }

    @Test(arguments: [
        ("http://127.0.0.9/", false), ("http://[::1]/", false), ("http://localhost/", false),
        ("http://a.localhost/", false), ("http://127.1/", false), ("http://0x7f000001/", false),
        ("http://2130706433/", false), ("http://feeds.example/", true),
    ])
    func hostsThatAreNoNamesAreCheckedBeforeAProxyIsAsked(text: String, isAllowed: Bool) throws {
        // Some are no valid URLs here, and are thus not requested either.
        guard let url = try? UpstreamURL(text) else { return }
        let reach = UpstreamReach(from: try UpstreamURL("http://other.example/")) { "\($0.host)" }
        expectEqual((reach.refusal(ofHostBehindProxy: url) == nil), isAllowed)
    }

    @Test(arguments: [200, 204, 300, 304, 404])
    func otherAnswersAreNoRedirects(status: Int) async throws {
        try await withServer(redirecting(status, to: "/there")) { server in
            try await withClient { client in
                var request = try UpstreamRequest.get(server)
                request.redirectsMax = 3
                try await expectEqual(client.send(request).status, status)
            }
        }
    }

    /// Statuses of the redirects from `/` to `/a`, `/aa` and so on, and the place that all later requests belong to.
    @Test(arguments: [
        ([], nil), ([301], "/a"), ([308, 301], "/aa"), ([302], nil), ([307, 301], nil),
        ([301, 302], "/a"), ([301, 303, 308], "/a"),
    ])
    func placeBehindPermanentRedirectsIsTheNewOne(statuses: [Int], target: String?) async throws {
        let serve: HostileServer.Serve = { connection in
            while let request = connection.readRequest() {
                let count = request.target.utf8.count - 1
                guard count < statuses.count else {
                    connection.write(answer("here", status: "200 OK"))
                    continue
                }
                let fields = "Location: \(request.target)a\r\n"
                connection.write(answer("", status: "\(statuses[count]) ", fields: fields))
            }
        }
        try await withServer(serve) { server in
            try await withClient { client in
                var request = try UpstreamRequest.get(server)
                request.redirectsMax = 5
                let response = try await client.send(request)
                expectEqual(response.status, 200)
                expectEqual(response.movedTo?.target, target)
            }
        }
    }

    @Test func redirectsAreCounted() async throws {
        let requests = Counter()
        let serve: HostileServer.Serve = { connection in
            while let request = connection.readRequest() {
                requests.increment()
                let fields = "Location: \(request.target)a\r\n"
                connection.write(answer("", status: "302 Found", fields: fields))
            }
        }
        try await withServer(serve) { server in
            try await withClient { client in
                var request = try UpstreamRequest.get(server)
                request.redirectsMax = 4
                let response = try await client.send(request)
                expectEqual(response.status, 302)
                expectEqual(response.url.target, "/aaaa")
            }
        }
        expectEqual(requests.count, 5)
    }

    @Test func redirectToItselfEnds() async throws {
        let requests = Counter()
        let serve: HostileServer.Serve = { connection in
            while connection.readRequest() != nil {
                requests.increment()
                connection.write(answer("", status: "307 ", fields: "Location: /\r\n"))
            }
        }
        try await withServer(serve) { server in
            try await withClient { client in
                var request = try UpstreamRequest.get(server)
                request.redirectsMax = 10
                try await expectEqual(client.send(request).status, 307)
            }
        }
        expectEqual(requests.count, 11)
    }

    @Test(arguments: [
        (301, "POST", "GET "), (302, "POST", "GET "), (303, "POST", "GET "), (303, "PUT", "GET "),
        (307, "POST", "POST body"), (308, "POST", "POST body"), (301, "PUT", "PUT body"),
        (302, "DELETE", "DELETE body"),
    ])
    func methodAndContentAfterARedirect(status: Int, method: String, expected: String) async throws
    {
        try await withServer(redirecting(status, to: "/there")) { server in
            try await withClient { client in
                var request = try UpstreamRequest.post(server, body: Array("body".utf8))
                request.method = method
                request.headers = ["Content-Type": "text/plain"]
                request.redirectsMax = 1
                let response = try await client.send(request)
                let parts = expected.split(separator: " ", omittingEmptySubsequences: false)
                expectEqual(response.text, "\(parts[0]) /there \(parts[1])")
                let type = response.headers.first("Seen-Type")
                expectEqual(type, (parts[1].isEmpty ? "" : "text/plain"))
            }
        }
    }

    @Test func headStaysHead() async throws {
        try await withServer(redirecting(303, to: "/there")) { server in
            try await withClient { client in
                var request = try UpstreamRequest.get(server)
                request.method = "HEAD"
                request.redirectsMax = 1
                let response = try await client.send(request)
                expectEqual(response.headers.first("Seen-Method"), "HEAD")
            }
        }
    }

    @Test(arguments: [true, false])
    func credentialsStayWithTheirOrigin(isSameOrigin: Bool) async throws {
        try await withServer(redirecting(302, to: "/unused")) { other in
            let location = Locked("")
            let serve: HostileServer.Serve = { connection in
                self.redirect(connection, 302, location.withLock { $0 })
            }
            try await withServer(serve) { server in
                let target = isSameOrigin ? server : other
                location.withLock { $0 = "http://127.0.0.1:\(target.port)/there" }
                try await withClient { client in
                    var request = try UpstreamRequest.get(server)
                    request.headers = [
                        "authorization": "Bearer secret", "Cookie": "secret", "X-API-KEY": "secret",
                        "Accept": "text/plain",
                    ]
                    request.redirectsMax = 1
                    let response = try await client.send(request)
                    expectEqual(response.status, 200)
                    let seen = response.headers.first("Seen-Secrets")
                    expectEqual(seen, (isSameOrigin ? "3" : "0"))
                    expectEqual(response.headers.first("Seen-Accept"), "text/plain")
                }
            }
        }
    }

    @Test func redirectFromTLSToPlainTextIsRefused() async throws {
        let identity = try TLSTestIdentity(names: "IP:127.0.0.1")
        try await withServer(echo) { plain in
            let location = "http://127.0.0.1:\(plain.port)/there"
            let tls = try ServerTLS(identity)
            try await withServer(tls: tls, redirecting(302, to: location)) { server in
                try await withClient {
                    $0.trust = .file(identity.certificateFile)
                } _: { client in
                    let url = try UpstreamURL("https://127.0.0.1:\(server.port)/")
                    var request = UpstreamRequest("GET", url)
                    request.redirectsMax = 5
                    let error = await client.failure(request)
                    expectEqual(error, .notAllowed("redirect from https to http"))
                }
            }
            expectEqual(plain.accepted.count, 0)
        }
    }

    @Test(arguments: ["http://user:secret@a.test/", "ftp://a.test/", "http://", "http://a b/"])
    func placeThatIsNoURLIsAnError(location: String) async throws {
        try await withServer(redirecting(302, to: location)) { server in
            try await withClient { client in
                var request = try UpstreamRequest.get(server)
                request.redirectsMax = 1
                guard case .notAllowed(let text) = await client.failure(request) else {
                    Issue.record("followed")
                    return
                }
                expect(!text.contains("secret"))
            }
        }
    }

    @Test func redirectWithoutAPlaceIsAnAnswer() async throws {
        let serve: HostileServer.Serve = { connection in
            while connection.readRequest() != nil {
                connection.write(answer("x", status: "302 Found"))
            }
        }
        try await withServer(serve) { server in
            try await withClient { client in
                var request = try UpstreamRequest.get(server)
                request.redirectsMax = 1
                try await expectEqual(client.send(request).status, 302)
            }
        }
    }

    @Test func givenAddressIsForItsOriginOnly() async throws {
        try await withServer(redirecting(302, to: "http://other.test/there")) { server in
            try await withClient { client in
                let url = try UpstreamURL("http://name.test/")
                var request = UpstreamRequest("GET", url)
                request.address = SocketAddress(numericHost: "127.0.0.1", port: server.port)
                request.redirectsMax = 1
                guard case .notAllowed = await client.failure(request) else {
                    Issue.record("followed")
                    return
                }
            }
        }
        try await withServer(redirecting(302, to: "http://name.test/there")) { server in
            try await withClient { client in
                let url = try UpstreamURL("http://name.test/")
                var request = UpstreamRequest("GET", url)
                request.address = SocketAddress(numericHost: "127.0.0.1", port: server.port)
                request.redirectsMax = 1
                try await expectEqual(client.send(request).text, "GET /there ")
            }
        }
    }

    private func redirecting(_ status: Int, to location: String) -> HostileServer.Serve {
        { connection in self.redirect(connection, status, location) }
    }

    /// Redirects every request to another path than `/there`, which tells what has come.
    private func redirect(_ connection: ServerConnection, _ status: Int, _ location: String) {
        while let request = connection.readRequest() {
            guard request.target.hasPrefix("/there") else {
                let fields = "Location: \(location)\r\nContent-Length: 0"
                connection.write("HTTP/1.1 \(status) \r\n\(fields)\r\n\r\n")
                continue
            }
            let secrets = request.head.ranges(of: "secret").count
            let fields =
                "Seen-Method: \(request.method)\r\n"
                + "Seen-Type: \(request.field("Content-Type") ?? "")\r\n"
                + "Seen-Secrets: \(secrets)\r\nSeen-Accept: \(request.field("Accept") ?? "")\r\n"
            let content = String(decoding: request.content, as: UTF8.self)
            let text = "\(request.method) \(request.target) \(content)"
            let whole = answer(text, fields: fields)
            connection.write(
                request.method == "HEAD" ? String(whole.dropLast(text.utf8.count)) : whole
            )
        }
    }
}
