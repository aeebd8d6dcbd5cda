import Loops
import Service

/// `GET /api/topics`: the busiest topics of this node, for holders of an API key with the scope
/// `channels`. protocol/console.md, Busiest topics.
package struct TopicRoutes: Sendable {
    private static let limits = 1...1000
    private static let limitDefault = 200

    private let loops: LoopMetrics

    package static let prefixes = RoutePrefixes(.messageAndCode, "/api/topics")

    package init(_ loops: LoopMetrics) {
        self.loops = loops
    }

    package func add(to routes: inout Routes) {
        routes.backends(below: "/api/topics")
        let scope = RouteScope("channels", limitsNamespaces: true)
        routes.get("/api/topics", scope: scope) { await answer($0) }
        routes.errors(TopicRoutes.prefixes)
    }

    private func answer(_ request: RouteRequest) async -> ServerResponse {
        guard let grant = request.grant else { return RouteRefusal.keyNeeded.response }
        let text = request.query("limit") ?? String(TopicRoutes.limitDefault)
        guard let limit = Int(text), TopicRoutes.limits.contains(limit) else {
            let most = TopicRoutes.limits.upperBound
            let message = "limit is \"\(text.prefix(32))\", expected a number from 1 to \(most)"
            return RouteRefusal(400, "INVALID_REQUEST", message).response
        }
        guard let transport = loops.transport else { return RouteRefusal.unavailable.response }
        let (seconds, topics) = await transport.busyTopics(countMax: limit) {
            grant.allows(namespace: $0.namespace)
        }
        var json = JSONWriter()
        json.object {
            $0.field("interval", seconds)
            $0.array("topics") { array in
                for topic in topics { array.object { topic.write(to: &$0) } }
            }
        }
        return .uncached(json.bytes)
    }
}

extension BusyTopic {
    fileprivate func write(to json: inout JSONWriter) {
        json.field("topic", rates.topic.name)
        json.field("subscribers", subscriberCount)
        json.field("publications", rates.publications)
        json.field("bytes", rates.bytes)
    }
}
