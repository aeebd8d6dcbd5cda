import Configuration
import Service

/// `/asyncapi.json`: the description of the hub's topics, of the namespaces that are served now.
package struct ChannelRoutes: Sendable {
    private let topics: [TopicDescription]
    private let version: String
    private let namespaces: @Sendable () -> [Configuration.Namespace]

    package init(
        topics: [TopicDescription],
        version: String,
        namespaces: @escaping @Sendable () -> [Configuration.Namespace]
    ) {
        self.topics = topics
        self.version = version
        self.namespaces = namespaces
    }

    package func add(to routes: inout Routes) {
        routes.get("/asyncapi.json") { request in
            let document = ChannelDocument(namespaces(), topics: topics, version: version)
            let body = document.json
            let tag = EntityTag(of: body)
            var headers: HTTPHeaders = ["Cache-Control": "no-cache", "ETag": tag.text]
            guard !tag.isKnown(to: request.head.headers) else {
                return ServerResponse(head: HTTPResponseHead(status: 304, headers: headers))
            }
            headers.append("Content-Type", "application/json; charset=utf-8")
            return ServerResponse(
                head: HTTPResponseHead(status: 200, headers: headers),
                body: body
            )
        }
    }
}
