import DomainKit

extension Configuration.Namespace {
    /// The namespace of the domain: `news:global`, `news:ticker:{T}`, `news:category:{c}` and
    /// `news:user:{id}`.
    package static let news: Configuration.Namespace = {
        var namespace = Configuration.Namespace()
        namespace.name = "news"
        namespace.historySize = 200
        namespace.historyAge = .seconds(3 * 86_400)
        return namespace
    }()
}
