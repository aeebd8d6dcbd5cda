/// A random text that represents a sign-in and is valid for one more access token.
///
/// The hub stores only its SHA-256, as with API keys: 256 random bits cannot be guessed from a
/// digest, and a reader of the database cannot present a token.
package struct RefreshToken: Sendable {
    package static let randomLength = 32

    /// Base64url; stored by the app.
    package let text: String

    /// - Parameter random: `randomLength` bytes.
    package init(random: [UInt8]) {
        precondition(random.count == Self.randomLength)
        text = Base64URL.encode(random)
    }

    package var hash: [UInt8] { Self.hash(of: text) }

    /// The hash of any text that a client presents; the hash of an invalid token matches no record.
    package static func hash(of text: String) -> [UInt8] { sha256(text.utf8) }
}

extension RefreshToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "refresh token" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// The hub's record of a refresh token.
package struct RefreshRecord: Sendable, Equatable {
    /// SHA-256.
    package var hash: [UInt8]
    /// The id of the user, as access tokens name it.
    package var user: String
    /// The same for all tokens that came of one sign-in, each out of the one before.
    package var family: String
    package var expiresAt: Timestamp
    /// When another token took its place; nil for one that is still good.
    package var usedAt: Timestamp?

    package init(
        hash: [UInt8],
        user: String,
        family: String,
        expiresAt: Timestamp,
        usedAt: Timestamp? = nil
    ) {
        self.hash = hash
        self.user = user
        self.family = family
        self.expiresAt = expiresAt
        self.usedAt = usedAt
    }
}
