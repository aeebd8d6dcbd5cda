import Digests
import PubSub
import Timekeeping

/// A random text that stands for a sign-in and is good for one more access token.
///
/// The hub keeps its SHA-256 alone, as it does with API keys: 256 random bits cannot be guessed from a
/// digest, and who reads the database can show none.
package struct RefreshToken: Sendable {
    package static let randomLength = 32

    /// Base64url; what the app keeps.
    package let text: String

    /// - Parameter random: `randomLength` bytes.
    package init(random: [UInt8]) {
        precondition(random.count == Self.randomLength)
        text = Base64URL.encode(random)
    }

    package var hash: [UInt8] { Self.hash(of: text) }

    /// Of whatever text somebody shows; one that is no token has the hash of none.
    package static func hash(of text: String) -> [UInt8] { sha256(text.utf8) }
}

extension RefreshToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "refresh token" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// What the hub keeps of a refresh token.
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
