import Activity
import HubTesting
import Locking
import Timekeeping
import Tokens

@testable import ActivityApp

/// The store of logins, in memory.
final class LoginMemory: LoginStorage {
    struct State {
        var people: [(identity: ProvidedIdentity, person: Person)] = []
        var records: [RefreshRecord] = []
        var endedFamilies: [(family: String, time: Timestamp)] = []

        mutating func end(_ family: String, at time: Timestamp) {
            records.removeAll { $0.family == family }
            endedFamilies.append((family, time))
        }
    }

    let state = Locked(State())

    func person(for identity: ProvidedIdentity, newcomer: Newcomer) async -> Person {
        state.withLock { state in
            let known = state.people.first {
                $0.identity.provider == identity.provider
                    && hasSameBytes($0.identity.subject, identity.subject)
            }
            if let known { return known.person }
            let person = Person(
                id: state.people.count + 1,
                name: newcomer.name,
                email: newcomer.email,
                createdAt: newcomer.at
            )
            state.people.append((identity, person))
            return person
        }
    }

    func person(_ user: String) async -> Person? {
        state.withLock { $0.people.first { String($0.person.id) == user }?.person }
    }

    func insert(
        _ record: RefreshRecord,
        familiesMax: Int,
        at time: Timestamp
    ) async -> [String] {
        state.withLock { state in
            state.records.append(record)
            let own = state.records.filter { $0.user == record.user }
            let ends = Dictionary(grouping: own, by: \.family)
                .mapValues { $0.map(\.expiresAt).max() ?? record.expiresAt }
            let others = ends.sorted { $0.value > $1.value }.dropFirst(familiesMax).map(\.key)
            for family in others { state.end(family, at: time) }
            return others
        }
    }

    func refresh(
        _ hash: [UInt8],
        at time: Timestamp,
        _ decide: @escaping @Sendable ([RefreshRecord]) -> RefreshDecision
    ) async -> RefreshDecision {
        state.withLock { state in
            let shown = state.records.first { $0.hash == hash }
            let decision = decide(state.records.filter { $0.family == shown?.family })
            switch decision {
            case .rotate(let rotation):
                state.records.removeAll {
                    $0.hash == hash || rotation.forgotten.contains($0.hash)
                }
                state.records += [rotation.used, rotation.successor]
            case .revoke(let family, _): state.end(family, at: time)
            case .refuse: break
            }
            return decision
        }
    }

    func removeFamily(of hash: [UInt8], at time: Timestamp) async -> RefreshRecord? {
        state.withLock { state in
            let shown = state.records.first { $0.hash == hash }
            if let shown { state.end(shown.family, at: time) }
            return shown
        }
    }

    func trimRefreshRecords(expiredBefore time: Timestamp) async {
        state.withLock { $0.records.removeAll { $0.expiresAt < time } }
    }

    func trimEndedFamilies(endedBefore time: Timestamp) async {
        state.withLock { $0.endedFamilies.removeAll { $0.time < time } }
    }
}
