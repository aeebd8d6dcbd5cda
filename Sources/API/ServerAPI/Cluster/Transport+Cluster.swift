import Loops
import Service

extension Transport {
    /// Carries out a command of another node. Called among the commits: publications that come after
    /// it reach no connection that it ends.
    package func carryOut(_ command: ClusterCommand, _ shared: HubShared) {
        switch command {
        case .subscribe(let request): postToEachLoop { $0.subscribe(request) { _ in } }
        case .unsubscribe(let connections, let topic):
            postToEachLoop { $0.unsubscribe(connections, from: topic) }
        case .disconnect(let request): postToEachLoop { $0.disconnect(request) }
        case .refresh(let request): postToEachLoop { $0.refresh(request) }
        case .revoke(let stored, let expired):
            let row = StateRow(
                domain: StoredRevocations.domain,
                key: stored.key,
                value: stored.value
            )
            guard let revocation = StoredRevocations.revocation(row) else { return }
            shared.endedLogins.revocations.change { table in
                for subject in expired.compactMap(StoredRevocations.subject) {
                    table.remove(subject)
                }
                table.add(revocation)
            }
            let user = revocation.subject.user
            postToEachLoop { _ = $0.endRevoked(user: user) }
        case .unblock(let key):
            guard let subject = StoredRevocations.subject(key) else { return }
            shared.endedLogins.revocations.change { $0.remove(subject) }
        case .endTopics(let topics, let code, let sparing):
            postToEachLoop { loop in
                for topic in topics { loop.endTopic(topic, code, sparing: sparing) }
            }
        case .endLogins(let user, let logins):
            shared.endedLogins.add(logins, at: HubClock.wall)
            postToEachLoop { $0.disconnect(user: user, logins: logins) }
        }
    }
}

extension Revocation.Subject {
    /// The user whose connections may end; nil for those of all users.
    var user: String? {
        switch self {
        case .token: nil
        case .tokens(let name), .user(let name): name
        }
    }
}
