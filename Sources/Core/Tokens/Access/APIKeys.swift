/// The SHA-256 of an API key, which the configuration stores.
///
/// A plain digest without salt or work factor is enough, because a key is random and long: guessing it
/// is hopeless, and there is no list of likely keys to try. It is compared for every request.
package struct APIKeyHash: Sendable {
    package static let prefix = "sha256:"
    private static let digestLength = 32

    let digest: [UInt8]

    /// `sha256:` and 64 hexadecimal digits.
    package init(_ text: String) throws(APIKeyError) {
        guard text.hasPrefix(Self.prefix) else { throw .notAHash }
        let digits = Array(text.utf8.dropFirst(Self.prefix.utf8.count))
        guard digits.count == 2 * Self.digestLength else { throw .notAHash }
        var digest: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = Self.value(digits[index]), let low = Self.value(digits[index + 1])
            else { throw .notAHash }
            digest.append(high << 4 | low)
        }
        self.digest = digest
    }

    /// The hash of a key that is given as it is, such as `VARDE_API_KEY`.
    package init(key: String) throws(APIKeyError) {
        guard key.utf8.count >= APIKeys.keyLengthMin else { throw .shortKey(key.utf8.count) }
        digest = sha256(key.utf8)
    }

    /// `sha256:` and 64 hexadecimal digits.
    package var text: String {
        Self.prefix + hexadecimal(digest)
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

/// The API keys that open the server API.
package struct APIKeys: Sendable {
    /// The minimum length of a key. 16 random bytes as text are longer; a shorter key was not
    /// generated at random.
    package static let keyLengthMin = 16
    /// Of the random bytes of the keys that we make.
    package static let newKeyLength = 32

    /// A configured key: its hash and its permitted uses.
    package typealias Entry = (hash: APIKeyHash, grant: APIKeyGrant)

    private let entries: [Entry]

    package init(scoped entries: [Entry]) {
        self.entries = entries
    }

    /// Keys that open everything.
    package init(_ hashes: [APIKeyHash]) {
        self.init(
            scoped: hashes.enumerated().map { (hash: $1, grant: APIKeyGrant(name: "key \($0)")) }
        )
    }

    package var isEmpty: Bool { entries.isEmpty }

    /// Whether `given` is one of the keys.
    package func accepts(_ given: String) -> Bool { grant(of: given) != nil }

    /// The permitted uses of `given`; nil if it is not one of the keys. The last of equal keys
    /// counts.
    ///
    /// Compares with all of them, whichever is the right one, and compares digests instead of keys:
    /// the time reveals neither where a wrong key begins to differ nor how many keys precede the
    /// right one.
    package func grant(of given: String) -> APIKeyGrant? { entry(of: given)?.grant }

    /// The key that `given` is, as `grant(of:)`. Its hash finds the key again after a reload.
    package func entry(of given: String) -> Entry? { entry(withDigest: sha256(given.utf8)) }

    /// The permitted uses of the key with this hash; nil if it is not one of the keys.
    package func grant(of hash: APIKeyHash) -> APIKeyGrant? {
        entry(withDigest: hash.digest)?.grant
    }

    private func entry(withDigest digest: [UInt8]) -> Entry? {
        var found: Int?
        for (index, entry) in entries.enumerated() {
            let isEqual = isEqualInConstantTime(entry.hash.digest, digest)
            found = isEqual ? index : found
        }
        return found.map { entries[$0] }
    }

    /// The text of a key from random bytes: base64url.
    ///
    /// - Parameter random: `newKeyLength` bytes.
    package static func newKey(random: [UInt8]) -> String {
        precondition(random.count == newKeyLength)
        return Base64URL.encode(random)
    }
}

extension APIKeyHash: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { Self.prefix + "…" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// Two digits for each byte, in lower case.
package func hexadecimal(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    let text = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0xF)]] }
    return String(decoding: text, as: UTF8.self)
}

/// Why a text is not an API key or its hash. Says nothing of the text itself.
package enum APIKeyError: Error, Equatable, Sendable, CustomStringConvertible {
    case notAHash
    case shortKey(Int)

    package var description: String {
        switch self {
        case .notAHash: "not '\(APIKeyHash.prefix)' and 64 hexadecimal digits"
        case .shortKey(let length): "API key has \(length) bytes, less than \(APIKeys.keyLengthMin)"
        }
    }
}
