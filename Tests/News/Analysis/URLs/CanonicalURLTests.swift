import Expectations
import SeededRandom

@testable import News

@Suite("Canonical URL", .timeLimit(.minutes(10)))
struct CanonicalURLTests {
    @Test(
        arguments: [
            ("http://Example.COM", "https://example.com/"),
            (" \n https://example.com/a\t", "https://example.com/a"),
            ("HTTPS://example.com:443/a", "https://example.com/a"),
            ("http://example.com:80/a", "https://example.com/a"),
            ("http://example.com:443/a", "https://example.com/a"),
            ("https://example.com:80/a", "https://example.com:80/a"),
            ("https://example.com:/a", "https://example.com/a"),
            ("https://example.com:08443/a", "https://example.com:8443/a"),
            ("https://example.com./a", "https://example.com/a"),
            ("https://[2001:DB8::1]:8080/a", "https://[2001:db8::1]:8080/a"),
            ("https://example.com/a/./b/../c", "https://example.com/a/c"),
            ("https://example.com/../..", "https://example.com/"),
            ("https://example.com/a/%2e%2E/b", "https://example.com/b"),
            ("https://example.com/%7euser/%c3%a6?x=%2f", "https://example.com/~user/%C3%A6?x=%2F"),
            ("https://example.com/a b/æ|%zz", "https://example.com/a%20b/%C3%A6%7C%25zz"),
            ("https://example.com/a//b/", "https://example.com/a//b/"),
            ("https://example.com?b=2&a=1&&a", "https://example.com/?a&a=1&b=2"),
            ("https://example.com/a?#part", "https://example.com/a"),
            ("https://example.com/a#x?y=1", "https://example.com/a"),
            (
                "https://example.com/a?utm_source=x&UTM_Medium=y&gclid=1&fbclid=2&id=7&utm%5Fid=3",
                "https://example.com/a?id=7"
            ),
        ]
    )
    func sameAddressHasOneForm(url: String, canonical: String) throws {
        try expectEqual(CanonicalURL(url).text, canonical)
    }

    @Test(
        arguments: [
            ("https://m.example.com/a", "https://www.example.com/a"),
            ("https://mobile.example.co.uk/a", "https://www.example.co.uk/a"),
            ("https://amp.example.com/a", "https://www.example.com/a"),
            ("https://m.sport.example.com/a", "https://sport.example.com/a"),
            ("https://en.m.example.org/wiki/A", "https://en.example.org/wiki/A"),
            ("https://m.m.example.com/a", "https://www.example.com/a"),
            ("https://amp.dev/a", "https://amp.dev/a"),
            ("https://m.co.uk/a", "https://m.co.uk/a"),
            ("https://example.com/a/amp", "https://example.com/a"),
            ("https://example.com/a/amp/", "https://example.com/a/"),
            ("https://example.com/amp/a", "https://example.com/a"),
            ("https://example.com/amp", "https://example.com/amp"),
            ("https://example.com/a.amp.html", "https://example.com/a.html"),
            ("https://example.com/a.amp", "https://example.com/a"),
            ("https://example.com/a?amp=1&id=2", "https://example.com/a?id=2"),
            ("https://example.com/a?outputType=amp", "https://example.com/a"),
            ("https://example.com/camp", "https://example.com/camp"),
            (
                "https://www.google.com/amp/s/m.example.com/a/amp?x=1",
                "https://www.example.com/a?x=1"
            ),
            (
                "https://example-com.cdn.ampproject.org/c/s/example.com/a",
                "https://example.com/a"
            ),
            ("https://www.google.com/amp/s/", "https://www.google.com/s/"),
        ]
    )
    func otherFormsOfThePageAreThePage(url: String, canonical: String) throws {
        try expectEqual(CanonicalURL(url).text, canonical)
    }

    @Test(
        arguments: [
            ("", CanonicalURL.Refusal.scheme), ("example.com/a", .scheme),
            ("ftp://example.com", .scheme),
            ("javascript:alert(1)", .scheme), ("https:/example.com", .scheme),
            ("text://123", .scheme), ("https://", .host), ("https:///a", .host),
            ("https://ex ample.com", .host),
            ("https://a..b", .host), ("https://.a", .host), ("https://%65xample.com", .host),
            ("https://[::1", .host), ("https://[zz]/", .host), ("https://example.com\\a", .host),
            ("https://user@example.com", .userInformation),
            ("https://user:word@example.com/", .userInformation),
            ("https://example.com:0", .port), ("https://example.com:65536", .port),
            ("https://example.com:8a", .port), ("https://[::1]8", .port),
            ("https://example.com/a\nb", .controlCharacter),
            ("https://exam\u{0}ple.com", .controlCharacter),
            ("https://example.com/\u{7F}", .controlCharacter),
        ]
    )
    func everythingElseIsRefusedWithItsReason(url: String, refusal: CanonicalURL.Refusal) {
        #expect(throws: refusal) { try CanonicalURL(url) }
    }

    @Test func lengthIsBoundedBeforeAndAfter() throws {
        let base = "https://example.com/"
        let longest = base + String(repeating: "a", count: CanonicalURL.lengthMax - base.utf8.count)
        try expectEqual(CanonicalURL(longest).text, longest)
        #expect(throws: CanonicalURL.Refusal.tooLong) { try CanonicalURL(longest + "a") }
        let growing = base + String(repeating: " x", count: 700)
        expect(growing.utf8.count < CanonicalURL.lengthMax)
        #expect(throws: CanonicalURL.Refusal.tooLong) { try CanonicalURL(growing) }
    }

    @Test func hostIsThatOfTheCanonicalForm() throws {
        try expectEqual(CanonicalURL("http://M.Example.com:8080/a").host, "www.example.com")
    }

    /// Pieces that matter to the rules, in random order, so that they meet in ways nobody wrote
    /// down.
    @Test(arguments: 1...40)
    func canonicalFormOfACanonicalFormIsItself(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var accepted = 0
        for _ in 0..<500 {
            let url = randomURL(&random)
            guard let canonical = try? CanonicalURL(url) else { continue }
            accepted += 1
            let again = try? CanonicalURL(canonical.text)
            expectEqual(again, canonical, "seed \(seed): \(url)")
            expect(canonical.text.hasPrefix("https://\(canonical.host)"))
            expect(!canonical.text.contains("#"))
            let parameters = canonical.text.drop { $0 != "?" }.dropFirst().split(separator: "&")
            expect(
                !parameters.contains { $0.lowercased().hasPrefix("utm_") },
                "seed \(seed): \(url)"
            )
            expect(canonical.text.utf8.allSatisfy { (0x21...0x7E).contains($0) })
        }
        expect(accepted > 100, "seed \(seed)")
    }

    private func randomURL(_ random: inout SeededGenerator) -> String {
        let schemes = ["http://", "https://", "HTTP://"]
        let hosts = [
            "m.", "amp.", "mobile.", "www.", "Example", "google", "x", ".com", ".co", ".uk", ".",
            "www.google.com", "a.cdn.ampproject.org", "example.com",
        ]
        let ports = ["", "", "", ":", ":80", ":443", ":8080", ":080"]
        let pieces = [
            "/", "/", "amp", "a", ".amp", ".html", "..", ".", "%2e", "%41", "%", "%2f", "c", "s",
            "m.example.com", "example.com", "æ", " ", "//", "=", "&", ":", "@", "[",
        ]
        let parameters = [
            "?", "&", "a=1", "b", "amp=1", "amp", "utm_source=x", "UTM_x", "=", "%75tm_a=1", "æ=ø",
            "fbclid=1", "outputType=amp", "?", "+", ";", "#", "amp_=",
        ]
        func some(_ list: [String], _ count: ClosedRange<Int>) -> String {
            (0..<Int.random(in: count, using: &random))
                .map { _ in list.randomElement(using: &random)! }.joined()
        }
        return some(schemes, 1...1) + some(hosts, 1...4) + some(ports, 1...1) + "/"
            + some(pieces, 0...9) + "?" + some(parameters, 0...9)
    }
}
