/// A user whose account was deleted while parts of the hub may still have data of the user.
///
/// The transaction that deletes the account stores it. It is removed when everything else is gone,
/// so that no kill of the hub leaves data behind.
package struct DeletedAccount: Sendable, Equatable {
    /// The domain of the rows; the key is the user, the value the time.
    package static let domain = "deleted_accounts"

    /// The name of the user in access tokens.
    package let user: String
    package let at: Timestamp

    package init(user: String, at: Timestamp) {
        self.user = user
        self.at = at
    }

    /// Nil for a row without a time.
    package init?(_ row: StateRow) {
        guard let value = row.value, let at = Int64(String(decoding: value, as: UTF8.self)) else {
            return nil
        }
        self.init(user: row.key, at: Timestamp(milliseconds: at))
    }

    package var row: StateRow {
        StateRow(domain: Self.domain, key: user, value: Array(String(at.milliseconds).utf8))
    }

    /// Removes the row.
    package var removal: StateRow { StateRow(domain: Self.domain, key: user, value: nil) }
}
