import Expectations

@testable import Reactor

@Suite("TLS context: certificates and keys from files", .timeLimit(.minutes(10)))
struct TLSContextTests {
    @Test func serverAcceptsCertificateWithItsKey() throws {
        let context = try TLSTestIdentity().serverContext()
        expect(context.isServer)
    }

    @Test(arguments: [TLSTestIdentity.KeyKind.ellipticCurveP256, .ed25519])
    func serverRefusesKeyOfAnotherCertificate(kind: TLSTestIdentity.KeyKind) throws {
        let identity = try TLSTestIdentity()
        let other = try TLSTestIdentity(keyKind: kind)
        let error = #expect(throws: TLSError.self) {
            try context(certificate: identity.certificateFile, key: other.keyFile)
        }
        expectEqual(
            error?.message,
            "the private key does not belong to the certificate in "
                + identity.certificateFile
        )
        expectEqual(error?.context, other.keyFile)
    }

    @Test func serverRefusesExpiredCertificate() throws {
        let identity = try TLSTestIdentity(validity: -7200 ... -3600)
        let error = #expect(throws: TLSError.self) { try identity.serverContext() }
        expectEqual(error?.message.hasPrefix("the certificate expired at 2"), true)
        expectEqual(error?.message.hasSuffix("Z"), true)
    }

    @Test func serverRefusesCertificateOfTheFuture() throws {
        let identity = try TLSTestIdentity(validity: 3600...7200)
        let error = #expect(throws: TLSError.self) { try identity.serverContext() }
        expectEqual(error?.message.hasPrefix("the certificate is not valid before 2"), true)
    }

    @Test func errorNamesCertificateFileThatDoesNotExist() throws {
        let identity = try TLSTestIdentity()
        let error = #expect(throws: TLSError.self) {
            try context(certificate: "/nonexistent/chain.pem", key: identity.keyFile)
        }
        expectEqual(
            error?.description,
            "/nonexistent/chain.pem: cannot read the certificate: No such file or directory"
        )
    }

    @Test func errorNamesKeyFileThatDoesNotExist() throws {
        let identity = try TLSTestIdentity()
        let error = #expect(throws: TLSError.self) {
            try context(certificate: identity.certificateFile, key: "/nonexistent/key.pem")
        }
        expectEqual(
            error?.description,
            "/nonexistent/key.pem: cannot read the private key: No such file or directory"
        )
    }

    @Test func errorSaysThatFileIsNotPEM() throws {
        let identity = try TLSTestIdentity()
        let file = identity.fileWithText("not a certificate\n")
        let error = #expect(throws: TLSError.self) {
            try context(certificate: file, key: identity.keyFile)
        }
        expectEqual(error?.description, "\(file): cannot read the certificate: no start line")
        let keyError = #expect(throws: TLSError.self) {
            try context(certificate: identity.certificateFile, key: file)
        }
        expectEqual(keyError?.description, "\(file): cannot read the private key: unsupported")
    }

    @Test func serverRefusesEncryptedKeyWithoutAskingForPassphrase() throws {
        let identity = try TLSTestIdentity(passphrase: "secret words")
        let error = #expect(throws: TLSError.self) { try identity.serverContext() }
        expectEqual(error?.message, "the private key is encrypted, and key_password is missing")
    }

    @Test func encryptedKeyIsReadWithItsPassphrase() throws {
        let identity = try TLSTestIdentity(passphrase: "secret words")
        func context(_ password: String) throws {
            let files = TLSCertificateFiles(
                certificate: identity.certificateFile,
                key: identity.keyFile,
                keyPassword: password
            )
            _ = try TLSServer(TLSServerSettings(certificates: [files]), now: presentTime())
        }
        try context("secret words")
        #expect(throws: TLSError.self) { try context("other words") }
    }

    @Test func clientRefusesTrustFileThatDoesNotExist() {
        let error = #expect(throws: TLSError.self) {
            try TLSContext(clientTrusting: .file("/nonexistent/trust.pem"))
        }
        expectEqual(error?.context, "/nonexistent/trust.pem")
    }

    private func context(certificate: String, key: String) throws -> TLSContext {
        let files = TLSCertificateFiles(certificate: certificate, key: key)
        return try TLSContext(
            server: TLSServerSettings(certificates: [files]),
            tickets: TLSTickets(),
            now: presentTime()
        )
    }
}
