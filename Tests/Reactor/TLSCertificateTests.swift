import Expectations

@testable import Reactor

@Suite("TLS certificate: names and dates", .timeLimit(.minutes(10)))
struct TLSCertificateTests {
    @Test func namesAreTheDNSNamesInLowerCase() throws {
        let identity = try TLSTestIdentity(
            names: "DNS:Hub.Example.org,IP:127.0.0.1,DNS:*.b.example"
        )
        try expectEqual(
            identity.server().certificates.map(\.names),
            [["hub.example.org", "*.b.example"]]
        )
    }

    @Test func commonNameIsNoName() throws {
        let identity = try TLSTestIdentity(names: "IP:127.0.0.1")
        try expectEqual(identity.server().certificates.map(\.names), [[]])
    }

    @Test func datesAreThoseOfTheCertificate() throws {
        let identity = try TLSTestIdentity(validity: -100...86_400)
        let certificate = try require(identity.server().certificates.first)
        expectEqual(certificate.file, identity.certificateFile)
        expectEqual(certificate.validUntil - certificate.validFrom, .seconds(86_500))
    }

    @Test func certificateIsValidFromItsFirstToItsLastSecond() throws {
        let certificate = TLSCertificate(days: 90)
        try certificate.checkValidity(now: certificate.validFrom)
        try certificate.checkValidity(now: certificate.validUntil)
        let early = #expect(throws: TLSError.self) {
            try certificate.checkValidity(now: certificate.validFrom - .milliseconds(1))
        }
        expectEqual(
            early?.description,
            "a.pem: the certificate is not valid before 1970-01-01T00:00:00Z"
        )
        let late = #expect(throws: TLSError.self) {
            try certificate.checkValidity(now: certificate.validUntil + .milliseconds(1))
        }
        expectEqual(late?.description, "a.pem: the certificate expired at 1970-04-01T00:00:00Z")
    }

    @Test func renewalIsDueFourteenDaysBeforeTheEnd() {
        let certificate = TLSCertificate(days: 90)
        expect(!certificate.isRenewalDue(now: day(76)))
        expect(certificate.isRenewalDue(now: day(76) + .milliseconds(1)))
        expect(certificate.isRenewalDue(now: day(91)))
    }

    @Test func renewalOfAShortLifeIsDueInItsLastThird() {
        let certificate = TLSCertificate(days: 6)
        expect(!certificate.isRenewalDue(now: day(4)))
        expect(certificate.isRenewalDue(now: day(4) + .milliseconds(1)))
    }

    private func day(_ number: Int64) -> Timestamp {
        Timestamp(milliseconds: number * 86_400_000)
    }
}

extension TLSCertificate {
    fileprivate init(days: Int64) {
        self.init(
            file: "a.pem",
            names: [],
            validFrom: Timestamp(milliseconds: 0),
            validUntil: Timestamp(milliseconds: days * 86_400_000)
        )
    }
}
