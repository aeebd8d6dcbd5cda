/// The name of a user of `/v1`: 1 to 255 bytes without control characters, as identity providers name
/// users in the claim `sub`.
///
/// Names are compared byte by byte, as tokens and tables do: two forms of one letter make two users.
package struct NewsUserID: Hashable, Sendable {
    package static let bytesMax = TokenName.bytesMax

    /// The user of a request without a name in development, as documented.
    package static let development = NewsUserID(trusted: "1")

    package let text: String

    /// Nil for any other text.
    package init?(_ text: some StringProtocol) {
        guard !text.isEmpty, TokenName.isValid(text) else { return nil }
        self.text = String(text)
    }

    private init(trusted text: String) {
        self.text = text
    }

    /// The user of a request: the header, else the query, else in development user 1.
    ///
    /// An empty text counts as none: apps send a header without a value before a user has logged
    /// in.
    ///
    /// - Parameters:
    ///   - headers: the values of `X-User-ID`. Several name no user: each could be meant.
    ///   - query: `user_id`.
    package init(headers: [String], query: String?, isDevelopment: Bool) throws(NewsError) {
        guard headers.count <= 1 else { throw .severalUserIDs(count: headers.count) }
        guard let text = [headers.first, query].compactMap(\.self).first(where: { !$0.isEmpty })
        else {
            guard isDevelopment else { throw .userIDRequired }
            self = .development
            return
        }
        // Bytes that are not UTF-8 have become this character: different ones would be one user.
        guard let user = NewsUserID(text), !text.unicodeScalars.contains("\u{FFFD}") else {
            throw .invalidUserID(text)
        }
        self = user
    }

    package static func == (one: NewsUserID, other: NewsUserID) -> Bool {
        one.text.utf8.elementsEqual(other.text.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
