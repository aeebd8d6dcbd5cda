// The data that the hub itself stores about a user, in addition to that of its domains.

extension UserDataSection {
    /// The account of a user of a hub without a domain that has users of its own.
    static func account(_ store: HubStore) -> UserDataSection {
        UserDataSection("account", tables: ["account"]) { user, after, limit in
            let account = try await store.read(AccountTables.self) { try $0.storedAccount(user) }
            return rows([account].compactMap(\.self), after, limit) { account, json in
                json.field("user_id", account.user)
                json.field("provider", account.provider)
                json.field("provider_subject", account.subject)
                json.field("name", account.name)
                json.field("email", account.email)
                json.field("created_at", account.createdAt.iso8601Seconds)
            }
        }
    }

    /// The logins of a user that can still be refreshed. Their tokens are stored only as digests,
    /// which are of no use to anyone.
    static func logins(_ store: HubStore) -> UserDataSection {
        UserDataSection("logins", tables: ["account_refresh_token"]) { user, after, limit in
            let logins = try await store.read(AccountTables.self) { try $0.logins(of: user) }
            return rows(logins, after, limit) { login, json in
                json.field("login_id", login.family)
                json.field("expires_at", login.expiresAt.iso8601Seconds)
            }
        }
    }

    /// The alert rules that a user has created. They are rows of `state`, a table that other parts
    /// also use.
    static func alertRules(_ book: AlertBook) -> UserDataSection {
        UserDataSection("alert_rules", tables: ["state"]) { user, after, limit in
            book.entries(of: user).enumerated().dropFirst(after).prefix(limit).map { index, entry in
                var json = JSONWriter()
                entry.write(to: &json)
                return UserDataRow(key: index + 1, json: json.bytes)
            }
        }
    }

    private static func rows<Value>(
        _ values: [Value],
        _ after: Int,
        _ limit: Int,
        _ write: (Value, inout JSONWriter) -> Void
    ) -> [UserDataRow] {
        values.enumerated().dropFirst(after).prefix(limit).map { index, value in
            var json = JSONWriter()
            json.object { write(value, &$0) }
            return UserDataRow(key: index + 1, json: json.bytes)
        }
    }
}
