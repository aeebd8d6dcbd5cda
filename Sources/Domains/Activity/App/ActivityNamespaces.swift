import Activity
import DomainKit

extension Configuration.Namespace {
    /// Of the film app: the acts of each person's friends. Fourteen days is the time that an app
    /// may have been away.
    package static let activity: Configuration.Namespace = {
        var namespace = Configuration.Namespace()
        namespace.name = PersonTopic.Kind.activity.rawValue
        namespace.historySize = 200
        namespace.historyAge = .seconds(14 * 86_400)
        namespace.subscribe = .owner
        return namespace
    }()

    /// Of the film app: who watches something at the moment. Nothing of it is kept.
    package static let watching: Configuration.Namespace = {
        var namespace = Configuration.Namespace()
        namespace.name = PersonTopic.Kind.watching.rawValue
        namespace.durable = false
        namespace.historySize = 0
        namespace.presence = true
        namespace.joinLeave = true
        namespace.subscribe = .owner
        return namespace
    }()
}
