import Expectations
import Upstream

@Suite("Proxies by the environment", .timeLimit(.minutes(10)))
struct ProxySettingsTests {
    private func proxy(
        for url: String,
        _ environment: [String: String]
    ) throws -> ProxySettings.Proxy? {
        try ProxySettings(environment: environment).proxy(for: try UpstreamURL(url))
    }

    private func error(_ environment: [String: String]) -> ProxySettingsError? {
        do throws(ProxySettingsError) {
            _ = try ProxySettings(environment: environment)
            return nil
        } catch {
            return error
        }
    }

    // MARK: Which variable

    @Test(
        arguments: [
            ([:], nil, nil),
            (["http_proxy": "a:1"], "a:1", nil),
            (["https_proxy": "a:1"], nil, "a:1"),
            (["HTTPS_PROXY": "a:1"], nil, "a:1"),
            (["HTTP_PROXY": "a:1"], nil, nil),
            (["HTTP_PROXY": "a:1", "http_proxy": "b:2"], "b:2", nil),
            (["HTTP_PROXY": "a:1", "all_proxy": "b:2"], "b:2", "b:2"),
            (["https_proxy": "a:1", "HTTPS_PROXY": "b:2"], nil, "a:1"),
            (["https_proxy": "", "HTTPS_PROXY": "b:2"], nil, "b:2"),
            (["all_proxy": "a:1"], "a:1", "a:1"),
            (["ALL_PROXY": "a:1"], "a:1", "a:1"),
            (["all_proxy": "a:1", "ALL_PROXY": "b:2"], "a:1", "a:1"),
            (["all_proxy": "", "ALL_PROXY": "b:2"], "b:2", "b:2"),
            (["all_proxy": "a:1", "http_proxy": "b:2"], "b:2", "a:1"),
            (["all_proxy": "a:1", "https_proxy": "b:2"], "a:1", "b:2"),
            (["ALL_PROXY": "a:1", "HTTPS_PROXY": "b:2"], "a:1", "b:2"),
            (["all_proxy": "a:1", "http_proxy": "", "https_proxy": ""], "a:1", "a:1"),
            (["http_proxy": "", "https_proxy": "", "all_proxy": "", "no_proxy": ""], nil, nil),
            (["http_proxy": "a:1", "HTTPS_PROXY": "b:2"], "a:1", "b:2"),
            (["Http_Proxy": "a:1", "proxy": "a:1", "ftp_proxy": "a:1"], nil, nil),
        ] as [([String: String], String?, String?)]
    )
    func variableIsChosen(_ environment: [String: String], _ http: String?, _ https: String?) throws
    {
        try expectEqual(proxy(for: "http://h/", environment)?.description, http)
        try expectEqual(proxy(for: "https://h/", environment)?.description, https)
    }

    @Test func withoutVariablesThereIsNoProxy() throws {
        let url = try UpstreamURL("https://h")
        expectNil(ProxySettings.none.proxy(for: url))
        try expectEqual(ProxySettings(environment: [:]), .none)
        try expectEqual(ProxySettings(environment: ["no_proxy": "*", "HTTP_PROXY": "?"]), .none)
    }

    @Test func variableWithoutEffectIsNotRead() {
        let wrong = "socks5://a:1"
        expectNil(error(["HTTP_PROXY": wrong]))
        expectNil(error(["https_proxy": "a:1", "HTTPS_PROXY": wrong]))
        expectNil(error(["http_proxy": "a:1", "https_proxy": "a:1", "all_proxy": wrong]))
        expectNil(error(["http_proxy": "a:1", "no_proxy": "a", "NO_PROXY": "?"]))
        expectNil(error(["no_proxy": "?"]))
        expectEqual(error(["https_proxy": "a:1", "all_proxy": wrong])?.variable, "all_proxy")
        expectEqual(error(["https_proxy": "a:1", "no_proxy": "?"])?.variable, "no_proxy")
        expectEqual(error(["http_proxy": "a:1", "NO_PROXY": "?"])?.variable, "NO_PROXY")
    }

    // MARK: Where the proxy is

    @Test(
        arguments: [
            ("proxy.local:3128", "proxy.local", 3128),
            ("http://proxy.local:3128", "proxy.local", 3128),
            ("http://proxy.local:3128/", "proxy.local", 3128),
            ("proxy.local:3128/", "proxy.local", 3128),
            ("HTTP://Proxy.Local:3128", "proxy.local", 3128), ("http://proxy", "proxy", 80),
            ("http://proxy/", "proxy", 80), ("http://proxy:", "proxy", 80),
            ("proxy:80", "proxy", 80),
            ("10.0.0.1:8080", "10.0.0.1", 8080), ("http://10.0.0.1", "10.0.0.1", 80),
            ("[::1]:8080", "::1", 8080), ("http://[FD00::1]", "fd00::1", 80),
            ("localhost:1", "localhost", 1),
            ("http:8080", "http", 8080),
        ] as [(String, String, UInt16)]
    )
    func proxyIsRead(_ text: String, _ host: String, _ port: UInt16) throws {
        let proxy = try require(proxy(for: "http://h", ["http_proxy": text]))
        expectEqual(proxy.host, host)
        expectEqual(proxy.port, port)
        expectNil(proxy.authorization)
    }

    @Test(
        arguments: [
            ("user:word", "user:word"), ("user", "user:"), ("user:", "user:"), (":word", ":word"),
            (":", ":"), ("u:a:b", "u:a:b"), ("u:a@b", "u:a@b"), ("u@d.example:p", "u@d.example:p"),
            ("u%40d:p%2F%3F%23%25%3a", "u@d:p/?#%:"), ("%75ser:w%6Frd", "user:word"),
            ("Aladdin:open%20sesame", "Aladdin:open sesame"), ("u:p%C3%B8", "u:pø"),
            ("u:pø", "u:pø"),
            ("u:\"<>\\^`{|}", "u:\"<>\\^`{|}"), ("a!$&'()*+,;=-._~:b", "a!$&'()*+,;=-._~:b"),
            ("u:%7E%80", nil),
        ] as [(String, String?)]
    )
    func credentialsAreDecoded(_ information: String, _ expected: String?) throws {
        for text in ["http://\(information)@p:1/", "\(information)@p:1"] {
            let proxy = try require(proxy(for: "https://h", ["https_proxy": text]))
            expectEqual(proxy.host, "p")
            expectEqual(proxy.port, 1)
            let value = try require(proxy.authorization)
            expect(value.hasPrefix("Basic "))
            let decoded = bytes(base64: value.dropFirst(6))
            expectEqual(decoded, (expected.map { Array($0.utf8) } ?? Array("u:~".utf8) + [0x80]))
        }
    }

    /// The example of RFC 7617 §2.
    @Test func credentialsAreThoseOfTheStandard() throws {
        let text = "http://Aladdin:open%20sesame@p"
        let proxy = try proxy(for: "http://h", ["http_proxy": text])
        expectEqual(proxy?.authorization, "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
    }

    @Test func emptyUserInformationIsNone() throws {
        try expectNil(proxy(for: "http://h", ["http_proxy": "http://@p:1"])?.authorization)
        try expectNil(proxy(for: "http://h", ["http_proxy": "@p:1"])?.authorization)
    }

    @Test(
        arguments: [
            ("socks5://p:1", .schemeUnsupported), ("socks5h://p:1", .schemeUnsupported),
            ("socks4://u:p@p:1", .schemeUnsupported), ("https://p:1", .schemeUnsupported),
            ("HTTPS://p", .schemeUnsupported), ("ftp://p", .schemeUnsupported),
            ("p", .portMissing), ("p:", .portMissing), ("p/", .portMissing),
            ("10.0.0.1", .portMissing),
            ("[::1]", .portMissing), ("u:p@p", .portMissing),
            ("http://p:1/a", .pathUnsupported), ("http://p:1//", .pathUnsupported),
            ("http://p:1?", .pathUnsupported), ("http://p:1/?a", .pathUnsupported),
            ("http://p:1#", .pathUnsupported), ("http://p:1/#a", .pathUnsupported),
            ("p:1/a", .pathUnsupported), ("http://p:1#@q", .pathUnsupported),
            ("http://u:%@p:1", .credentialsInvalid), ("http://u:%4@p:1", .credentialsInvalid),
            ("http://u%:p@p:1", .credentialsInvalid), ("http://u:%4g@p:1", .credentialsInvalid),
            ("http://u%3Av:p@p:1", .credentialsInvalid), ("http://u:%0A@p:1", .credentialsInvalid),
            ("http://u%0d:p@p:1", .credentialsInvalid), ("http://u:%00@p:1", .credentialsInvalid),
            ("http://u:%1F@p:1", .credentialsInvalid), ("http://u:%7f@p:1", .credentialsInvalid),
            ("http://", .url(.hostMissing)), ("http://:1", .url(.hostMissing)),
            (":1", .url(.hostMissing)),
            ("/", .url(.hostMissing)), ("http:///", .url(.hostMissing)), ("u@", .url(.hostMissing)),
            ("http://p:0", .url(.portInvalid)), ("p:65536", .url(.portInvalid)),
            ("p:a", .url(.portInvalid)), ("http:p", .url(.portInvalid)),
            ("u:p@p:x", .url(.portInvalid)),
            ("http://u:a/b@p:1", .url(.portInvalid)), ("::1:3128", .url(.hostMissing)),
            ("http://127.1:80", .url(.hostNumeric)), ("http://pø:1", .url(.hostNotASCII)),
            ("http://\u{301}p:1", .url(.hostNotASCII)),
            ("http://p,q:1", .url(.hostInvalid)), ("a://b://c", .schemeUnsupported),
            ("//p:1", .url(.hostMissing)), ("://p:1", .url(.schemeMissing)),
            ("1://p:1", .url(.schemeMissing)), ("p:1/http://q", .schemeUnsupported),
            ("/http://p:1", .url(.authorityMissing)), ("?http://p:1", .url(.authorityMissing)),
            ("//h/://p:1", .url(.authorityMissing)),
            ("http://p :1", .url(.forbiddenCharacter)), (" http://p:1", .url(.forbiddenCharacter)),
            ("http://p:1 ", .url(.forbiddenCharacter)),
            ("http://u:a b@p:1", .url(.forbiddenCharacter)),
            ("p:1\n", .url(.forbiddenCharacter)),
        ] as [(String, ProxySettingsError.Problem)]
    )
    func whatIsNoProxyIsRefused(_ text: String, _ expected: ProxySettingsError.Problem) {
        expectEqual(error(["https_proxy": text])?.problem, expected)
    }

    // MARK: no_proxy

    private func isDirect(_ url: String, _ exceptions: String) throws -> Bool {
        try proxy(for: url, ["all_proxy": "p:1", "no_proxy": exceptions]) == nil
    }

    @Test(arguments: [
        "http://localhost", "http://localhost:8000/", "https://LOCALHOST", "http://localhost./",
        "http://a.localhost", "http://a.b.localhost.", "http://127.0.0.1", "http://127.0.0.0",
        "http://127.255.255.255:80", "https://[::1]", "http://[0::1]:8080",
        "http://[::ffff:127.0.0.1]", "http://[::ffff:7f12:1]",
    ])
    func machineItselfIsReachedDirectly(_ url: String) throws {
        try expect(isDirect(url, ""))
    }

    @Test(arguments: [
        "http://localhost.example", "http://notlocalhost", "http://128.0.0.1",
        "http://126.255.255.255",
        "http://[::2]", "http://[::]", "http://0.0.0.0", "http://[1::1]", "http://10.127.0.1",
        "http://[::127.0.0.1]", "http://[::fffe:127.0.0.1]", "http://localhost.a.localhosts",
        "http://[::1:7f00:1]", "http://255.0.0.1", "http://[2001:db8::ffff:127.0.0.1]",
        "http://127.0.0.1.example",
    ])
    func otherHostsAreReachedThroughTheProxy(_ url: String) throws {
        try expect(!isDirect(url, ""))
    }

    @Test(arguments: [
        ("*", "http://h"), ("a,*", "http://h"), ("* a", "https://1.2.3.4:5"),
        ("*", "http://[fd00::1]"),
        ("a.example", "http://a.example"), ("a.example", "https://a.example:8443/b"),
        ("a.example", "http://b.a.example"), ("a.example", "http://c.b.a.example"),
        (".a.example", "http://a.example"), (".a.example", "http://b.a.example"),
        ("*.a.example", "http://a.example"), ("*.a.example", "http://c.b.a.example"),
        ("A.Example", "http://a.EXAMPLE"), ("a.example.", "http://a.example"),
        ("a.example", "http://a.example."), (".a.example.", "http://b.a.example."),
        ("example", "http://a.example"), ("a_b", "http://a_b"),
        ("a.example:80", "http://a.example"), ("a.example:443", "https://b.a.example"),
        (".a.example:8080", "http://b.a.example:8080"), ("a.example:", "http://a.example:1"),
        ("10.0.0.1", "http://10.0.0.1"), ("10.0.0.1", "http://10.0.0.1:8080"),
        ("10.0.0.1:8080", "http://10.0.0.1:8080"), ("10.0.0.1", "http://[::ffff:10.0.0.1]"),
        ("::ffff:10.0.0.1", "http://10.0.0.1"), ("[::ffff:a00:1]", "http://10.0.0.1"),
        ("fd00::1", "http://[fd00::1]"), ("[fd00::1]", "http://[FD00:0::1]:80"),
        ("[fd00::1]:8080", "http://[fd00::1]:8080"),
        ("10.0.0.0/8", "http://10.255.255.255"), ("10.0.0.0/8", "http://10.0.0.0"),
        ("10.1.2.3/8", "http://10.200.0.1"), ("10.0.0.1/32", "http://10.0.0.1"),
        ("192.0.2.128/25", "http://192.0.2.255"), ("0.0.0.0/0", "http://203.0.113.1"),
        ("0.0.0.0/0", "http://[::ffff:203.0.113.1]"), ("128.0.0.0/1", "http://255.0.0.1"),
        ("fd00::/8", "http://[fdff::1]"), ("::/0", "http://[2001:db8::1]"),
        ("2001:db8::/32", "http://[2001:db8:ffff::1]"), ("fd00::1/128", "http://[fd00::1]"),
        ("::ffff:10.0.0.0/104", "http://10.1.2.3"), ("::ffff:0:0/96", "http://1.2.3.4"),
        ("10.0.0.0/08", "http://10.1.2.3"),
        ("a b,c\td,,\n e", "http://e"), ("a b,c\td,,\n e", "http://c"), (" , a , ", "http://a"),
        ("a b", "http://b"), ("a,b", "http://a"),
    ])
    func exceptionIsReachedDirectly(_ exceptions: String, _ url: String) throws {
        try expect(isDirect(url, exceptions))
    }

    @Test(arguments: [
        ("a.example", "http://ba.example"), ("a.example", "http://example"),
        ("a.example", "http://a.example.org"), (".a.example", "http://xa.example"),
        ("*.a.example", "http://xa.example"), ("a.example:81", "http://a.example"),
        ("a.example:80", "https://a.example"), (".a.example:8080", "http://b.a.example:8081"),
        ("10.0.0.1", "http://10.0.0.2"), ("10.0.0.1:8080", "http://10.0.0.1"),
        ("10.0.0.0/8", "http://11.0.0.0"),
        ("10.0.0.0/8", "http://9.255.255.255"), ("10.0.0.0/8", "http://10.example"),
        ("192.0.2.128/25", "http://192.0.2.127"), ("10.0.0.1/32", "http://10.0.0.0"),
        ("128.0.0.0/1", "http://126.0.0.1"), ("0.0.0.0/0", "http://[fd00::1]"),
        ("0.0.0.0/0", "http://h"), ("::/0", "http://10.0.0.1"), ("::/95", "http://10.0.0.1"),
        ("::/0", "http://[::ffff:10.0.0.1]"), ("::/0", "http://h"),
        ("fd00::/8", "http://[fe00::1]"),
        ("::ffff:10.0.0.0/104", "http://11.0.0.1"), ("fd00::1", "http://[fd00::2]"),
        ("::a00:1", "http://10.0.0.1"), ("[fd00::1]:81", "http://[fd00::1]"), ("a, b", "http://c"),
    ])
    func otherHostIsReachedThroughTheProxy(_ exceptions: String, _ url: String) throws {
        try expect(!isDirect(url, exceptions))
    }

    @Test(arguments: [
        "?", "**", "*a", "a*", "*.", ".", "..a", "*..a", "a..b", "*.*", "*.*.a", "192.168.*",
        "<local>",
        "http://a", "a/", "a/8", "10.0.0.0/33", "10.0.0.0/", "/8", "10.0.0.0/-1", "10.0.0.0/+8",
        "10.0.0.0/0008", "10.0.0.0/8/8", "10.0.0.0/8:80", "10.0.0/8", "169.254/16", "::/129",
        "::/-0",
        "[::]/0", "[::1", "::1]", "[]", "[a]", "[10.0.0.1]", "a:0", "a:65536", "a:b", "a:80:80",
        "u@a", "ø.example", "10.1", "0x7f.1", "10.0.0.256", "a;b", "a|b", "::1:x", "*:80",
        String(repeating: "a", count: 64),
    ])
    func mistypedExceptionIsRefused(_ entry: String) {
        expectEqual(
            error(["http_proxy": "p:1", "no_proxy": entry])?.problem,
            .entryInvalid(number: 1)
        )
        let list = "a, \(entry) b"
        expectEqual(
            error(["http_proxy": "p:1", "NO_PROXY": list])?.problem,
            .entryInvalid(number: 2)
        )
    }

    // MARK: What is shown

    @Test func nothingShowsCredentials() throws {
        let environment = ["all_proxy": "http://hush:hush@p:1", "no_proxy": "a"]
        let settings = try ProxySettings(environment: environment)
        let proxy = try require(settings.proxy(for: UpstreamURL("http://h")))
        let secret = try require(proxy.authorization).dropFirst(6)
        for text in [
            "\(proxy)", String(reflecting: proxy), "\(settings)", String(reflecting: settings),
        ] {
            expect(!text.contains(secret))
        }
        expectEqual("\(proxy)", "p:1")
        let other = try require(self.proxy(for: "http://h", ["http_proxy": "[::1]:2"]))
        expectEqual("\(other)", "[::1]:2")
    }

    @Test(arguments: [
        "hush://p", "hush", "hush:hush@p", "http://hush:%@p:1", "http://hush:hush@p:x",
        "http://hush:hu/sh@p:1", "http://hush:hush@p:1/hush", "http://hush:hush@",
        "http://hush@127.1",
        "http://hush:hush@p:1#hush", "http://hush hush", "http://høsh:hush@ø",
    ])
    func errorShowsTheVariableAndNothingOfItsValue(_ value: String) throws {
        for name in ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] {
            let error = try require(self.error([name: value]))
            expectEqual(error.variable, name)
            expect(error.description.hasPrefix("\(name): "))
            expect(!error.description.contains("hush"))
            expect(error.description.utf8.count < 200)
        }
        let exceptions = "a,http://hush:hush@b"
        let entry = try require(self.error(["http_proxy": "p:1", "no_proxy": exceptions]))
        expect(entry.description.hasPrefix("no_proxy: entry 2 "))
        expect(!entry.description.contains("hush"))
    }

    @Test func errorsSayWhatIsExpected() {
        let problems: [ProxySettingsError.Problem] = [
            .url(.hostMissing), .schemeUnsupported, .portMissing, .pathUnsupported,
            .credentialsInvalid, .entryInvalid(number: 3),
        ]
        let texts = problems.map { ProxySettingsError(variable: "v", problem: $0).description }
        expectEqual(Set(texts).count, problems.count)
        expectEqual(texts[0], "v: url has no host")
        expect(texts[1].contains("http://host:port"))
        expect(texts[5].contains("3"))
    }
}
