import Configuration
import Radar
import Service

@testable import RadarApp

extension NamespaceRules {
    /// - Parameter radars: nil where the domain is off.
    init(_ namespaces: [Configuration.Namespace], radars: RadarDirectory?) {
        self.init(
            namespaces,
            domains: radars.map { [Topic.radarNamespace: RadarTopicRules(radars: $0)] } ?? [:],
            reserved: NamespaceTable.reserved.names
        )
    }
}
