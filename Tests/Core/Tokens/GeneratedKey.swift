import COpenSSL
import Core

/// A key pair that OpenSSL generates, another one each time, as `openssl genpkey` writes it.
struct GeneratedKey {
    let privatePEM: String
    /// The private key in the form of its algorithm, as `openssl pkey -traditional` writes it; nil for
    /// one that has no such form.
    let traditionalPEM: String?
    let publicPEM: String

    /// On P-256.
    static func p256() throws -> GeneratedKey {
        try generate("EC") { EVP_PKEY_CTX_set_group_name($0, "prime256v1") }
    }

    /// On P-256, written in a form of its own.
    static func p256(setting parameter: String, to value: String) throws -> GeneratedKey {
        try generate("EC") { context in
            EVP_PKEY_CTX_set_group_name(context, "prime256v1")
        } change: { key in
            EVP_PKEY_set_utf8_string_param(key, parameter, value)
        }
    }

    /// - Parameters:
    ///   - name: of the algorithm, as OpenSSL has it.
    ///   - passphrase: with which the private key is encrypted; nil for a plain one.
    ///   - configure: sets its parameters; 1 when that succeeds.
    ///   - change: of the key afterwards; 1 when that succeeds.
    static func generate(
        _ name: String,
        encryptedBy passphrase: String? = nil,
        _ configure: (OpaquePointer) -> Int32 = { _ in 1 },
        change: (OpaquePointer?) -> Int32 = { _ in 1 }
    ) throws -> GeneratedKey {
        var key: OpaquePointer?
        guard let context = EVP_PKEY_CTX_new_from_name(nil, name, nil) else {
            throw Failure(description: "OpenSSL has no \(name)")
        }
        defer {
            EVP_PKEY_CTX_free(context)
            EVP_PKEY_free(key)
            ERR_clear_error()
        }
        guard EVP_PKEY_keygen_init(context) == 1, configure(context) == 1,
            EVP_PKEY_generate(context, &key) == 1, change(key) == 1
        else { throw Failure(description: "OpenSSL does not generate \(name)") }
        let cipher = passphrase == nil ? nil : EVP_aes_128_cbc()
        let secret = Array((passphrase ?? "").utf8)
        let length = Int32(secret.count)
        return GeneratedKey(
            privatePEM: try pem {
                PEM_write_bio_PrivateKey($0, key, cipher, secret, length, nil, nil)
            },
            traditionalPEM: try? pem {
                PEM_write_bio_PrivateKey_traditional($0, key, cipher, secret, length, nil, nil)
            },
            publicPEM: try pem { PEM_write_bio_PUBKEY($0, key) }
        )
    }

    private static func pem(_ write: (OpaquePointer?) -> Int32) throws -> String {
        let memory = BIO_new(BIO_s_mem())
        defer { BIO_free(memory) }
        guard write(memory) == 1 else { throw Failure(description: "OpenSSL does not write a key") }
        var bytes = [UInt8](repeating: 0, count: TokenKey.pemLengthMax)
        let length = BIO_read(memory, &bytes, Int32(bytes.count))
        return String(decoding: bytes.prefix(Int(max(0, length))), as: UTF8.self)
    }
}

/// What a test cannot go on without.
struct Failure: Error, CustomStringConvertible {
    let description: String
}
