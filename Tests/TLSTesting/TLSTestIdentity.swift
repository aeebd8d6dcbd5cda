// TLSTesting: certificates for tests of TLS, made when a test needs them.

import COpenSSL
import Glibc

/// A certificate and its private key, made for one test, in two PEM files that are removed with the object.
///
/// `@unchecked Sendable`: a test calls `replace` and `fileWithText` only while no other thread uses it.
package final class TLSTestIdentity: @unchecked Sendable {
    package enum KeyKind: Sendable {
        case ellipticCurveP256
        case ellipticCurveP384
        case rsa1024
        case ed25519
    }

    package let certificateFile: String
    package let keyFile: String
    private let folder: String
    private let keyKind: KeyKind
    private let issuer: TLSTestIdentity?
    private let isAuthority: Bool
    private var key: OpaquePointer?
    private var certificate: OpaquePointer?

    /// - Parameters:
    ///   - names: the subject alternative names, "DNS:localhost,IP:127.0.0.1".
    ///   - validity: in seconds from the present.
    ///   - issuer: the authority that signs it; nil for a self-signed certificate.
    package init(
        names: String = "DNS:localhost",
        validity: ClosedRange<Int> = -3600...3600,
        keyKind: KeyKind = .ellipticCurveP256,
        passphrase: String? = nil,
        issuer: TLSTestIdentity? = nil,
        isAuthority: Bool = false
    ) throws {
        folder = try makeTemporaryFolder()
        certificateFile = "\(folder)/certificate.pem"
        keyFile = "\(folder)/key.pem"
        self.keyKind = keyKind
        self.issuer = issuer
        self.isAuthority = isAuthority
        try replace(names: names, validity: validity, passphrase: passphrase)
    }

    /// Writes another certificate and key into the same files.
    package func replace(
        names: String,
        validity: ClosedRange<Int> = -3600...3600,
        passphrase: String? = nil
    ) throws {
        EVP_PKEY_free(key)
        X509_free(certificate)
        key = makeKey(keyKind)
        certificate = makeCertificate(names: names, validity: validity)
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
        EVP_PKEY_free(key)
        X509_free(certificate)
        for file in [certificateFile, keyFile, otherFile] { unlink(file) }
        rmdir(folder)
    }

    /// A file of the same folder with `text` in it.
    package func fileWithText(_ text: String) -> String {
        write(to: otherFile) { BIO_puts($0, text) }
        return otherFile
    }

    private var otherFile: String { "\(folder)/other" }

    private func makeCertificate(names: String, validity: ClosedRange<Int>) -> OpaquePointer? {
        let made = X509_new()
        X509_set_version(made, Int(X509_VERSION_3))
        ASN1_INTEGER_set(X509_get_serialNumber(made), issuer == nil ? 1 : 2)
        X509_gmtime_adj(X509_getm_notBefore(made), validity.lowerBound)
        X509_gmtime_adj(X509_getm_notAfter(made), validity.upperBound)
        X509_set_pubkey(made, key)
        let subject = X509_get_subject_name(made)
        let commonName = isAuthority ? "authority" : "test"
        X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, commonName, -1, -1, 0)
        X509_set_issuer_name(made, X509_get_subject_name(issuer?.certificate ?? made))
        addExtension(NID_subject_alt_name, names, to: made)
        if isAuthority { addExtension(NID_basic_constraints, "critical,CA:TRUE", to: made) }
        let signer = issuer?.key ?? key
        // Ed25519 hashes by itself and takes no digest.
        let digest = EVP_PKEY_get_id(signer) == EVP_PKEY_ED25519 ? nil : EVP_sha256()
        precondition(X509_sign(made, signer, digest) > 0)
        return made
    }
}

private func addExtension(_ kind: Int32, _ text: String, to certificate: OpaquePointer?) {
    let made = X509V3_EXT_conf_nid(nil, nil, kind, text)
    precondition(X509_add_ext(certificate, made, -1) == 1)
    X509_EXTENSION_free(made)
}

private func makeTemporaryFolder() throws -> String {
    var template = Array("/tmp/reactor-tls-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw SystemTestError(code: errno) }
    return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

package struct SystemTestError: Error {
    package let code: Int32

    package init(code: Int32) { self.code = code }
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

private func write(to file: String, _ body: (OpaquePointer?) -> Int32) {
    let output = BIO_new_file(file, "w")
    precondition(output != nil, "cannot write \(file)")
    precondition(body(output) > 0, "cannot write \(file)")
    BIO_free(output)
}
