import Expectations
import Wire

@Suite("RFC 9112 §3.2 request target", .timeLimit(.minutes(10)))
struct RequestTargetTests {
    private func read(_ target: String, method: String = "GET") -> RequestReading {
        requests("\(method) \(target) HTTP/1.1\r\nHost: front.example\r\n\r\n")
    }

    @Test func serverSplitsOriginFormAtFirstQuestionMark() {
        let head = read("/a/b%20c?x=1?y=2").heads.first
        expectEqual(head?.target, "/a/b%20c?x=1?y=2")
        expectEqual(head?.path, "/a/b%20c")
        expectEqual(head?.query, "x=1?y=2")
        expectEqual(head?.authority, "front.example")
    }

    @Test func serverTellsEmptyQueryFromNone() {
        expectEqual(read("/a?").heads.first?.query, "")
        expectEqual(read("/a").heads.map(\.query), [nil])
    }

    @Test func serverKeepsPathThatLooksLikeAnAuthority() {
        expectEqual(read("//other.example/a").heads.first?.path, "//other.example/a")
        expectEqual(read("//other.example/a").heads.first?.authority, "front.example")
    }

    @Test(arguments: [
        ("http://back.example:81/a?b", "/a", "b", "back.example:81"),
        ("HTTPS://back.example/", "/", nil, "back.example"),
        ("http://back.example", "/", nil, "back.example"),
        ("http://back.example?b", "/", "b", "back.example"),
        ("http://[2001:db8::1]:8080/a", "/a", nil, "[2001:db8::1]:8080"),
    ])
    func serverUsesAuthorityOfAbsoluteFormInsteadOfHost(
        _ target: String,
        _ path: String,
        _ query: String?,
        _ authority: String
    ) {
        let head = read(target).heads.first
        expectEqual(head?.target, target)
        expectEqual(head?.path, path)
        expectEqual(head?.query, query)
        expectEqual(head?.authority, authority)
    }

    @Test(arguments: [
        ("http://back.example", "*"), ("http://back.example/", "/"), ("http://back.example?b", "/"),
    ])
    func serverReadsAbsoluteFormOfOPTIONSWithoutPathAsTheWholeServer(
        _ target: String,
        _ path: String
    ) {
        let head = read(target, method: "OPTIONS").heads.first
        expectEqual(head?.path, path)
        expectEqual(head?.authority, "back.example")
    }

    @Test func serverTakesAuthorityFormForConnectAlone() {
        let head = read("back.example:443", method: "CONNECT").heads.first
        expectEqual(head?.authority, "back.example:443")
        expectEqual(head?.path, "")
        expectEqual(read("back.example:443").error, .targetInvalid("back.example:443"))
    }

    @Test(arguments: [
        "back.example", "back.example:", ":443", "/", "*", "http://back.example/", "a@b:1",
        "a:65536",
    ])
    func serverRefusesConnectWithoutHostAndPort(_ target: String) {
        expectEqual(read(target, method: "CONNECT").error, .targetInvalid(target))
    }

    @Test func serverTakesAsteriskFormForOptionsAlone() {
        expectEqual(read("*", method: "OPTIONS").heads.first?.path, "*")
        expectEqual(read("*").error, .targetInvalid("*"))
        expectEqual(read("*a", method: "OPTIONS").error, .targetInvalid("*a"))
    }

    @Test(arguments: [
        "a", "?a", "index.html", "ftp://a/", "http:/a", "http:a", "http://", "http:///a",
        "http://:80/",
        "http://user@a/", "http://a b/", "http://[::1/", "http://a:b/", "mailto:a@b",
    ])
    func serverRefusesTargetOfNoForm(_ target: String) {
        let reading = read(target)
        expect(reading.error != nil)
        expectEqual(reading.error?.status, 400)
        expect(reading.messages.isEmpty)
    }

    @Test(arguments: ["/a#b", "/#", "/å", "/\u{80}", "/a\tb"])
    func serverRefusesFragmentAndWhatIsNotASCII(_ target: String) {
        expectEqual(read(target).error, .targetInvalid(target))
    }

    @Test func serverTakesEveryOtherVisibleCharacterInAPath() {
        let visible = (UInt8(ascii: "!")...UInt8(ascii: "~")).filter { $0 != UInt8(ascii: "#") }
        let target = "/" + String(decoding: visible, as: UTF8.self)
        expectEqual(read(target).heads.first?.target, target)
    }
}

@Suite("RFC 9112 §3.2 Host", .timeLimit(.minutes(10)))
struct HostTests {
    private func read(host: String, version: HTTPVersion = .http11) -> RequestReading {
        requests("GET / \(version.rawValue)\r\nHost: \(host)\r\n\r\n")
    }

    @Test func serverRefusesOneDotOneWithoutHost() {
        expectEqual(requests("GET / HTTP/1.1\r\n\r\n").error, .hostMissing)
        expectEqual(requests("GET http://a/ HTTP/1.1\r\n\r\n").error, .hostMissing)
    }

    @Test func serverTakesOneDotZeroWithoutHost() {
        let head = requests("GET / HTTP/1.0\r\n\r\n").heads.first
        expectEqual(head?.version, .http10)
        expectNil(head?.authority)
    }

    @Test(arguments: [HTTPVersion.http10, .http11])
    func serverRefusesSecondHostEvenWhenEqual(_ version: HTTPVersion) {
        let reading = requests("GET / \(version.rawValue)\r\nHost: a\r\nhost: a\r\n\r\n")
        expectEqual(reading.error, .hostRepeated(count: 2))
    }

    @Test(arguments: [
        "", "a", "a:80", "a:", "a:0", "a:65535", "example.org", "127.0.0.1:8000", "[::1]",
        "[::1]:80",
        "[::ffff:1.2.3.4]", "a_b-c.~d", "xn--strm-qoa.example", "%41b", "a!$&'()*+,;=b",
    ])
    func serverTakesValidHost(_ host: String) {
        let reading = read(host: host)
        expectNil(reading.error)
        expectEqual(reading.heads.first?.authority, host)
    }

    @Test(arguments: [
        "a:65536", "a:-1", "a:+1", "a:b", "a:80:80", "a/b", "a?b", "a#b", "user@a", "a b", "[::1",
        "::1", "[]", "[::1]80", "[::1]:x", "[g::1]", "[1]", "[fe80::1%25eth0]", "%4", "%4g", "å",
        "http://a", "a\\b", "a\"b", "<a>",
    ])
    func serverRefusesInvalidHost(_ host: String) {
        expectEqual(read(host: host).error, .hostInvalid(host))
        expectEqual(read(host: host, version: .http10).error, .hostInvalid(host))
    }
}
