import Service

/// `GET /api/stats`: what the hub did in the last hour or day, for holders of an API key with the
/// scope `info`. protocol/console.md, Statistics.
package struct StatsRoutes: Sendable {
    private let statistics: HubStatistics
    private let node: String

    package static let prefixes = RoutePrefixes(.messageAndCode, "/api/stats")

    /// - Parameter node: the name of this node.
    package init(_ statistics: HubStatistics, node: String) {
        self.statistics = statistics
        self.node = node
    }

    package func add(to routes: inout Routes) {
        routes.backends(below: "/api/stats")
        routes.get("/api/stats", scope: "info") { answer($0) }
        routes.errors(StatsRoutes.prefixes)
    }

    private func answer(_ request: RouteRequest) -> ServerResponse {
        let name = request.query("span") ?? StatsRing.Span.hour.rawValue
        guard let span = StatsRing.Span(rawValue: name) else {
            let spans = StatsRing.Span.allCases.map(\.rawValue).joined(separator: " or ")
            let message = "span is \"\(name.prefix(32))\", expected \(spans)"
            return RouteRefusal(400, "INVALID_REQUEST", message).response
        }
        statistics.watch()
        let samples = statistics.samples(span, time: HubClock.wall)
        var json = JSONWriter()
        json.object {
            $0.field("node", node)
            $0.field("interval", span.interval.inSeconds)
            $0.array("bounds") { array in
                for bound in TimeCounts.bounds { array.value(bound) }
            }
            $0.array("samples") { array in
                for sample in samples { sample.write(to: &array) }
            }
        }
        return .uncached(json.bytes)
    }
}
