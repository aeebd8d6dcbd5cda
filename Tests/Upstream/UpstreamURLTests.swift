import Expectations
import Glibc
import Upstream

@Suite("RFC 3986 §3, RFC 9110 §4.2 URLs of upstreams", .timeLimit(.minutes(10)))
struct UpstreamURLTests {
    private func error(_ text: String) -> UpstreamURLError? {
        do throws(UpstreamURLError) {
            _ = try UpstreamURL(text)
            return nil
        } catch {
            return error
        }
    }

    @Test func partsOfAURLAreFound() throws {
        let url = try UpstreamURL("https://api.example.org:8443/v1/a.json?q=1&r=?/2#part")
        expectEqual(url.scheme, .https)
        expect(url.isSecure)
        expectEqual(url.host, "api.example.org")
        expect(!url.isAddress)
        expectEqual(url.port, 8443)
        expectEqual(url.target, "/v1/a.json?q=1&r=?/2")
        expectEqual(url.authority, "api.example.org:8443")
        expectEqual(url.origin, "https://api.example.org:8443")
        expectEqual("\(url)", "https://api.example.org:8443/v1/a.json?q=1&r=?/2")
        let plain = try UpstreamURL("http://example.org")
        expectEqual(plain.scheme, .http)
        expect(!plain.isSecure)
        expectEqual(plain.port, 80)
    }

    @Test func schemesHaveTheirPorts() {
        expectEqual(UpstreamURL.Scheme.http.defaultPort, 80)
        expectEqual(UpstreamURL.Scheme.https.defaultPort, 443)
    }

    @Test(arguments: [
        ("http://h", "http://h/"), ("http://h/", "http://h/"), ("http://h?q", "http://h/?q"),
        ("http://h?", "http://h/?"), ("http://h/?", "http://h/?"), ("http://h#f", "http://h/"),
        ("http://h?q#f?g", "http://h/?q"), ("http://h/#/../", "http://h/"),
        ("http://h/#%", "http://h/"),
        ("http://h?/a", "http://h/?/a"), ("http://h//a//", "http://h//a//"),
        ("http://h///", "http://h///"),
        // The scheme and the host in lower case, the rest as it is.
        ("HTTP://H.Example/P?Q", "http://h.example/P?Q"), ("hTTpS://h", "https://h/"),
        // The scheme's own port is left out.
        ("http://h:80/", "http://h/"), ("https://h:443/", "https://h/"),
        ("http://h:/", "http://h/"),
        ("https://h:/", "https://h/"), ("https://h:?q", "https://h/?q"),
        ("http://h:0080/", "http://h/"),
        ("http://h:443/", "http://h:443/"), ("https://h:80/", "https://h:80/"),
        ("http://h:1/", "http://h:1/"), ("http://h:65535", "http://h:65535/"),
        ("http://h:000000065535", "http://h:65535/"),
        // Dot segments are the server's to remove.
        ("http://h/a/../b/./c", "http://h/a/../b/./c"), ("http://h/..", "http://h/.."),
        // What a URI may contain is kept, escapes too.
        (
            "http://h/-._~!$&'()*+,;=:@?-._~!$&'()*+,;=:@/",
            "http://h/-._~!$&'()*+,;=:@?-._~!$&'()*+,;=:@/"
        ),
        ("http://h/%41%2f%2F?%c3", "http://h/%41%2f%2F?%c3"),
        ("http://h/a[1]?filter[x]=1", "http://h/a[1]?filter[x]=1"),
        // What a URI may not contain is encoded.
        ("http://h/\"<>\\^`{|}", "http://h/%22%3C%3E%5C%5E%60%7B%7C%7D"),
        ("http://h?\"<>\\^`{|}", "http://h/?%22%3C%3E%5C%5E%60%7B%7C%7D"),
        ("http://h/tromsø?ø=€𐍈", "http://h/troms%C3%B8?%C3%B8=%E2%82%AC%F0%90%8D%88"),
        ("http://h/e\u{301}\u{200B}", "http://h/e%CC%81%E2%80%8B"),
        // Ends of the ranges of characters.
        ("http://h/!~?!~", "http://h/!~?!~"), ("http://h/\u{A1}", "http://h/%C2%A1"),
    ])
    func textIsMadeUniform(_ text: String, _ expected: String) throws {
        let url = try UpstreamURL(text)
        expectEqual(url.description, expected)
        let again = try UpstreamURL(expected)
        expectEqual(again, url)
        expectEqual(again.description, expected)
    }

    @Test(arguments: [
        "a", "a.b", "example.org", "xn--troms-zua.example", "a_b.example", "_srv.example", "-a-.b-",
        "1.example", "127.0.0.1.example", "example.org.", "a.0xg", "0xg", "0y1", "1e3", "1-2", "0_",
        "a.x1", "x0x1", String(repeating: "a", count: 63),
        Array(repeating: String(repeating: "a", count: 49), count: 5).joined(separator: ".")
            + ".abc",
        Array(repeating: String(repeating: "a", count: 49), count: 5).joined(separator: ".")
            + ".abc.",
    ])
    func nameIsAccepted(_ name: String) throws {
        let url = try UpstreamURL("http://\(name):8000/a")
        expectEqual(url.host, name)
        expect(!url.isAddress)
        expectEqual(url.authority, "\(name):8000")
        var address = in_addr()
        expectEqual(inet_aton(name, &address), 0, "no resolver takes it for an address")
    }

    @Test(arguments: [
        ("127.0.0.1", "127.0.0.1", "127.0.0.1"), ("0.0.0.0", "0.0.0.0", "0.0.0.0"),
        ("255.255.255.255", "255.255.255.255", "255.255.255.255"),
        ("[::]", "::", "[::]"), ("[::1]", "::1", "[::1]"),
        ("[0:0:0:0:0:0:0:1]", "::1", "[::1]"),
        ("[2001:DB8:0:0:1::A]", "2001:db8::1:0:0:a", "[2001:db8::1:0:0:a]"),
        ("[::ffff:192.0.2.1]", "::ffff:192.0.2.1", "[::ffff:192.0.2.1]"),
        ("[::FFFF:C000:201]", "::ffff:192.0.2.1", "[::ffff:192.0.2.1]"),
        ("[fe80::1:2]", "fe80::1:2", "[fe80::1:2]"),
    ])
    func addressIsAccepted(_ text: String, _ host: String, _ authority: String) throws {
        let url = try UpstreamURL("https://\(text)/a")
        expectEqual(url.host, host)
        expect(url.isAddress)
        expectEqual(url.authority, authority)
        expectEqual(url.description, "https://\(authority)/a")
        try expectEqual(UpstreamURL(url.description), url)
        try expectEqual(UpstreamURL("https://\(text):8443").authority, "\(authority):8443")
    }

    @Test(arguments: [
        "127.1", "2130706433", "0x7f.1", "0x7F000001", "0X7f.1", "0177.0.0.1", "127.0.0.01", "0x",
        "a.0x", "a.0X", "1", "a.1", "a.0x1f", "1.2.3", "1.2.3.4.5", "256.0.0.1", "127.0.0.1.",
        "127.1.", "0x7f.1.", "09", "a.09", "0xffffffffff", "1.2.3.0x4",
    ])
    func hostThatEndsInANumberIsRefused(_ host: String) {
        expectEqual(error("http://\(host)/"), .hostNumeric)
        expectEqual(error("http://\(host):80"), .hostNumeric)
    }

    @Test(arguments: [
        "[]", "[", "]", "[::1", "::1]", "[1.2.3.4]", "[::1]x", "[::1%25eth0]", "[::1%eth0]",
        "[v1.a]",
        "[g::1]", "[:::]", "[::1]]", "[[::1]", "[1:2:3:4:5:6:7]", "[1:2:3:4:5:6:7:8:9]",
        "[::1.2.3.256]", "[localhost]", "[ø]",
    ])
    func bracketsWithoutAnIPv6AddressAreRefused(_ host: String) {
        expect(error("http://\(host)/") != nil)
    }

    @Test(
        arguments: [
            ("http://[::1x]/", .addressInvalid), ("http://[1.2.3.4]", .addressInvalid),
            ("http://[::1", .addressInvalid), ("http://[::1]x", .portInvalid),
            ("http://::1/", .hostMissing), ("http://1::1/", .hostNumeric),
            ("", .schemeMissing), ("/", .schemeMissing), ("//h/", .schemeMissing),
            ("h", .schemeMissing),
            ("h/http://h", .schemeMissing), ("?http://h", .schemeMissing),
            ("#http://h", .schemeMissing),
            ("://h", .schemeMissing), (":", .schemeMissing), ("1http://h", .schemeMissing),
            ("ht_tp://h", .schemeMissing), ("+http://h", .schemeMissing), ("ø://h", .schemeMissing),
            ("ftp://h", .schemeUnsupported), ("ws://h", .schemeUnsupported),
            ("h:80", .schemeUnsupported),
            ("h:80/", .schemeUnsupported), ("httpss://h", .schemeUnsupported),
            ("http+unix://h", .schemeUnsupported), ("a1+-.://h", .schemeUnsupported),
            ("file:///etc/passwd", .schemeUnsupported), ("javascript://h", .schemeUnsupported),
            ("http:", .authorityMissing), ("http:/", .authorityMissing),
            ("http:h", .authorityMissing),
            ("http:/h", .authorityMissing), ("http:?//h", .authorityMissing),
            ("http:\\\\h", .authorityMissing),
            ("http://", .hostMissing), ("http:///", .hostMissing), ("http:///h", .hostMissing),
            ("http://?q", .hostMissing), ("http://#f", .hostMissing), ("http://:80", .hostMissing),
            ("http://:", .hostMissing),
            ("http://a@h", .userInformation), ("http://@h", .userInformation),
            ("http://a:b@h/", .userInformation), ("http://a:b@", .hostMissing),
            ("http://h@", .hostMissing), ("http://h\\@i/", .userInformation),
            ("http://tromsø.example", .hostNotASCII), ("http://１２７.0.0.1/", .hostNotASCII),
            ("http://h\u{200B}.example", .hostNotASCII), ("http://h。example", .hostNotASCII),
            ("http://.", .hostInvalid), ("http://..", .hostInvalid), ("http://.a", .hostInvalid),
            ("http://a..b", .hostInvalid), ("http://a..", .hostInvalid),
            ("http://a%41", .hostInvalid),
            ("http://a,b", .hostInvalid), ("http://h\\i", .hostInvalid), ("http://*", .hostInvalid),
            ("http://a~b/", .hostInvalid), ("http://a[::1]/", .hostInvalid),
            ("http://a{/", .hostInvalid),
            ("http://a`/", .hostInvalid), ("http://1.2.3.4,5/", .hostInvalid),
            ("http://h:0", .portInvalid), ("http://h:000", .portInvalid),
            ("http://h:65536", .portInvalid),
            ("http://h:99999999999999999999", .portInvalid), ("http://h:+80", .portInvalid),
            ("http://h:-1", .portInvalid), ("http://h:8o", .portInvalid),
            ("http://h:80:80", .portInvalid),
            ("http://h::80", .portInvalid), ("http://h:٨", .portInvalid),
            ("http://[::1]80", .portInvalid),
            ("http://h/%", .percentEncodingInvalid), ("http://h/%4", .percentEncodingInvalid),
            ("http://h/%4g", .percentEncodingInvalid), ("http://h/%g4", .percentEncodingInvalid),
            ("http://h/%4?1", .percentEncodingInvalid), ("http://h/%?41", .percentEncodingInvalid),
            ("http://h?%", .percentEncodingInvalid), ("http://h?a%2", .percentEncodingInvalid),
            ("http://h/%%41", .percentEncodingInvalid), ("http://h/%+1", .percentEncodingInvalid),
            ("http://h/%/1", .percentEncodingInvalid), ("http://h/%:0", .percentEncodingInvalid),
            ("http://h/%@0", .percentEncodingInvalid), ("http://h/%`0", .percentEncodingInvalid),
            ("http://h/%G0", .percentEncodingInvalid), ("http://h/%0G", .percentEncodingInvalid),
            ("http://h/%4#1", .percentEncodingInvalid),
        ] as [(String, UpstreamURLError)]
    )
    func whatIsNoURLIsRefused(_ text: String, _ expected: UpstreamURLError) {
        expectEqual(error(text), expected)
    }

    @Test(arguments: [
        "\u{0}", "\t", "\n", "\r", "\u{1F}", " ", "\u{7F}", "\u{80}", "\u{85}", "\u{9F}", "\u{A0}",
        "\u{2003}", "\u{2028}", "\u{3000}",
    ])
    func controlCharacterOrWhiteSpaceIsRefusedEverywhere(_ character: String) {
        let url = "http://h.example:80/a?b#c"
        for count in 0...url.count {
            let text = String(url.prefix(count)) + character + url.dropFirst(count)
            expectEqual(error(text), .forbiddenCharacter)
        }
    }

    @Test func labelsAndNamesHaveTheirLimits() {
        let label = String(repeating: "a", count: 63)
        let name = [label, label, label, String(repeating: "b", count: 61)].joined(separator: ".")
        expectEqual(name.utf8.count, 253)
        expectNil(error("http://\(name)"))
        expectNil(error("http://\(name)."))
        expectEqual(error("http://\(name)b"), .hostTooLong)
        expectEqual(error("http://\(name)b."), .hostTooLong)
        expectEqual(error("http://\(label)a"), .hostTooLong)
        expectEqual(error("http://a.\(label)a.b"), .hostTooLong)
    }

    @Test func urlHasALimit() throws {
        let room = UpstreamURL.lengthMax - "http://h/".utf8.count
        let longest = "http://h/" + String(repeating: "a", count: room)
        try expectEqual(UpstreamURL(longest).description, longest)
        expectEqual(error(longest + "a"), .tooLong(8193))
        expectEqual(error(longest + "#"), .tooLong(8193), "the fragment counts")
        expectEqual(error("http://h?" + String(repeating: "a", count: room)), .tooLong(8193))
        let encoded = String(repeating: "|", count: room / 3)
        expectNil(error("http://h/" + encoded))
        expectEqual(error("http://h/" + encoded + "|"), .tooLong(9 + (room / 3 + 1) * 3))
    }

    @Test func beginningsOfAURLAreURLsOrRefused() throws {
        let text = "https://a_b.Example.org:8443/v%41/ø{?q=%2F&[r]#f"
        let found = (0...text.count).filter { error(String(text.prefix($0))) == nil }
        // From "https://a" on, but for what ends within an escape.
        let withinEscapes: Set = [31, 32, 40, 41]
        expectEqual(found, (9...text.count).filter { !withinEscapes.contains($0) })
    }

    @Test func equalURLsAreOfTheSameServerAndTarget() throws {
        let url = try UpstreamURL("https://a.example/b")
        try expectEqual(UpstreamURL("HTTPS://A.EXAMPLE:443/b#c"), url)
        for other in [
            "http://a.example/b", "https://a.example.:443/b", "https://a.example:80/b",
            "https://a.example/B", "https://a.example/b?", "https://b.example/b",
        ] {
            try expect(UpstreamURL(other) != url)
        }
    }

    @Test(arguments: [
        "http://hush:hush@h/", "http://h:hush/", "http://hush,hush/", "https://h/%hush",
        "https://h?%hush", "hush://h", "hush", "http:hush", "http://hush:hu/sh@h/",
        "http://h/?hush ",
        "http://\(String(repeating: "hush", count: 100))/", "http://[hush]/", "http://hush.0x1/",
        "http://høsh:hush@h", "http://h/\(String(repeating: "hush", count: 3000))",
    ])
    func errorShowsNothingOfTheText(_ text: String) throws {
        let description = try require(error(text)).description
        expect(!description.contains("hush"))
        expect(description.hasPrefix("url "))
        expect(description.utf8.count < 200)
    }

    @Test func errorsSayWhatIsExpected() {
        expectEqual("\(UpstreamURLError.tooLong(9000))", "url has 9000 bytes, over limit 8192")
        expect("\(UpstreamURLError.hostNotASCII)".contains("xn--"))
        expect("\(UpstreamURLError.portInvalid)".contains("1 to 65535"))
        expect("\(UpstreamURLError.hostTooLong)".contains("253"))
        let errors: [UpstreamURLError] = [
            .tooLong(1), .forbiddenCharacter, .schemeMissing, .schemeUnsupported, .authorityMissing,
            .userInformation, .hostMissing, .hostNotASCII, .hostInvalid, .hostTooLong, .hostNumeric,
            .addressInvalid, .portInvalid, .percentEncodingInvalid,
        ]
        expectEqual(Set(errors.map(\.description)).count, errors.count)
    }
}
