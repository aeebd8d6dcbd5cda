import Activity
import DomainKit

/// The film app's people, whom logins lead to. Their ids are numbers.
struct PersonAccounts: AccountDirectory {
    var form: AccountForm {
        AccountForm(paths: .activity) { .activityError(ActivityError($0)) }
    }

    func account(
        of identity: ProvidedIdentity,
        newcomer: Newcomer,
        _ session: SQLSession,
        path: String
    ) throws -> Account {
        let new = NewPerson(
            provider: identity.provider.rawValue,
            subject: identity.subject,
            name: newcomer.name,
            email: newcomer.email,
            createdAt: newcomer.at,
            lastActiveAt: newcomer.at
        )
        return Account(try ActivityTables(session, path: path).findOrInsert(new).person)
    }

    func account(_ user: String, _ session: SQLSession, path: String) throws -> Account? {
        guard let id = Person.id(ofUser: user) else { return nil }
        return try ActivityTables(session, path: path).person(id).map { Account($0) }
    }
}

extension Account {
    init(_ person: Person) {
        self.init(user: String(person.id), json: person.accountJSON())
    }
}

extension Person {
    /// The id of the person that an access token names; nil for a user of another part of the hub.
    package static func id(ofUser user: String) -> Int? {
        // One spelling for each number: `07` would be a user of topics of its own.
        guard let id = Int(user), id > 0, hasSameBytes(String(id), user) else { return nil }
        return id
    }
}
