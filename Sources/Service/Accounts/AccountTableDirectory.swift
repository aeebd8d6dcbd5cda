/// The table `account`, for a hub without a domain that has users of its own.
///
/// Ids are random UUIDs. A domain with users of its own may be enabled later; numbers could then
/// name one user of the domain and another one of this table.
package struct AccountTableDirectory: AccountDirectory {
    package init() {}

    package var form: AccountForm { .messageAndCode }

    package func account(
        of identity: ProvidedIdentity,
        newcomer: Newcomer,
        _ session: SQLSession,
        path: String
    ) throws -> Account {
        let tables = AccountTables(session, path: path)
        let (provider, subject) = (identity.provider.rawValue, identity.subject)
        try tables.checked(subject, newcomer.name, newcomer.email)
        let known = try session.row(AccountTables.selectAccountOfProvider, [provider, subject])
        if let known { return try Account(known) }
        let user = uuidVersion4(randomBytes(16))
        try session.run(
            AccountTables.insertAccount,
            [
                user, provider, subject, newcomer.name, newcomer.email,
                newcomer.at.milliseconds,
            ]
        )
        return Account(user: user, name: newcomer.name, email: newcomer.email)
    }

    package func account(_ user: String, _ session: SQLSession, path: String) throws -> Account? {
        try AccountTables(session, path: path).checked(user)
        return try session.row(AccountTables.selectAccount, [user]).map { try Account($0) }
    }
}

extension Account {
    /// A row of `AccountTables.selectAccount`.
    fileprivate init(_ row: SQLRow) throws {
        self.init(user: try row[0], name: try row[1], email: try row[2])
    }

    fileprivate init(user: String, name: String, email: String?) {
        var json = JSONWriter()
        json.object { json in
            json.field("user_id", user)
            json.field("name", name)
            json.field("email", email)
        }
        self.init(user: user, json: json.bytes)
    }
}
