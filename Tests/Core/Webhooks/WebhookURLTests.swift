import Expectations

@testable import Core

@Suite("URLs of endpoints", .timeLimit(.minutes(10)))
struct WebhookURLTests {
    @Test(arguments: [
        ("https://example.org/hook", "https://example.org/hook", 443),
        ("HTTPS://Example.ORG", "https://example.org/", 443),
        ("http://example.org:80/a?b=c", "http://example.org/a?b=c", 80),
        ("http://example.org?b", "http://example.org/?b", 80),
        ("https://example.org:8443/", "https://example.org:8443/", 8443),
        ("http://93.184.216.34/", "http://93.184.216.34/", 80),
        ("http://[2606:4700:0::1111]:8080/x", "http://[2606:4700::1111]:8080/x", 8080),
        ("http://a_b.xn--bcher-kva.example/%41-._~!$&'()*+,;=:@", nil, 80),
        ("http://localhost:8010/", nil, 8010),
        ("http://1e100.net/", nil, 80),
    ])
    func urlIsReadAndWritten(text: String, written: String?, port: Int) throws {
        let url = try WebhookURL(text)
        expectEqual(url.text, written ?? text)
        expectEqual(url.port, port)
        try expectEqual(WebhookURL(url.text), url)
    }

    @Test(arguments: [
        // Forms that resolvers take for 127.0.0.1.
        ("http://2130706433/", WebhookURLError.badHost), ("http://0x7f000001/", .badHost),
        ("http://0x7f.0.0.1/", .badHost), ("http://0177.0.0.1/", .badHost),
        ("http://127.1/", .badHost), ("http://127.0.0.1./", .badHost), ("http://0/", .badHost),
        ("http://a.1/", .badHost), ("http://a.0x1f/", .badHost),
        // Names.
        ("http:///", .badHost), ("http://./", .badHost), ("http://example.org./", .badHost),
        ("http://a..b/", .badHost), ("http://-a.org/", .badHost), ("http://a-.org/", .badHost),
        ("http://a%2eb/", .badHost), ("http://a\\b/", .badHost), ("http://a b/", .notASCII),
        ("http://bücher.example/", .notASCII), ("http://①.example/", .notASCII),
        ("http://\(String(repeating: "a", count: 64)).org/", .badHost),
        // Addresses in brackets.
        ("http://[::1/", .badHost), ("http://[::1]x/", .badHost),
        ("http://[fe80::1%25lo]/", .badHost),
        ("http://[127.0.0.1]/", .badHost), ("http://[]/", .badHost), ("http://::1/", .badHost),
        // The rest of the authority.
        ("http://user@example.org/", .userInfo), ("http://a:b@example.org/", .userInfo),
        ("http://example.org:/", .badPort), ("http://example.org:0/", .badPort),
        ("http://example.org:65536/", .badPort), ("http://example.org:+80/", .badPort),
        ("http://example.org:80:80/", .badPort), ("http://example.org:8a/", .badPort),
        // Schemes and the rest.
        ("ftp://example.org/", .badScheme), ("file:///etc/passwd", .badScheme),
        ("//example.org/", .badScheme), ("example.org", .badScheme), ("", .badScheme),
        ("gopher://x", .badScheme), ("http:/example.org", .badScheme),
        ("http://example.org/#a", .fragment), ("http://example.org#@evil/", .fragment),
        ("http://example.org/a\\b", .badPath), ("http://example.org/%4", .badPath),
        ("http://example.org/%zz", .badPath), ("http://example.org/<", .badPath),
        ("http://example.org/\r\nHost: a", .notASCII), ("http://example.org/\u{0}", .notASCII),
    ])
    func urlThatCanBeUnderstoodInTwoWaysIsRefused(text: String, error: WebhookURLError) {
        #expect(throws: error) { try WebhookURL(text) }
    }

    @Test func lengthIsLimited() throws {
        let start = "https://example.org/"
        let path = String(repeating: "a", count: WebhookURL.lengthMax - start.utf8.count)
        try expectEqual(WebhookURL(start + path).target.utf8.count, path.utf8.count + 1)
        #expect(throws: WebhookURLError.tooLong(WebhookURL.lengthMax + 1)) {
            try WebhookURL(start + path + "a")
        }
    }

    @Test func nameIsLimited() throws {
        let label = String(repeating: "a", count: 49)
        let name = [label, label, label, label, label].joined(separator: ".")
        expectEqual(name.utf8.count, 249)
        try expectEqual(WebhookURL("http://\(name).org/").host, .name(name + ".org"))
        #expect(throws: WebhookURLError.badHost) { try WebhookURL("http://\(name).orgs/") }
    }

    @Test func errorSaysNothingOfThePath() {
        #expect(throws: WebhookURLError.badPath) {
            try WebhookURL("http://example.org/secret<")
        }
        expect(!WebhookURLError.badPath.description.contains("secret"))
    }
}
