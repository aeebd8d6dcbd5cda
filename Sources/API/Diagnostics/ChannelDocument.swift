import Configuration

/// An AsyncAPI 3.0 document of the topics of a hub: a channel for each form of topic, with the
/// operations of its clients and the schema of its publications.
///
/// The hub sends publications; it receives those of clients where a namespace allows them. Both
/// operations are described from the hub's side, as AsyncAPI requires of an application.
package struct ChannelDocument: Sendable {
    private struct Channel {
        let id: String
        let topic: TopicDescription
        let namespace: Configuration.Namespace
    }

    private static let servers: [(name: String, pathname: String, protocol: String, use: String)] =
        [
            (
                "websocket", "/connection/websocket", "ws",
                "The Centrifuge client protocol: JSON or Protobuf messages."
            ),
            ("events", "/events", "http", "Event streams (HTML, Server-sent events)."),
        ]

    private let channels: [Channel]
    private let version: String

    /// - Parameters:
    ///   - namespaces: those that are served.
    ///   - topics: the described topics; those of other namespaces are left out. A namespace
    ///     without a described topic has one channel for all of its topics.
    package init(
        _ namespaces: [Configuration.Namespace],
        topics: [TopicDescription],
        version: String
    ) {
        let known = ChannelDocument.ownTopics + topics
        self.version = version
        channels = namespaces.flatMap { namespace in
            let described = known.filter { $0.namespace == namespace.name }
            let any = TopicDescription(
                "\(namespace.name):{topic}",
                "Any topic of the namespace.",
                nil
            )
            return (described.isEmpty ? [any] : described).map {
                Channel(id: ChannelDocument.id(of: $0.address), topic: $0, namespace: namespace)
            }
        }
    }

    /// The topics of every hub.
    private static let ownTopics = [
        TopicDescription("hub:webhooks", "Events about webhooks, for operators.", nil),
        TopicDescription("alerts:{user}", "The alerts of a user's own rules.", "alerts-event"),
    ]

    /// A key of `channels`: letters, digits and hyphens of the address.
    private static func id(of address: String) -> String {
        address.replacing("{", with: "").replacing("}", with: "").replacing(":", with: "-")
    }

    package var json: [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.field("asyncapi", "3.0.0")
            json.object("info") { json in
                json.field("title", "Topics of a Varde hub")
                json.field("version", version)
                json.field(
                    "description",
                    "The topics that this hub serves. Routes are described by /openapi/."
                )
            }
            json.field("defaultContentType", "application/json")
            json.object("servers") { ChannelDocument.writeServers(to: &$0) }
            json.object("channels") { json in
                for channel in channels { json.object(channel.id) { write(channel, to: &$0) } }
            }
            json.object("operations") { json in
                for channel in channels { writeOperations(of: channel, to: &json) }
            }
            json.object("components") { ChannelDocument.writeSecurity(to: &$0) }
        }
        return json.bytes
    }

    private static func writeServers(to json: inout JSONWriter) {
        for server in servers {
            json.object(server.name) { json in
                json.field("host", "{address}")
                json.field("pathname", server.pathname)
                json.field("protocol", server.protocol)
                json.field("description", server.use)
                json.object("variables") { json in
                    json.object("address") { json in
                        json.field("default", "127.0.0.1:8000")
                        json.field("description", "A listener of the hub.")
                    }
                }
            }
        }
    }

    private func write(_ channel: Channel, to json: inout JSONWriter) {
        json.field("address", channel.topic.address)
        json.field("description", channel.topic.meaning + channel.namespace.keeps)
        if !channel.topic.parameters.isEmpty {
            json.object("parameters") { json in
                for name in channel.topic.parameters { json.object(name) { _ in } }
            }
        }
        json.object("messages") { json in
            json.object("publication") { json in
                json.field("contentType", "application/json")
                guard let schema = channel.topic.schema else { return }
                json.object("payload") { json in
                    json.field("schemaFormat", "application/schema+json;version=draft-2020-12")
                    json.object("schema") { $0.field("$ref", "schemas/\(schema).json") }
                }
            }
        }
    }

    private func writeOperations(of channel: Channel, to json: inout JSONWriter) {
        json.object("\(channel.id)-subscribe") { json in
            json.field("action", "send")
            json.field(
                "summary",
                "Subscribe. \(channel.topic.readers ?? channel.namespace.readers)"
            )
            let isOpen = channel.topic.readers == nil && channel.namespace.anonymousSubscribe
            write(channel, isOpen: isOpen, to: &json)
        }
        guard channel.namespace.publish != .nobody else { return }
        json.object("\(channel.id)-publish") { json in
            json.field("action", "receive")
            json.field("summary", "Publish. \(channel.namespace.writers)")
            write(channel, isOpen: channel.namespace.publish == .anyone, to: &json)
        }
    }

    private func write(_ channel: Channel, isOpen: Bool, to json: inout JSONWriter) {
        let reference = "#/channels/\(channel.id)"
        json.object("channel") { $0.field("$ref", reference) }
        json.array("messages") { json in
            json.object { $0.field("$ref", "\(reference)/messages/publication") }
        }
        guard !isOpen else { return }
        json.array("security") { json in
            json.object { $0.field("$ref", "#/components/securitySchemes/token") }
        }
    }

    private static func writeSecurity(to json: inout JSONWriter) {
        json.object("securitySchemes") { json in
            json.object("token") { json in
                json.field("type", "http")
                json.field("scheme", "bearer")
                json.field("bearerFormat", "JWT")
                json.field(
                    "description",
                    "In the command connect, in the header Authorization, or as ?token=."
                )
            }
        }
    }
}

extension Configuration.Namespace {
    /// A sentence about the history, after a space.
    fileprivate var keeps: String {
        guard historySize > 0 else { return " Without a history." }
        let place = durable ? "" : " in memory"
        return " The newest \(historySize) publications are kept\(place)."
    }

    fileprivate var readers: String {
        if anonymousSubscribe { return "Any client may." }
        return switch subscribe {
        case .token: "A client needs a token that names the topic."
        case .owner: "Only the owner of the topic may."
        case .members: "Only members of a group of the namespace may."
        case .users: "Any client with a token may."
        case .nobody: "No client may."
        }
    }

    fileprivate var writers: String {
        switch publish {
        case .nobody: "No client may."
        case .subscribers: "Only subscribers may."
        case .owner: "Only the owner of the topic may."
        case .users: "Any client with a token may."
        case .anyone: "Any client may."
        }
    }
}
