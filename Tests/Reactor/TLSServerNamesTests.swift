import Expectations

@testable import Reactor

@Suite("TLS server names, RFC 6066 §3 and RFC 9525 §6.3", .timeLimit(.minutes(10)))
struct TLSServerNamesTests {
    private let names = TLSServerNames([
        ["default.example"],
        ["*.example.org", "example.org"],
        ["hub.example.org", "hub.example.org", "*.a.example.org"],
        ["*.example.org", "other.example", "*."],
    ])

    @Test(arguments: [
        ("default.example", 0), ("example.org", 1), ("hub.example.org", 2), ("other.example", 3),
        ("HUB.Example.ORG", 2),
    ])
    func certificateWithTheVeryNameIsChosen(name: String, place: Int) {
        expectEqual(names.place(of: name), place)
    }

    @Test(arguments: [("any.example.org", 1), ("b.a.example.org", 2), ("ANY.example.org", 1)])
    func wildcardStandsForOneLabel(name: String, place: Int) {
        expectEqual(names.place(of: name), place)
    }

    @Test(arguments: [
        "", ".", "org", "example", ".example.org", "a.b.example.org", "other.example.org.", "a.org",
        "*", "xexample.org", "hub.example.org\u{0}",
    ])
    func nameOfNoCertificateHasNone(name: String) {
        expectNil(names.place(of: name))
    }

    @Test func earlierOfTwoCertificatesGetsTheName() {
        let names = TLSServerNames([["a.example"], ["a.example", "*.b.example"], ["*.b.example"]])
        expectEqual(names.place(of: "a.example"), 0)
        expectEqual(names.place(of: "x.b.example"), 1)
    }

    @Test func withoutNamesNothingIsFound() {
        expectNil(TLSServerNames([[], []]).place(of: "localhost"))
    }
}
