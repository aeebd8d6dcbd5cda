import Expectations
import Wire

@Suite("RFC 6454 §6.2 origins as texts", .timeLimit(.minutes(10)))
struct WebOriginTests {
    @Test(
        arguments: [
            ("https://example.org", "https", "example.org", 443, "https://example.org"),
            ("http://example.org", "http", "example.org", 80, "http://example.org"),
            ("http://example.org:80", "http", "example.org", 80, "http://example.org"),
            ("https://example.org:80", "https", "example.org", 80, "https://example.org:80"),
            ("HTTPS://Example.ORG:8443", "https", "example.org", 8443, "https://example.org:8443"),
            ("http://127.0.0.1:65535", "http", "127.0.0.1", 65535, "http://127.0.0.1:65535"),
            ("http://[::1]:8000", "http", "[::1]", 8000, "http://[::1]:8000"),
            ("http://[2001:DB8::1]", "http", "[2001:db8::1]", 80, "http://[2001:db8::1]"),
            ("capacitor://localhost", "capacitor", "localhost", nil, "capacitor://localhost"),
            ("a+b-c.d1://x", "a+b-c.d1", "x", nil, "a+b-c.d1://x"),
        ] as [(String, String, String, UInt16?, String)]
    )
    func originIsReadAndWritten(
        _ text: String,
        _ scheme: String,
        _ host: String,
        _ port: UInt16?,
        _ written: String
    ) throws {
        let origin = try require(WebOrigin(text))
        expectEqual(origin.scheme, scheme)
        expectEqual(origin.host, host)
        expectEqual(origin.port, port)
        expectEqual(origin.description, written)
        expectEqual(WebOrigin(written), origin)
    }

    @Test(arguments: [
        "", "null", "*", "example.org", "example.org:80", "https:", "https:/", "https://",
        "https:///", "https:example.org", "https:/example.org", "://example.org",
        "1https://example.org", "ht tp://example.org", "https://example.org/",
        "https://example.org/a", "https://example.org?a", "https://example.org#a",
        "https://user@example.org", "https://user:word@example.org", "https://example.org:",
        "https://:443", "https://example.org:65536", "https://example.org:-1",
        "https://example.org:+1", "https://example.org:8o", "https://example.org:80:80",
        "https://a https://b", "https://a, https://b", "https://tromsø.example", "http://[::1",
        "http://::1", "http://[]", "http://[g::1]", "https://a\\b", " https://a", "https://a ",
    ])
    func whatIsNoOriginIsRefused(_ text: String) {
        expectNil(WebOrigin(text))
    }

    @Test func differentTextsOfOneOriginAreEqual() {
        expectEqual(WebOrigin("https://a.example"), WebOrigin("HTTPS://A.example:443"))
        expect(WebOrigin("https://a.example") != WebOrigin("http://a.example"))
        expect(WebOrigin("https://a.example") != WebOrigin("https://a.example:80"))
        expect(WebOrigin("https://a.example") != WebOrigin("https://b.example"))
    }
}
