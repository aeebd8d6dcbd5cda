import COpenSSL

/// Keys in PEM (RFC 7468), read by OpenSSL.
///
/// A text has to hold one block: with two, their order would decide which of them counts. Text
/// before and behind it is ignored (RFC 7468 §2).
enum PEM {
    /// The numbers of a public key: `PUBLIC KEY`, a SubjectPublicKeyInfo (RFC 5280 §4.1.2.7), or
    /// `RSA PUBLIC KEY` (RFC 8017 §A.1.1). Nil for anything else.
    static func publicKey(_ text: String) -> PublicKeyMaterial? {
        guard hasOneBlock(text) else { return nil }
        return withMemory(text) { memory in
            var label: UnsafeMutablePointer<CChar>?
            var header: UnsafeMutablePointer<CChar>?
            var bytes: UnsafeMutablePointer<UInt8>?
            var length = 0
            defer {
                openssl_free(label)
                openssl_free(header)
                openssl_free(bytes)
            }
            guard PEM_read_bio(memory, &label, &header, &bytes, &length) == 1,
                let label, let header, let bytes, length > 0
            else { return nil }
            // A header means that the rest is encrypted; public keys are not.
            guard header.pointee == 0 else { return nil }
            let encoded = UnsafeBufferPointer(start: bytes, count: length)
            return material(String(cString: label), encoded)
        }
    }

    private static func material(
        _ label: String,
        _ encoded: UnsafeBufferPointer<UInt8>
    ) -> PublicKeyMaterial? {
        var position = encoded.baseAddress
        let key: OpaquePointer?
        switch label {
        case "PUBLIC KEY": key = d2i_PUBKEY(nil, &position, encoded.count)
        case "RSA PUBLIC KEY": key = d2i_PublicKey(EVP_PKEY_RSA, nil, &position, encoded.count)
        default: return nil
        }
        defer { EVP_PKEY_free(key) }
        let end = encoded.baseAddress.map { $0 + encoded.count }
        guard let key, position == end else { return nil }
        return PublicKeyMaterial(key)
    }

    /// A private key of any form that OpenSSL reads without a passphrase; nil for anything else.
    ///
    /// - Returns: a key that the caller has to free.
    static func privateKey(_ text: String) -> OpaquePointer? {
        guard hasOneBlock(text) else { return nil }
        return withMemory(text) { memory in
            // Without a function, OpenSSL asks for the passphrase at the terminal.
            PEM_read_bio_PrivateKey(memory, nil, { _, _, _, _ in -1 }, nil)
        }
    }

    private static func hasOneBlock(_ text: String) -> Bool {
        text.utf8.ranges(of: "-----BEGIN ".utf8).count == 1
    }

    /// Runs `body` with a BIO that reads `text`. OpenSSL's reasons for a refusal are dropped, as
    /// later calls on this thread would take them for theirs.
    private static func withMemory<Result>(
        _ text: String,
        _ body: (OpaquePointer) -> Result?
    ) -> Result? {
        var text = text
        return text.withUTF8 { bytes in
            defer { ERR_clear_error() }
            guard let length = Int32(exactly: bytes.count),
                let memory = BIO_new_mem_buf(bytes.baseAddress, length)
            else { return nil }
            defer { BIO_free(memory) }
            return body(memory)
        }
    }
}
