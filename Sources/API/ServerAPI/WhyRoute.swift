import Service

/// `GET /debug/why?client=…&topic=…&offset=…`: the outcome of a publication's delivery to a client.
/// Requires an API key, like the server API.
extension ServerAPI {
    package static let whyPath = "/debug/why"

    /// Returns the explanation, or the error of an invalid query.
    package func why(_ head: HTTPRequestHead, _ grant: APIKeyGrant) async -> ServerResponse {
        let query = head.queryItems()
        func value(_ name: String) -> String? { query.last { $0.name == name }?.value }
        guard let client = value("client"), !client.isEmpty else {
            return ServerResponse(status: 400, text: "client is missing: the id of a connection")
        }
        guard let name = value("topic") else {
            return ServerResponse(status: 400, text: "topic is missing")
        }
        let topic: Topic
        do throws(TopicError) { topic = try Topic(name) } catch {
            return ServerResponse(status: 400, text: "\(error)")
        }
        let use = APIKeyGrant.Use(
            "why",
            changesSomething: false,
            namespaces: [String(topic.namespace)]
        )
        if let refusal = refusal(of: use, grant) {
            return ServerResponse(status: 403, text: refusal.message)
        }
        guard let offset = value("offset").flatMap(UInt64.init), offset > 0 else {
            return ServerResponse(status: 400, text: "offset is not a number of 1 or more")
        }
        return .json(await hub.explanation(client: client, topic: topic, offset: offset))
    }
}
