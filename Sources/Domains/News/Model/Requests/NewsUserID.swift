/// The name of a user of `/v1`: 1 to 64 ASCII letters, digits, `_` and `-`.
package struct NewsUserID: Hashable, Sendable {
    package static let lengthMax = 64

    /// The user of a request without a name in development, as documented.
    package static let development = NewsUserID(trusted: "1")

    package let text: String

    /// Nil for any other text.
    package init?(_ text: some StringProtocol) {
        guard (1...NewsUserID.lengthMax).contains(text.utf8.count),
            text.utf8.allSatisfy(NewsUserID.isAllowed)
        else { return nil }
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
    ///   - header: `X-User-ID`.
    ///   - query: `user_id`.
    package init(header: String?, query: String?, isDevelopment: Bool) throws(NewsError) {
        guard let text = [header, query].compactMap(\.self).first(where: { !$0.isEmpty }) else {
            guard isDevelopment else { throw .userIDRequired }
            self = .development
            return
        }
        guard let user = NewsUserID(text) else { throw .invalidUserID(text) }
        self = user
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
