import DomainKit

extension Configuration.Namespace {
    /// Of the domain: each radar determines who may subscribe to its topic. A radar changes a few
    /// times a day, and there may be tens of thousands.
    package static let radar: Configuration.Namespace = {
        var namespace = Configuration.Namespace()
        namespace.name = "radar"
        namespace.historySize = 20
        namespace.historyAge = .seconds(7 * 86_400)
        return namespace
    }()
}
