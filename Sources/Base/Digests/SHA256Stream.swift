import COpenSSL

/// SHA-256 of bytes that come in parts, such as those of a file.
package struct SHA256Stream: ~Copyable {
    private let context: OpaquePointer

    package init() {
        guard let context = EVP_MD_CTX_new(), EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1
        else { preconditionFailure("SHA-256 is not available in the system's OpenSSL") }
        self.context = context
    }

    deinit {
        EVP_MD_CTX_free(context)
    }

    package mutating func add(_ bytes: ArraySlice<UInt8>) {
        let result = bytes.withUnsafeBytes {
            EVP_DigestUpdate(context, $0.baseAddress, $0.count)
        }
        precondition(result == 1, "SHA-256 failed")
    }

    /// The digest, 32 bytes.
    package consuming func finish() -> [UInt8] {
        let length = Int(SHA256_DIGEST_LENGTH)
        return [UInt8](unsafeUninitializedCapacity: length) { digest, count in
            let result = EVP_DigestFinal_ex(context, digest.baseAddress, nil)
            precondition(result == 1, "SHA-256 failed")
            count = length
        }
    }
}
