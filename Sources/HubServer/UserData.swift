import Accounts
import Alerting
import DomainKit
import JSONText
import Store
import Timekeeping

// The data that the hub itself stores about a user, in addition to that of its domains.

extension UserDataSection {
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
