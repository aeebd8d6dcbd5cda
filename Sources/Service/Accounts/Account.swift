// Accounts: logins of users, their tokens, and the identity providers.

/// A user of the hub.
package struct Account: Sendable, Equatable {
    /// The id of the user, as in the `sub` of access tokens.
    package let user: String
    /// The value of `user` in the answer to a login: a JSON object.
    package let json: [UInt8]

    package init(user: String, json: [UInt8]) {
        self.user = user
        self.json = json
    }
}

/// A user as an identity provider names them.
package struct ProvidedIdentity: Sendable, Equatable {
    package let provider: LoginProvider
    /// The provider's name for the user. It never changes, and is compared by bytes.
    package let subject: String
    /// An address that the provider has verified.
    package var email: String?

    package init(provider: LoginProvider, subject: String, email: String? = nil) {
        self.provider = provider
        self.subject = subject
        self.email = email
    }
}

/// An identity provider, by the name that apps send.
package enum LoginProvider: String, Sendable, CaseIterable {
    case apple
    /// For development: the token is the user's name, and every name is accepted.
    case development
}

/// The stored data of a user who logs in for the first time.
package struct Newcomer: Sendable, Equatable {
    package var name: String
    package var email: String?
    package var at: Timestamp

    package init(name: String, email: String? = nil, at: Timestamp) {
        self.name = name
        self.email = email
        self.at = at
    }
}

/// The accounts that logins lead to.
///
/// A hub has one directory: that of the domain with users of its own, or `AccountTableDirectory`.
/// All methods that take a session run inside one transaction or snapshot of the store, so an
/// account cannot be made twice or deleted between two statements.
package protocol AccountDirectory: Sendable {
    /// Returns the account of an identity, and creates it if there is none. Runs in the writer's
    /// transaction.
    ///
    /// - Parameter newcomer: the data of a new account. An existing account keeps its name and
    ///   address.
    func account(
        of identity: ProvidedIdentity,
        newcomer: Newcomer,
        _ session: SQLSession,
        path: String
    ) throws -> Account

    /// Returns the account of a user id; nil if there is none, or it was deleted.
    func account(_ user: String, _ session: SQLSession, path: String) throws -> Account?

    /// The form of all error answers.
    var form: AccountForm { get }
}
