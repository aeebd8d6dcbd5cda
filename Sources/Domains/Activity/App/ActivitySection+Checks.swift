import Activity
import DomainKit

/// Checks for contradictions between the film app and the rest of the configuration.
extension ActivitySection {
    package func contradictions(in configuration: Configuration) -> [(
        path: String, message: String
    )] {
        var found: [(path: String, message: String)] = []
        for (index, namespace) in configuration.namespaces.enumerated()
        where namespace.name == PersonTopic.Kind.activity.rawValue && !namespace.isForOwnersAlone {
            found.append(
                (
                    "namespaces[\(index)].name",
                    "found \(namespace.name) for others than its owners, expected subscribe: owner"
                        + " and no other right: its topics are private to one user"
                )
            )
        }
        return found
    }
}

extension Configuration.Namespace {
    /// Whether a topic `activity:{userId}` is readable by that user, and writable by no client.
    fileprivate var isForOwnersAlone: Bool {
        subscribe == .owner && !anonymousSubscribe && publish == .nobody
            && (owner == nil || owner == "\(name):\(OwnerPattern.placeholder)")
    }
}
