import DomainKit

extension Configuration.Namespace {
    /// Of the domain: its data is public, so anyone may subscribe.
    package static let aurora: Configuration.Namespace = {
        var namespace = Configuration.Namespace()
        namespace.name = "aurora"
        namespace.anonymousSubscribe = true
        return namespace
    }()
}
