import Service

/// Revocations as rows of the store's state.
package enum StoredRevocations {
    package static let domain = "revocations"

    package static func row(_ revocation: Revocation) -> StateRow {
        var json = JSONWriter()
        json.object {
            if let before = revocation.before { $0.field("before", before.milliseconds) }
            if let end = revocation.expiresAt { $0.field("expires", end.milliseconds) }
        }
        return StateRow(domain: domain, key: key(revocation.subject), value: json.bytes)
    }

    package static func removal(of subject: Revocation.Subject) -> StateRow {
        StateRow(domain: domain, key: key(subject), value: nil)
    }

    /// Nil for a row that this version did not write.
    package static func revocation(_ row: StateRow) -> Revocation? {
        guard let subject = subject(row.key), let value = row.value,
            let fields = try? JSONReader.fields(of: value[...])
        else { return nil }
        func time(_ name: String) -> Timestamp? {
            fields.last { $0.key == name }
                .flatMap { Int64(String(decoding: $0.value, as: UTF8.self)) }
                .map { Timestamp(milliseconds: $0) }
        }
        return Revocation(subject, before: time("before"), expiresAt: time("expires"))
    }

    private static let prefixes = (token: "token:", tokens: "tokens:", user: "user:")

    static func key(_ subject: Revocation.Subject) -> String {
        switch subject {
        case .token(let id): prefixes.token + id
        case .tokens(let user): prefixes.tokens + user
        case .user(let user): prefixes.user + user
        }
    }

    static func subject(_ key: String) -> Revocation.Subject? {
        func rest(_ prefix: String) -> String? {
            key.hasPrefix(prefix) ? String(key.dropFirst(prefix.count)) : nil
        }
        if let id = rest(prefixes.token) { return .token(id) }
        if let user = rest(prefixes.tokens) { return .tokens(ofUser: user) }
        return rest(prefixes.user).map { .user($0) }
    }
}
