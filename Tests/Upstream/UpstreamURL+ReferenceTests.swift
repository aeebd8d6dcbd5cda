import Expectations
import Upstream

@Suite("RFC 3986 §5.2 references, RFC 9110 §10.2.2 Location", .timeLimit(.minutes(10)))
struct UpstreamURLReferenceTests {
    private func resolved(
        _ reference: String,
        from base: String = "http://a/b/c/d;p?q"
    ) throws -> String {
        try UpstreamURL(base).resolving(reference).description
    }

    private func error(_ reference: String, from base: String = "http://a/b/c/d;p?q") throws
        -> UpstreamURLError?
    {
        let base = try UpstreamURL(base)
        do throws(UpstreamURLError) {
            _ = try base.resolving(reference)
            return nil
        } catch {
            return error
        }
    }

    /// Without the fragments, which are dropped.
    @Test(
        "RFC 3986 §5.4.1 normal examples",
        arguments: [
            ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
            ("/g", "http://a/g"), ("//g", "http://g/"), ("?y", "http://a/b/c/d;p?y"),
            ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q"), ("g#s", "http://a/b/c/g"),
            ("g?y#s", "http://a/b/c/g?y"), (";x", "http://a/b/c/;x"), ("g;x", "http://a/b/c/g;x"),
            ("g;x?y#s", "http://a/b/c/g;x?y"), ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"),
            ("./", "http://a/b/c/"), ("..", "http://a/b/"), ("../", "http://a/b/"),
            ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../", "http://a/"),
            ("../../g", "http://a/g"),
        ]
    )
    func normalReferenceIsResolved(_ reference: String, _ expected: String) throws {
        try expectEqual(resolved(reference), expected)
    }

    @Test(
        "RFC 3986 §5.4.2 abnormal examples",
        arguments: [
            ("../../../g", "http://a/g"), ("../../../../g", "http://a/g"), ("/./g", "http://a/g"),
            ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"),
            ("g..", "http://a/b/c/g.."), ("..g", "http://a/b/c/..g"), ("./../g", "http://a/b/g"),
            ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"),
            ("g/../h", "http://a/b/c/h"), ("g;x=1/./y", "http://a/b/c/g;x=1/y"),
            ("g;x=1/../y", "http://a/b/c/y"), ("g?y/./x", "http://a/b/c/g?y/./x"),
            ("g?y/../x", "http://a/b/c/g?y/../x"), ("g#s/./x", "http://a/b/c/g"),
            ("g#s/../x", "http://a/b/c/g"),
        ]
    )
    func abnormalReferenceIsResolved(_ reference: String, _ expected: String) throws {
        try expectEqual(resolved(reference), expected)
    }

    @Test(arguments: [
        ("https://b.example/x?y", "https://b.example/x?y"), ("HTTPS://B:443/x", "https://b/x"),
        ("http://b", "http://b/"), ("http://b?q", "http://b/?q"),
        ("http://b/c/../d/.", "http://b/d/"), ("//b:8000/../c", "http://b:8000/c"),
        ("//b", "http://b/"), ("//b?", "http://b/?"), ("//[::1]:80/c", "http://[::1]/c"),
        ("//a", "http://a/"), ("?", "http://a/b/c/d;p?"), ("g?", "http://a/b/c/g?"),
        ("/a//../b", "http://a/a/b"), ("/a///", "http://a/a///"), ("/.//g", "http://a//g"),
        ("/..//g", "http://a//g"), ("/.", "http://a/"), ("/..", "http://a/"),
        ("/a/..", "http://a/"), ("/a/b/..", "http://a/a/"), ("/a/b/../..", "http://a/"),
        ("/...", "http://a/..."), ("...", "http://a/b/c/..."), ("./a:b", "http://a/b/c/a:b"),
        ("/a:b", "http://a/a:b"), ("?a:b", "http://a/b/c/d;p?a:b"), ("#a:b", "http://a/b/c/d;p?q"),
        ("/%2e%2e/%2E", "http://a/%2e%2e/%2E"), ("/ø{}?ø", "http://a/%C3%B8%7B%7D?%C3%B8"),
        ("ø", "http://a/b/c/%C3%B8"), ("\\\\b\\c", "http://a/b/c/%5C%5Cb%5Cc"),
        ("/\\b", "http://a/%5Cb"),
        ("/\u{301}/.", "http://a/%CC%81/"),
    ])
    func locationIsResolved(_ reference: String, _ expected: String) throws {
        try expectEqual(resolved(reference), expected)
        let url = try UpstreamURL(expected)
        try expectEqual(url.resolving(expected), url)
    }

    @Test(arguments: [
        ("https://a", "b", "https://a/b"), ("https://a", "", "https://a/"),
        ("https://a", "?q", "https://a/?q"), ("https://a:8443/x/y", "//b/c", "https://b/c"),
        ("https://a:8443/x/y", "../z", "https://a:8443/z"), ("https://a?q=/b/", "c", "https://a/c"),
        ("https://a/x?q=/b/", "c", "https://a/c"), ("https://a/x?q=/b?r", "c", "https://a/c"),
        ("https://a/x/?q=/b/c", "?r", "https://a/x/?r"),
        ("https://a/x/?q=?", "", "https://a/x/?q=?"), ("https://a/x/../y", "", "https://a/x/../y"),
        ("https://a/x/../y", "?q", "https://a/x/../y?q"), ("https://a/x/../y", "z", "https://a/z"),
        ("https://a//x", "y", "https://a//y"), ("https://a//", "..", "https://a/"),
        ("https://[::1]:8443/x", "/y", "https://[::1]:8443/y"),
        ("http://1.2.3.4/x", "y", "http://1.2.3.4/y"),
        ("https://a/?", "", "https://a/?"), ("https://a/?", "#f", "https://a/?"),
    ])
    func baseIsKept(_ base: String, _ reference: String, _ expected: String) throws {
        try expectEqual(resolved(reference, from: base), expected)
        let url = try UpstreamURL(base).resolving(reference)
        try expectEqual(UpstreamURL(expected), url)
    }

    /// WHATWG URL, path and query percent-encode sets.
    @Test(arguments: [
        ("/there now.xml", "http://a/there%20now.xml"), ("a b", "http://a/b/c/a%20b"),
        (" /a ", "http://a/a"), ("   ", "http://a/b/c/d;p?q"),
        ("?q=a b", "http://a/b/c/d;p?q=a%20b"),
        ("//h/x y?z w#u v", "http://h/x%20y?z%20w"), ("http://h/ /", "http://h/%20/"),
        ("/a%20b c", "http://a/a%20b%20c"),
        ("/\"<>`{}?\"<>", "http://a/%22%3C%3E%60%7B%7D?%22%3C%3E"),
        ("/æ ø", "http://a/%C3%A6%20%C3%B8"),
        ("/原子力?q=é", "http://a/%E5%8E%9F%E5%AD%90%E5%8A%9B?q=%C3%A9"),
        (" \u{301}c", "http://a/b/c/%CC%81c"), ("/\u{A0}\u{3000}", "http://a/%C2%A0%E3%80%80"),
        (". /../x y", "http://a/b/c/x%20y"),
    ])
    func spacesAndOtherCharactersAreEncodedAsInBrowsers(
        _ reference: String,
        _ expected: String
    ) throws {
        try expectEqual(resolved(reference), expected)
    }

    @Test(
        arguments: [
            ("g:h", .schemeUnsupported), ("http:g", .authorityMissing),
            ("http:", .authorityMissing),
            ("http:/g", .authorityMissing), ("http:?q", .authorityMissing),
            ("mailto:a@b", .schemeUnsupported), ("javascript:1", .schemeUnsupported),
            ("ftp://h/", .schemeUnsupported), ("1:2", .schemeMissing), (":80", .schemeMissing),
            ("//", .hostMissing), ("///", .hostMissing), ("//u@h/", .userInformation),
            ("http://u:p@h/", .userInformation), ("//127.1/", .hostNumeric),
            ("//h:0", .portInvalid),
            ("//ø", .hostNotASCII), ("/%", .percentEncodingInvalid),
            ("?%4", .percentEncodingInvalid),
            ("/a\r\nb", .forbiddenCharacter), ("/a\n", .forbiddenCharacter),
            ("/a\tb", .forbiddenCharacter), ("/\u{7F}", .forbiddenCharacter),
            ("/\u{85}", .forbiddenCharacter), ("#\u{0}", .forbiddenCharacter),
            ("//a b/", .hostInvalid), ("http://a b/", .hostInvalid), ("//a:8 0/", .portInvalid),
            ("//a\u{A0}/", .hostNotASCII), ("ht tp://a/", .schemeMissing),
        ] as [(String, UpstreamURLError)]
    )
    func whatIsNoReferenceIsRefused(_ reference: String, _ expected: UpstreamURLError) throws {
        try expectEqual(error(reference), expected)
    }

    @Test func resolvedURLHasTheLimitToo() throws {
        let base = "http://a/" + String(repeating: "b", count: 4000) + "/c"
        let room = UpstreamURL.lengthMax - (base.utf8.count - 1)
        let longest = String(repeating: "d", count: room)
        try expectEqual(resolved(longest, from: base).utf8.count, UpstreamURL.lengthMax)
        try expectEqual(error(longest + "d", from: base), .tooLong(UpstreamURL.lengthMax + 1))
        let reference = "/" + String(repeating: "d", count: UpstreamURL.lengthMax)
        try expectEqual(error(reference), .tooLong(UpstreamURL.lengthMax + 1))
        let dots = String(repeating: "../", count: UpstreamURL.lengthMax / 3)
        try expectEqual(resolved(dots), "http://a/", "the reference itself is not too long")
    }
}
