import COpenSSL
import Glibc
import Timekeeping

@testable import Reactor

/// A self-signed certificate and its private key, made for one test, in two PEM files that are
/// removed with the object.
final class TLSTestIdentity {
    enum KeyKind {
        case ellipticCurveP256
        case ellipticCurveP384
        case rsa1024
        case ed25519
    }

    let certificateFile: String
    let keyFile: String
    private let folder: String
    private let keyKind: KeyKind

    /// - Parameters:
    ///   - names: the subject alternative names, "DNS:localhost,IP:127.0.0.1".
    ///   - validity: in seconds from the present.
    init(
        names: String = "DNS:localhost",
        validity: ClosedRange<Int> = -3600...3600,
        keyKind: KeyKind = .ellipticCurveP256,
        passphrase: String? = nil
    ) throws {
        folder = try makeTemporaryFolder()
        certificateFile = "\(folder)/certificate.pem"
        keyFile = "\(folder)/key.pem"

        self.keyKind = keyKind
        try replace(names: names, validity: validity, passphrase: passphrase)
    }

    /// Writes another certificate and key into the same files.
    func replace(
        names: String,
        validity: ClosedRange<Int> = -3600...3600,
        passphrase: String? = nil
    ) throws {
        let key = makeKey(keyKind)
        defer { EVP_PKEY_free(key) }
        let certificate = makeCertificate(names: names, validity: validity, key: key)
        defer { X509_free(certificate) }
        write(to: certificateFile) { PEM_write_bio_X509($0, certificate) }
        write(to: keyFile) { file in
            guard let passphrase else {
                return PEM_write_bio_PrivateKey(file, key, nil, nil, 0, nil, nil)
            }
            return PEM_write_bio_PrivateKey(
                file,
                key,
                EVP_aes_256_cbc(),
                passphrase,
                Int32(passphrase.utf8.count),
                nil,
                nil
            )
        }
    }

    deinit {
        for file in [certificateFile, keyFile, otherFile] { unlink(file) }
        rmdir(folder)
    }

    /// A file of the same folder with `text` in it.
    func fileWithText(_ text: String) -> String {
        write(to: otherFile) { BIO_puts($0, text) }
        return otherFile
    }

    private var otherFile: String { "\(folder)/other" }

    var files: TLSCertificateFiles {
        TLSCertificateFiles(certificate: certificateFile, key: keyFile)
    }

    func server() throws -> TLSServer {
        try TLSServer(TLSServerSettings(certificates: [files]), now: presentTime())
    }

    func serverContext(
        alpn: [String] = ["http/1.1"],
        versions: ClosedRange<TLSVersion> = .tls12 ... .tls13
    ) throws -> TLSContext {
        var settings = TLSServerSettings(certificates: [files])
        settings.applicationProtocols = alpn
        settings.versions = versions
        return try TLSContext(server: settings, tickets: TLSTickets(), now: presentTime())
    }

    func clientContext(
        alpn: [String] = ["http/1.1"],
        versions: ClosedRange<TLSVersion> = .tls12 ... .tls13
    ) throws -> TLSContext {
        try TLSContext(clientTrusting: .file(certificateFile), alpn: alpn, versions: versions)
    }
}

private func makeTemporaryFolder() throws -> String {
    var template = Array("/tmp/reactor-tls-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw SystemTestError(code: errno) }
    return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

/// The certificates of tests are made for it, since clients ask the system's clock.
func presentTime() -> Timestamp { Timestamp(seconds: Double(time(nil))) }

struct SystemTestError: Error {
    let code: Int32
}

private func makeKey(_ kind: TLSTestIdentity.KeyKind) -> OpaquePointer? {
    let kindCode: Int32
    switch kind {
    case .ellipticCurveP256, .ellipticCurveP384: kindCode = EVP_PKEY_EC
    case .rsa1024: kindCode = EVP_PKEY_RSA
    case .ed25519: kindCode = EVP_PKEY_ED25519
    }
    let generator = EVP_PKEY_CTX_new_id(kindCode, nil)
    defer { EVP_PKEY_CTX_free(generator) }
    precondition(EVP_PKEY_keygen_init(generator) == 1)
    switch kind {
    case .ellipticCurveP256: precondition(EVP_PKEY_CTX_set_group_name(generator, "P-256") == 1)
    case .ellipticCurveP384: precondition(EVP_PKEY_CTX_set_group_name(generator, "P-384") == 1)
    case .rsa1024: precondition(EVP_PKEY_CTX_set_rsa_keygen_bits(generator, 1024) == 1)
    case .ed25519: break
    }
    var key: OpaquePointer?
    precondition(EVP_PKEY_generate(generator, &key) == 1)
    return key
}

private func makeCertificate(
    names: String,
    validity: ClosedRange<Int>,
    key: OpaquePointer?
) -> OpaquePointer? {
    let certificate = X509_new()
    X509_set_version(certificate, Int(X509_VERSION_3))
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1)
    X509_gmtime_adj(X509_getm_notBefore(certificate), validity.lowerBound)
    X509_gmtime_adj(X509_getm_notAfter(certificate), validity.upperBound)
    X509_set_pubkey(certificate, key)
    let subject = X509_get_subject_name(certificate)
    X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, "test", -1, -1, 0)
    X509_set_issuer_name(certificate, subject)
    let alternativeNames = X509V3_EXT_conf_nid(nil, nil, NID_subject_alt_name, names)
    precondition(X509_add_ext(certificate, alternativeNames, -1) == 1)
    X509_EXTENSION_free(alternativeNames)
    // Ed25519 hashes by itself and takes no digest.
    let digest = EVP_PKEY_get_id(key) == EVP_PKEY_ED25519 ? nil : EVP_sha256()
    precondition(X509_sign(certificate, key, digest) > 0)
    return certificate
}

private func write(to file: String, _ body: (OpaquePointer?) -> Int32) {
    let output = BIO_new_file(file, "w")
    precondition(output != nil, "cannot write \(file)")
    precondition(body(output) > 0, "cannot write \(file)")
    BIO_free(output)
}
