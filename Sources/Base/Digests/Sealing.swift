import COpenSSL

/// Authenticated encryption with AES-256-GCM (NIST SP 800-38D): sealed data can only be read with
/// the key, and changes to them are detected.
package enum Sealing {
    package static let keyLength = 32
    /// Random for each text: with a 96-bit nonce a key is good for 2^32 of them.
    static let nonceLength = 12
    static let tagLength = 16

    /// The nonce, the ciphertext and the tag, in this order.
    ///
    /// - Parameters:
    ///   - key: of `keyLength` bytes.
    ///   - context: the context of the text; `open` needs the same. It is not part of the result.
    package static func seal(_ text: [UInt8], key: [UInt8], context: [UInt8]) -> [UInt8] {
        seal(text, key: key, context: context, nonce: randomBytes(nonceLength))
    }

    static func seal(
        _ text: [UInt8],
        key: [UInt8],
        context: [UInt8],
        nonce: [UInt8]
    ) -> [UInt8] {
        precondition(key.count == keyLength && nonce.count == nonceLength)
        let cipher = EVP_CIPHER_CTX_new()
        defer { EVP_CIPHER_CTX_free(cipher) }
        var length: Int32 = 0
        var result = EVP_EncryptInit_ex(cipher, EVP_aes_256_gcm(), nil, key, nonce)
        precondition(result == 1, "AES-256-GCM is not available in the system's OpenSSL")
        result = EVP_EncryptUpdate(cipher, nil, &length, context, Int32(context.count))
        precondition(result == 1)
        var sealed = [UInt8](repeating: 0, count: text.count)
        result = EVP_EncryptUpdate(cipher, &sealed, &length, text, Int32(text.count))
        precondition(result == 1 && Int(length) == text.count)
        var rest = [UInt8](repeating: 0, count: tagLength)
        precondition(EVP_EncryptFinal_ex(cipher, &rest, &length) == 1 && length == 0)
        var tag = [UInt8](repeating: 0, count: tagLength)
        result = EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_GCM_GET_TAG, Int32(tagLength), &tag)
        precondition(result == 1)
        return nonce + sealed + tag
    }

    /// The text that was sealed; nil with another key or context, and when a byte was changed.
    package static func open(_ sealed: [UInt8], key: [UInt8], context: [UInt8]) -> [UInt8]? {
        precondition(key.count == keyLength)
        guard sealed.count >= nonceLength + tagLength else { return nil }
        let nonce = Array(sealed.prefix(nonceLength))
        var tag = Array(sealed.suffix(tagLength))
        let body = Array(sealed.dropFirst(nonceLength).dropLast(tagLength))
        let cipher = EVP_CIPHER_CTX_new()
        defer {
            EVP_CIPHER_CTX_free(cipher)
            // A refusal is an answer; a later call must not find its error in the queue.
            ERR_clear_error()
        }
        var length: Int32 = 0
        var text = [UInt8](repeating: 0, count: body.count)
        var rest = [UInt8](repeating: 0, count: tagLength)
        guard EVP_DecryptInit_ex(cipher, EVP_aes_256_gcm(), nil, key, nonce) == 1,
            EVP_DecryptUpdate(cipher, nil, &length, context, Int32(context.count)) == 1,
            EVP_DecryptUpdate(cipher, &text, &length, body, Int32(body.count)) == 1,
            EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_GCM_SET_TAG, Int32(tagLength), &tag) == 1,
            EVP_DecryptFinal_ex(cipher, &rest, &length) == 1
        else { return nil }
        return text
    }
}
