import HubTesting

@testable import Service

/// The store of logins, in memory. Users have the ids 1, 2 and so on.
final class LoginMemory: AccountStorage {
    struct User {
        var identity: ProvidedIdentity
        var newcomer: Newcomer
        var account: Account
    }

    struct State {
        var users: [User] = []
        var records: [RefreshRecord] = []
        var ended: [EndedLogin] = []

        mutating func end(_ family: String, at time: Timestamp) {
            records.removeAll { $0.family == family }
            ended.append(EndedLogin(family: family, endedAt: time))
        }

        mutating func account(of login: NewLogin) -> Account {
            let known = users.first {
                $0.identity.provider == login.identity.provider
                    && hasSameBytes($0.identity.subject, login.identity.subject)
            }
            if let known { return known.account }
            let user = String(users.count + 1)
            var json = JSONWriter()
            json.object { json in
                json.field("user_id", user)
                json.field("name", login.newcomer.name)
                json.field("email", login.newcomer.email)
            }
            let account = Account(user: user, json: json.bytes)
            users.append(
                User(identity: login.identity, newcomer: login.newcomer, account: account)
            )
            return account
        }
    }

    let state = Locked(State())

    func begin(_ login: NewLogin, familiesMax: Int) async -> BegunLogin {
        state.withLock { state in
            let account = state.account(of: login)
            state.records.append(login.record(of: account.user))
            let own = state.records.filter { $0.user == account.user }
            let ends = Dictionary(grouping: own, by: \.family)
                .mapValues { $0.map(\.expiresAt).max() ?? login.expiresAt }
            let others = ends.sorted { $0.value > $1.value }.dropFirst(familiesMax).map(\.key)
            for family in others { state.end(family, at: login.newcomer.at) }
            return BegunLogin(account: account, ended: others)
        }
    }

    func endLogins(of user: String, at time: Timestamp) async -> [String] {
        state.withLock { state in
            let families = Set(state.records.filter { $0.user == user }.map(\.family)).sorted()
            for family in families { state.end(family, at: time) }
            return families
        }
    }

    func refresh(
        _ hash: [UInt8],
        at time: Timestamp,
        _ decide: @escaping @Sendable ([RefreshRecord]) -> RefreshDecision
    ) async -> (decision: RefreshDecision, account: Account?) {
        state.withLock { state in
            let shown = state.records.first { $0.hash == hash }
            let decision = decide(state.records.filter { $0.family == shown?.family })
            switch decision {
            case .rotate(let rotation):
                let user = rotation.successor.user
                guard let known = state.users.first(where: { $0.account.user == user }) else {
                    return (.refuse(.unknown), nil)
                }
                let changed = rotation.used.map(\.hash) + rotation.forgotten
                state.records.removeAll { changed.contains($0.hash) }
                state.records += rotation.used + [rotation.successor]
                return (decision, known.account)
            case .revoke(let family, _): state.end(family, at: time)
            case .refuse: break
            }
            return (decision, nil)
        }
    }

    func removeFamily(of hash: [UInt8], at time: Timestamp) async -> RefreshRecord? {
        state.withLock { state in
            let shown = state.records.first { $0.hash == hash }
            if let shown { state.end(shown.family, at: time) }
            return shown
        }
    }

    func account(of user: String) async -> Account? {
        state.withLock { $0.users.first { $0.account.user == user }?.account }
    }

    func delete(_ user: String, at time: Timestamp) async -> [String]? {
        guard await account(of: user) != nil else { return nil }
        state.withLock { $0.users.removeAll { $0.account.user == user } }
        return await endLogins(of: user, at: time)
    }

    func endedLogins(after time: Timestamp, limit: Int) async -> [EndedLogin] {
        state.withLock { state in
            let later = state.ended.filter { $0.endedAt > time }
            return Array(later.sorted { $0.endedAt > $1.endedAt }.prefix(limit))
        }
    }

    func trimRefreshRecords(expiredBefore time: Timestamp) async {
        state.withLock { $0.records.removeAll { $0.expiresAt < time } }
    }

    func trimEndedLogins(endedBefore time: Timestamp) async {
        state.withLock { $0.ended.removeAll { $0.endedAt < time } }
    }
}
