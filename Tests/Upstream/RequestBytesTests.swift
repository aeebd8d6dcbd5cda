import Expectations

@testable import Upstream

@Suite("Bytes of a request", .timeLimit(.minutes(10)))
struct RequestBytesTests {
    @Test(arguments: [
        ("http://example.com", "/", "example.com"),
        ("http://example.com:80/a?b=c", "/a?b=c", "example.com"),
        ("http://example.com:8080/a", "/a", "example.com:8080"),
        ("https://example.com:443/", "/", "example.com"),
        ("https://example.com:80/", "/", "example.com:80"),
        ("http://[::1]/x", "/x", "[::1]"),
        ("http://[::1]:8080/x", "/x", "[::1]:8080"),
        ("http://192.0.2.1:81/?q", "/?q", "192.0.2.1:81"),
    ])
    func originForm(url: String, target: String, host: String) throws {
        let bytes = head(UpstreamRequest("GET", try UpstreamURL(url)))
        expectEqual(bytes, "GET \(target) HTTP/1.1\r\nHost: \(host)\r\n\r\n")
    }

    @Test(arguments: [
        ("http://example.com", "http://example.com/", "example.com"),
        ("http://example.com:8080/a?b", "http://example.com:8080/a?b", "example.com:8080"),
        ("http://[::1]:8080/a", "http://[::1]:8080/a", "[::1]:8080"),
    ])
    func absoluteFormThroughProxy(url: String, target: String, host: String) throws {
        let bytes = head(UpstreamRequest("GET", try UpstreamURL(url)), through: try proxy())
        expectEqual(bytes, "GET \(target) HTTP/1.1\r\nHost: \(host)\r\n\r\n")
    }

    @Test func proxyGetsItsCredentials() throws {
        let proxy = try proxy("http://user:pass@proxy.test:3128")
        let bytes = head(UpstreamRequest("GET", try UpstreamURL("http://a.test/")), through: proxy)
        expectEqual(
            bytes,
            "GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\n"
                + "Proxy-Authorization: Basic dXNlcjpwYXNz\r\n\r\n"
        )
    }

    @Test(arguments: [
        ("https://example.com/", "example.com:443"),
        ("https://example.com:8443/secret?key", "example.com:8443"),
        ("https://[::1]/", "[::1]:443"),
    ])
    func connectForm(url: String, authority: String) throws {
        let bytes = RequestBytes.connect(to: try UpstreamURL(url), through: try proxy())
        expectEqual(
            String(decoding: bytes, as: UTF8.self),
            "CONNECT \(authority) HTTP/1.1\r\nHost: \(authority)\r\n\r\n"
        )
    }

    @Test func connectHasTheCredentialsOfTheProxy() throws {
        let bytes = RequestBytes.connect(
            to: try UpstreamURL("https://a.test/"),
            through: try proxy("http://user:pass@proxy.test:3128")
        )
        expectEqual(
            String(decoding: bytes, as: UTF8.self),
            "CONNECT a.test:443 HTTP/1.1\r\nHost: a.test:443\r\n"
                + "Proxy-Authorization: Basic dXNlcjpwYXNz\r\n\r\n"
        )
    }

    @Test func fieldsKeepTheirOrder() throws {
        var request = UpstreamRequest("GET", try UpstreamURL("http://a.test/"))
        request.headers = ["X-B": "1", "X-A": "2", "X-B": "3"]
        expect(head(request).hasSuffix("Host: a.test\r\nX-B: 1\r\nX-A: 2\r\nX-B: 3\r\n\r\n"))
    }

    @Test func fieldsThatAreMadeHereAreNotTaken() throws {
        var request = UpstreamRequest("GET", try UpstreamURL("http://a.test/"))
        request.headers = [
            "host": "b.test", "CONTENT-LENGTH": "7", "Transfer-Encoding": "chunked",
            "connection": "upgrade", "Expect": "100-continue",
        ]
        expectEqual(head(request), "GET / HTTP/1.1\r\nHost: a.test\r\n\r\n")
    }

    @Test(arguments: [
        ("GET", false), ("HEAD", false), ("DELETE", false), ("OPTIONS", false), ("POST", true),
        ("PUT", true), ("PATCH", true),
    ])
    func emptyContentHasALengthWhereTheMethodHasContent(method: String, hasLength: Bool) throws {
        let bytes = head(UpstreamRequest(method, try UpstreamURL("http://a.test/")))
        expectEqual(bytes.contains("\r\nContent-Length: 0\r\n"), hasLength)
        expectEqual(bytes.contains("Content-Length"), hasLength)
    }

    @Test(arguments: ["POST", "GET", "DELETE"])
    func contentHasItsLength(method: String) throws {
        let url = try UpstreamURL("http://a.test/")
        let bytes = head(UpstreamRequest(method, url, body: [1, 2, 3]))
        expect(bytes.hasSuffix("\r\nContent-Length: 3\r\n\r\n"))
    }

    @Test func codingsAreAskedForOnce() throws {
        var request = UpstreamRequest("GET", try UpstreamURL("http://a.test/"))
        request.decompresses = true
        expect(head(request).hasSuffix("\r\nAccept-Encoding: gzip, deflate\r\n\r\n"))
        request.headers = ["accept-encoding": "gzip"]
        expect(head(request).hasSuffix("Host: a.test\r\naccept-encoding: gzip\r\n\r\n"))
    }

    @Test func expectIsSentOnlyWithContent() throws {
        var request = UpstreamRequest("POST", try UpstreamURL("http://a.test/"), body: [1])
        request.expectsContinue = true
        expect(head(request).hasSuffix("\r\nContent-Length: 1\r\nExpect: 100-continue\r\n\r\n"))
        request.body = []
        expect(!head(request).contains("Expect"))
    }

    @Test(arguments: ["", "GE T", "GET\r\n", "GÉT", "CONNECT", "GET\0", "(GET)"])
    func methodIsAToken(method: String) throws {
        let request = UpstreamRequest(method, try UpstreamURL("http://a.test/"))
        expect(RequestBytes.objection(to: request) != nil)
    }

    @Test(arguments: [
        "", "X Y", "X:", "X\r\nEvil", "X\n", "X\r", "X\0", "\u{7F}", "Ä", "X\t", "\r\n",
    ])
    func nameOfAFieldIsAToken(name: String) throws {
        var request = UpstreamRequest("GET", try UpstreamURL("http://a.test/"))
        request.headers.append(name, "value")
        expectEqual(RequestBytes.objection(to: request), "the name of a header is not one")
    }

    @Test(arguments: [
        "a\r\nEvil: b", "a\nEvil: b", "a\rb", "a\0b", "\u{7F}", "\u{1B}[0m",
        "a\r\n\r\nGET / HTTP/1.1",
    ])
    func valueOfAFieldHasNoControlCharacter(value: String) throws {
        var request = UpstreamRequest("GET", try UpstreamURL("http://a.test/"))
        request.headers.append("X-Key", value)
        let objection = try require(RequestBytes.objection(to: request))
        expectEqual(objection, "the value of the header X-Key has a control character")
    }

    @Test(arguments: ["", "a b", "a\tb", "ä", "\"quoted\""])
    func otherValuesAreTaken(value: String) throws {
        var request = UpstreamRequest("GET", try UpstreamURL("http://a.test/"))
        request.headers.append("X-Key", value)
        expectNil(RequestBytes.objection(to: request))
    }

    @Test func requestThatIsRefusedIsNotSent() async throws {
        try await withServer(echo) { server in
            try await withClient { client in
                var request = try UpstreamRequest.get(server)
                request.headers.append("X-Key", "secret\r\nEvil: yes")
                guard case .notAllowed(let text) = await client.failure(request) else {
                    Issue.record("no objection")
                    return
                }
                expect(!text.contains("secret"))
            }
            expectEqual(server.accepted.count, 0)
        }
    }

    private func head(
        _ request: UpstreamRequest,
        through proxy: ProxySettings.Proxy? = nil
    ) -> String {
        String(decoding: RequestBytes.head(of: request, through: proxy), as: UTF8.self)
    }

    private func proxy(
        _ url: String = "http://proxy.test:3128"
    ) throws -> ProxySettings.Proxy {
        let settings = try ProxySettings(environment: ["http_proxy": url])
        return try require(settings.proxy(for: try UpstreamURL("http://a.test/")))
    }
}
