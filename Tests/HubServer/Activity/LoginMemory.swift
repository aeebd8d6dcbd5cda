import Activity
import Locking
import Timekeeping
import Tokens

@testable import HubServer

/// The store of logins, in memory.
final class LoginMemory: LoginStorage {
    struct State {
        var people: [(identity: ProvidedIdentity, person: Person)] = []
        var records: [RefreshRecord] = []
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

    func person(_ id: Int) async -> Person? {
        state.withLock { $0.people.first { $0.person.id == id }?.person }
    }

    func insert(_ record: RefreshRecord, familiesMax: Int) async {
        state.withLock { state in
            state.records.append(record)
            let own = state.records.filter { $0.personID == record.personID }
            let ends = Dictionary(grouping: own, by: \.family)
                .mapValues { $0.map(\.expiresAt).max() ?? record.expiresAt }
            let kept = ends.sorted { $0.value > $1.value }.prefix(familiesMax).map(\.key)
            state.records.removeAll {
                $0.personID == record.personID && !kept.contains($0.family)
            }
        }
    }

    func refresh(
        _ hash: [UInt8],
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
            case .revoke(let family): state.records.removeAll { $0.family == family }
            case .refuse: break
            }
            return decision
        }
    }

    func removeFamily(of hash: [UInt8]) async {
        state.withLock { state in
            guard let shown = state.records.first(where: { $0.hash == hash }) else { return }
            state.records.removeAll { $0.family == shown.family }
        }
    }

    func trimRefreshRecords(expiredBefore time: Timestamp) async {
        state.withLock { $0.records.removeAll { $0.expiresAt < time } }
    }
}
