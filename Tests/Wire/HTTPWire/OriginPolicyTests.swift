import Expectations
import Foundation
import Repository
import Wire

private func policy(_ patterns: String...) throws -> OriginPolicy {
    OriginPolicy(allowed: try patterns.map { try require(OriginPattern($0), "\($0)") })
}

private func request(
    origins: String...,
    host: String? = "hub.example.org",
    target: String = "/connection/websocket"
) -> HTTPRequestHead {
    var head = HTTPRequestHead(target: target)
    if let host { head.headers.append("Host", host) }
    for origin in origins { head.headers.append("Origin", origin) }
    return head
}

@Suite("RFC 6455 §10.2 pages of other origins", .timeLimit(.minutes(10)))
struct OriginPolicyTests {
    @Test func whoSendsNoOriginIsNoPage() throws {
        expectEqual(OriginPolicy().verdict(on: request()), .noOrigin)
        expectNil(OriginPolicy().refusal(of: request()))
        try expectEqual(policy("https://a.example").verdict(on: request()), .noOrigin)
    }

    @Test(arguments: [
        ("http://127.0.0.1", "127.0.0.1"),
        // A proxy ends TLS, and passes on the host that the browser asked for.
        ("https://127.0.0.1", "127.0.0.1"), ("https://10.0.0.7", "10.0.0.7:"),
        ("https://10.0.0.7", "10.0.0.7:443"), ("https://10.0.0.7:443", "10.0.0.7"),
        ("http://10.0.0.7", "10.0.0.7:80"), ("https://10.0.0.7:8000", "10.0.0.7:8000"),
        ("http://127.0.0.1:8000", "127.0.0.1:8000"), ("http://[::1]:8000", "[::1]:8000"),
        ("http://[::A]", "[::a]"), ("http://[::ffff:10.0.0.7]", "[::ffff:10.0.0.7]"),
        ("http://localhost:8000", "localhost:8000"), ("http://LocalHost", "localhOST"),
    ])
    func pageOfTheMachineItselfIsAllowed(_ origin: String, _ host: String) {
        let head = request(origins: origin, host: host)
        expectEqual(OriginPolicy().verdict(on: head), .sameOrigin)
        expectNil(OriginPolicy().refusal(of: head))
    }

    /// Anyone can point a name at this machine. A trusted proxy serves only its own.
    @Test(arguments: [
        ("http://hub.example.org", "hub.example.org"),
        ("https://hub.example.org", "hub.example.org"),
        ("https://hub.example.org", "hub.example.org:"),
        ("https://hub.example.org", "hub.example.org:443"),
        ("https://hub.example.org:443", "hub.example.org"),
        ("http://evil.example:8000", "evil.example:8000"),
        ("https://Hub.Example.org", "hub.eXample.org"),
        ("http://localhost.evil.example", "localhost.evil.example"),
        ("http://evil.localhost", "evil.localhost"), ("http://localhost.", "localhost."),
        ("http://127.0.0.1.evil.example", "127.0.0.1.evil.example"),
        ("http://127.0.0.1.", "127.0.0.1."), ("http://127.1", "127.1"),
        ("http://127.0.0.01", "127.0.0.01"), ("http://127.0.0.256", "127.0.0.256"),
        ("http://1.2.3.4.5", "1.2.3.4.5"), ("http://+1.2.3.4", "+1.2.3.4"),
        ("http://0x7f.0.0.1", "0x7f.0.0.1"), ("http://2130706433", "2130706433"),
        ("http://1..2.3", "1..2.3"), ("http://%6cocalhost", "%6cocalhost"),
    ])
    func pageOfANameIsAllowedOnlyWhereAProxyForwardsIt(_ origin: String, _ host: String) throws {
        let head = request(origins: origin, host: host)
        expectEqual(OriginPolicy().verdict(on: head), .foreign)
        expectEqual(OriginPolicy().refusal(of: head), "origin \(origin) is not allowed here")
        expectEqual(OriginPolicy().verdict(on: head, isForwarded: true), .sameOrigin)
        expectNil(OriginPolicy().refusal(of: head, isForwarded: true))
        try expectEqual(policy(origin).verdict(on: head), .listed)
    }

    @Test(arguments: [
        ("https://evil.example", "hub.example.org"),
        ("https://hub.example.org.evil.example", "hub.example.org"),
        ("https://evil-hub.example.org", "hub.example.org"),
        ("https://example.org", "hub.example.org"), ("https://org", "hub.example.org"),
        ("https://hub.example.org.", "hub.example.org"),
        ("https://hub.example.org:8000", "hub.example.org"),
        ("https://hub.example.org", "hub.example.org:8000"),
        // The scheme is not compared, but the port that it stands for is.
        ("http://hub.example.org", "hub.example.org:443"),
        ("https://hub.example.org", "hub.example.org:80"),
        ("http://localhost:8000", "127.0.0.1:8000"),
        ("capacitor://hub.example.org", "hub.example.org"),
        ("null", "hub.example.org"), ("null", "null"), ("", "hub.example.org"), ("", ""),
        ("hub.example.org", "hub.example.org"), ("https://hub.example.org/", "hub.example.org"),
        ("https://hub.example.org https://evil.example", "hub.example.org"),
        ("https://user@hub.example.org", "hub.example.org"), ("https://", ""),
    ])
    func pageOfAnotherOriginIsRefused(_ origin: String, _ host: String) {
        let head = request(origins: origin, host: host)
        for isForwarded in [false, true] {
            expectEqual(OriginPolicy().verdict(on: head, isForwarded: isForwarded), .foreign)
            expect(OriginPolicy().refusal(of: head, isForwarded: isForwarded) != nil)
        }
    }

    /// An image or a link sends no Origin.
    @Test(arguments: ["cross-site", "same-site", "Cross-Site", "same-origin, cross-site", ""])
    func pageThatSendsNoOriginIsKnownByItsSite(_ site: String) throws {
        var head = request()
        head.headers.append("Sec-Fetch-Site", site)
        expectEqual(OriginPolicy().verdict(on: head), .foreign)
        let text = "a page of another site is not allowed here: Sec-Fetch-Site \(site)"
        expectEqual(OriginPolicy().refusal(of: head), text)
        try expectEqual(policy("https://a.example").verdict(on: head), .foreign)
        try expectEqual(policy("*").verdict(on: head), .noOrigin)
    }

    @Test(arguments: ["same-origin", "none"])
    func pageOfTheServerAndAnEnteredAddressAreNoOtherSite(_ site: String) throws {
        var head = request()
        head.headers.append("Sec-Fetch-Site", site)
        expectEqual(OriginPolicy().verdict(on: head), .noOrigin)
        head.headers.append("Sec-Fetch-Site", "cross-site")
        expectEqual(OriginPolicy().verdict(on: head), .foreign)
    }

    @Test func listedPageOfAnotherSiteIsAllowed() throws {
        var head = request(origins: "https://a.example")
        head.headers.append("Sec-Fetch-Site", "cross-site")
        try expectEqual(policy("https://a.example").verdict(on: head), .listed)
    }

    @Test func originWithoutHostToCompareIsRefused() {
        let head = request(origins: "https://hub.example.org", host: nil)
        expectEqual(OriginPolicy().verdict(on: head), .foreign)
    }

    /// RFC 9112 §3.2.2: the host of an absolute form counts, not the Host field.
    @Test func originIsComparedWithTheHostOfAnAbsoluteForm() {
        let target = "http://hub.example.org:8000/connection/websocket"
        let own = request(
            origins: "http://hub.example.org:8000",
            host: "evil.example",
            target: target
        )
        expectEqual(OriginPolicy().verdict(on: own, isForwarded: true), .sameOrigin)
        let other = request(origins: "http://evil.example", host: "evil.example", target: target)
        expectEqual(OriginPolicy().verdict(on: other), .foreign)
    }

    @Test func repeatedOriginIsRefusedWhateverItSays() throws {
        let own = "https://hub.example.org"
        let head = request(origins: own, own)
        expectEqual(OriginPolicy().verdict(on: head), .foreign)
        expectEqual(OriginPolicy().refusal(of: head), "2 origin fields")
        try expectEqual(policy("*").verdict(on: head), .foreign)
    }

    @Test(arguments: [
        ("https://app.example", "https://app.example", true),
        ("https://app.example", "https://app.example:443", true),
        ("https://app.example:443", "https://app.example", true),
        ("https://App.Example", "https://app.example", true),
        ("https://app.example", "http://app.example", false),
        ("https://app.example", "https://app.example:8443", false),
        ("https://app.example", "https://a.app.example", false),
        ("https://app.example", "https://app.example.evil", false),
        ("https://app.example", "null", false),
        ("https://*.app.example", "https://a.app.example", true),
        ("https://*.app.example", "https://a.b.app.example", true),
        ("https://*.app.example", "https://A.APP.example:443", true),
        ("https://*.app.example", "https://app.example", false),
        ("https://*.app.example", "https://.app.example", false),
        ("https://*.app.example", "https://evilapp.example", false),
        ("https://*.app.example", "https://a.app.example.evil", false),
        ("https://*.app.example", "http://a.app.example", false),
        ("https://*.app.example", "https://a.app.example:8443", false),
        ("https://*.app.example", "https://evil/.app.example", false),
        ("https://*.app.example", "https://evil@a.app.example", false),
        ("https://*.app.example", "https://evil?.app.example", false),
        ("https://*.app.example", "https://evil#.app.example", false),
        ("https://*.app.example:8443", "https://a.app.example:8443", true),
        ("https://*.app.example:8443", "https://a.app.example", false),
        ("http://localhost:*", "http://localhost:3000", true),
        ("http://localhost:*", "http://localhost", true),
        ("http://localhost:*", "http://LOCALHOST:65535", true),
        ("http://localhost:*", "https://localhost:3000", false),
        ("http://localhost:*", "http://localhost.evil.example:3000", false),
        ("http://localhost:*", "http://a.localhost:3000", false),
        ("http://localhost:*", "http://127.0.0.1:3000", false),
        ("http://localhost:*", "http://localhost:3000/", false),
        ("http://localhost:*", "null", false),
        ("http://127.0.0.1:*", "http://127.0.0.1:3000", true),
        ("http://127.0.0.1:*", "http://127.0.0.10:3000", false),
        ("http://[::1]:*", "http://[::1]:3000", true),
        ("http://[::1]:*", "http://[::2]:3000", false),
        ("capacitor://localhost", "capacitor://localhost", true),
        ("capacitor://localhost", "ionic://localhost", false), ("null", "null", true),
        ("null", "https://evil.example", false), ("null", "NULL", false),
        ("*", "https://evil.example", true), ("*", "null", true), ("*", "nonsense", true),
    ])
    func listedOriginIsAllowedAndItsNeighboursAreNot(
        _ pattern: String,
        _ origin: String,
        _ isAllowed: Bool
    ) throws {
        let verdict = try policy(pattern).verdict(on: request(origins: origin))
        expectEqual(verdict, (isAllowed ? .listed : .foreign))
        expectEqual(verdict.isAllowed, isAllowed)
    }

    @Test func listIsReadToItsEndAndTheServersOwnPagesNeedNoEntry() throws {
        let policy = try policy("https://a.example", "https://*.b.example", "null")
        for origin in ["https://a.example", "https://x.b.example", "null"] {
            expectEqual(policy.verdict(on: request(origins: origin)), .listed, "\(origin)")
        }
        let own = request(origins: "https://127.0.0.1", host: "127.0.0.1")
        expectEqual(policy.verdict(on: own), .sameOrigin)
        expectEqual(policy.verdict(on: request(origins: "https://c.example")), .foreign)
    }

    @Test func refusalNamesTheOriginAndCannotForgeALogLine() {
        let refusal = OriginPolicy().refusal(of: request(origins: "https://evil.example"))
        expectEqual(refusal, "origin https://evil.example is not allowed here")
        let long = "https://a\u{1B}[31m" + String(repeating: "x", count: 1000)
        let text = OriginPolicy().refusal(of: request(origins: long)) ?? ""
        expect(text.unicodeScalars.count < 100)
        expect(!text.unicodeScalars.contains("\u{1B}"))
    }

    @Test(arguments: [
        "*", "null", "https://example.org", "http://localhost:3000", "https://*.example.org",
        "http://*.example.org:8000", "capacitor://localhost", "http://localhost:*",
        "https://127.0.0.1:*", "http://[::1]:*",
    ])
    func patternIsWrittenAsItIsRead(_ text: String) {
        expectEqual(OriginPattern(text)?.description, text)
    }

    @Test(arguments: [
        "", "example.org", "*.example.org", "https://", "https://*", "https://*.", "https://**.a",
        "https://a.*.b", "https://*a.b", "https://a.*", "*://a.example", "https://*.*.a",
        "https://*.[::1]", "https://example.org/", "https://*.example.org/", "NULL", "* ",
        "https://a, https://b", "https://example.org:*", "http://*.localhost:*", "http://*:*",
        "*:*",
        "http://localhost:80:*", "http://localhost:**", "http://localhost/:*", "localhost:*",
        "http://localhost.:*", "http://127.0.0.2:*", "http://192.168.0.1:*", ":*", "http://:*",
    ])
    func whatIsNoPatternIsRefused(_ text: String) {
        expectNil(OriginPattern(text))
    }
}

@Suite("Fetch: fields for pages of other origins", .timeLimit(.minutes(10)))
struct CORSFieldsTests {
    private static let names = [
        "Access-Control-Allow-Origin", "Access-Control-Expose-Headers",
        "Access-Control-Allow-Methods", "Access-Control-Allow-Headers", "Access-Control-Max-Age",
        "Access-Control-Allow-Credentials", "Vary",
    ]

    /// What is added to an answer, by name.
    private func fields(
        _ policy: OriginPolicy,
        _ origin: String?,
        preflight: Bool = false,
        answer: HTTPHeaders = ["Allow": "GET, HEAD, OPTIONS"]
    ) -> [String: String] {
        var head = HTTPRequestHead(
            method: preflight ? "OPTIONS" : "GET",
            target: "/",
            headers: ["Host": "hub.example.org"]
        )
        if let origin { head.headers.append("Origin", origin) }
        if preflight { head.headers.append("Access-Control-Request-Method", "GET") }
        var response = HTTPResponseHead(status: 200, headers: answer)
        policy.addFields(to: &response, answering: head)
        var found: [String: String] = [:]
        for name in CORSFieldsTests.names where response.headers.contains(name) {
            found[name] = response.headers.all(name).joined(separator: "|")
        }
        return found
    }

    @Test(arguments: [nil, "https://hub.example.org", "https://a.example"])
    func withoutAListNothingIsAdded(_ origin: String?) {
        expectEqual(fields(OriginPolicy(), origin), [:])
        expectEqual(fields(OriginPolicy(), origin, preflight: true), [:])
    }

    @Test func listedPageMayReadTheAnswer() throws {
        let found = fields(try policy("https://a.example"), "https://a.example")
        expectEqual(
            found,
            [
                "Access-Control-Allow-Origin": "https://a.example",
                "Access-Control-Expose-Headers": OriginPolicy.responseFields,
                "Vary": "Origin",
            ]
        )
    }

    @Test(arguments: [nil, "https://b.example", "https://hub.example.org", "null"])
    func otherAnswersOnlySayWhatTheyDependOn(_ origin: String?) throws {
        let policy = try policy("https://a.example")
        expectEqual(fields(policy, origin), ["Vary": "Origin"])
        expectEqual(fields(policy, origin, preflight: true), ["Vary": "Origin"])
    }

    @Test func preflightOfAListedPageIsToldWhatItMaySend() throws {
        let found = fields(try policy("https://a.example"), "https://a.example", preflight: true)
        expectEqual(
            found,
            [
                "Access-Control-Allow-Origin": "https://a.example",
                "Access-Control-Allow-Methods": "GET, HEAD, OPTIONS",
                "Access-Control-Allow-Headers":
                    OriginPolicy.requestFields,
                "Access-Control-Max-Age": "7200", "Vary": "Origin",
            ]
        )
    }

    @Test(arguments: [false, true])
    func pageMaySendAKeyOnlyWhereAppsHaveKeys(_ takesKey: Bool) throws {
        let head = HTTPRequestHead(
            method: "OPTIONS",
            target: "/",
            headers: ["Origin": "https://a.example", "Access-Control-Request-Method": "GET"]
        )
        var response = HTTPResponseHead(status: 204, headers: ["Allow": "GET"])
        try policy("*").addFields(to: &response, answering: head, takesKey: takesKey)
        let names = response.headers.listValues("Access-Control-Allow-Headers")
        expectEqual(names.contains("X-API-Key"), takesKey)
        for name in ["Authorization", "Cache-Control", "traceparent", "tracestate"] {
            expect(names.contains(name[...]))
        }
    }

    /// protocol/README.md lists the fields of both kinds.
    @Test func documentNamesTheFields() throws {
        let page = try String(
            contentsOfFile: repositoryRoot + "/protocol/README.md",
            encoding: .utf8
        )
        .replacing("\n", with: " ")
        for fields in [OriginPolicy.requestFields, OriginPolicy.responseFields] {
            let names = fields.split(separator: ", ").map { "`\($0)`" }
            let sentence = names.dropLast().joined(separator: ", ") + " and \(names.last!)"
            expect(page.contains(sentence + "."), "\(sentence)")
        }
    }

    @Test func preflightOfNothingIsNotToldOfMethods() throws {
        let found = fields(
            try policy("https://a.example"),
            "https://a.example",
            preflight: true,
            answer: [:]
        )
        expectEqual(found, ["Access-Control-Allow-Origin": "https://a.example", "Vary": "Origin"])
    }

    @Test(arguments: [nil, "https://a.example", "null"])
    func everyPageIsAnsweredAlikeWhereAnyMayRead(_ origin: String?) throws {
        let found = fields(try policy("*"), origin)
        expectEqual(
            found,
            [
                "Access-Control-Allow-Origin": "*",
                "Access-Control-Expose-Headers": OriginPolicy.responseFields,
            ]
        )
    }

    @Test(arguments: [
        ("Accept-Language", "Accept-Language, Origin"), ("origin", "origin"), ("*", "*"),
        ("Accept, Accept-Language", "Accept, Accept-Language, Origin"),
    ])
    func dependencyIsAddedToThoseThatAreThere(_ vary: String, _ expected: String) throws {
        let found = fields(try policy("https://a.example"), nil, answer: ["Vary": vary])
        expectEqual(found["Vary"], expected)
    }

    @Test func answerToWhatCouldNotBeReadIsForAnyoneOrNobody() throws {
        var response = HTTPResponseHead(status: 400)
        try policy("https://a.example").addFields(to: &response, answering: nil)
        expectEqual(response.headers, ["Vary": "Origin"])
        response = HTTPResponseHead(status: 400)
        try policy("*").addFields(to: &response, answering: nil)
        expectEqual(response.headers.first("Access-Control-Allow-Origin"), "*")
    }
}
