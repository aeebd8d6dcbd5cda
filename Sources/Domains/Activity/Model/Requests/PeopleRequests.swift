/// The body of `POST /friends/requests`.
package struct NewFriendRequest: Sendable, Equatable {
    package var userID: Int

    package init(json body: [UInt8]) throws(RequestError) {
        userID = try RequestFields(body).requiredWholeNumber(
            "user_id",
            in: 1...Int.max,
            expected: "a user's number"
        )
    }
}

/// The body of `PATCH /users/me`: fields that it leaves out are unchanged.
package struct ProfilePatch: Sendable, Equatable {
    /// The change of an optional value.
    package enum Change: Sendable, Equatable {
        case keep, clear
        case set(String)

        package func applied(to value: String?) -> String? {
            switch self {
            case .keep: value
            case .clear: nil
            case .set(let text): text
            }
        }
    }

    /// Nil to keep the current one: all people have a name.
    package var name: String?
    package var biography: Change
    /// Of `http` or `https`.
    package var avatarURL: Change
    /// Whether the user may be suggested to others by taste, and is shown such suggestions.
    package var suggestsByTaste: Bool?

    package init(json body: [UInt8]) throws(RequestError) {
        let fields = try RequestFields(body)
        guard !fields.isNull("name") else {
            throw .unexpected(
                field: "name",
                expected: TextRule.personName.expected,
                found: "null"
            )
        }
        name = try fields.text("name", .personName)
        biography = try fields.change("bio", .biography)
        avatarURL = try fields.change("avatar_url", .webAddress)
        suggestsByTaste = try fields.bool("suggest_by_taste")
        if case .set(let url) = avatarURL, !isWebAddress(url) {
            throw .unexpected(
                field: "avatar_url",
                expected: "a URL of http or https",
                found: #""\#(RequestError.excerpt(url.utf8))""#
            )
        }
    }
}

extension RequestFields {
    /// Null clears, and so does a text of nothing.
    fileprivate func change(
        _ name: String,
        _ rule: TextRule
    ) throws(RequestError) -> ProfilePatch.Change {
        if isNull(name) { return .clear }
        do throws(RequestError) {
            return try text(name, rule).map { .set($0) } ?? .keep
        } catch {
            guard case .empty = error else { throw error }
            return .clear
        }
    }
}

/// Whether apps may load it: `http` or `https`, a host, and the characters that RFC 3986 §2 allows
/// in URLs. No user information: it would be a credential that all users can see.
func isWebAddress(_ text: String) -> Bool {
    guard let scheme = ["https://", "http://"].first(where: { hasPrefix(text, $0) }) else {
        return false
    }
    let rest = text.utf8.dropFirst(scheme.utf8.count)
    let host = rest.prefix { !"/?#".utf8.contains($0) }
    guard let first = host.first, !":@".utf8.contains(first),
        !host.contains(UInt8(ascii: "@"))
    else { return false }
    return rest.allSatisfy { (0x21...0x7E).contains($0) && !#""<>\^`{|}"#.utf8.contains($0) }
}

/// RFC 3986 §3.1: schemes are the same in upper case.
private func hasPrefix(_ text: String, _ scheme: String) -> Bool {
    let start = text.utf8.prefix(scheme.utf8.count)
    return start.elementsEqual(scheme.utf8) { ($0 | 0x20) == $1 || $0 == $1 }
}
