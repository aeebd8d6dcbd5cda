import Configuration

extension Configuration.Namespace {
    /// Of the domain: who may subscribe to a radar's topic is for the radar itself to say. A radar
    /// changes a few times a day, and there may be tens of thousands.
    package static let radar: Configuration.Namespace = {
        var namespace = Configuration.Namespace()
        namespace.name = "radar"
        namespace.historySize = 20
        namespace.historyAge = .seconds(7 * 86_400)
        return namespace
    }()
}
