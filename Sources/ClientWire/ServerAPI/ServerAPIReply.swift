/// The answers to requests on the wire.
package enum ServerAPIReply {
    package typealias Outcome = Result<ServerAPIResult, ServerAPIError>

    /// `{"result":{…}}` or `{"error":{…}}`.
    package static func encode(_ outcome: Outcome) -> [UInt8] {
        var json = JSONWriter()
        write(outcome, key: "result", to: &json)
        return json.bytes
    }

    /// `{"replies":[…]}`, each reply under the name of its method.
    ///
    /// - Parameter replies: in the order of the commands; the method is nil when a command had none.
    package static func encode(
        batch replies: [(method: ServerAPIMethod?, outcome: Outcome)]
    ) -> [UInt8] {
        var json = JSONWriter()
        json.object {
            $0.array("replies") { json in
                for (method, outcome) in replies {
                    // A reply without a method is an error, and has no other key.
                    write(outcome, key: method?.rawValue ?? "result", to: &json)
                }
            }
        }
        return json.bytes
    }

    fileprivate static func write(_ outcome: Outcome, key: String, to json: inout JSONWriter) {
        json.object {
            switch outcome {
            case .success(let result): $0.object(key) { result.writeFields(to: &$0) }
            case .failure(let error): $0.object("error") { error.writeFields(to: &$0) }
            }
        }
    }
}

extension ServerAPIError {
    fileprivate func writeFields(to json: inout JSONWriter) {
        json.field("code", code)
        json.field("message", message)
    }
}

extension ServerAPIResult {
    fileprivate func writeFields(to json: inout JSONWriter) {
        switch self {
        case .done: break
        case .publish(let position): position.writeFields(to: &json)
        case .broadcast(let responses):
            json.array("responses") { json in
                for response in responses {
                    ServerAPIReply.write(response.map { .publish($0) }, key: "result", to: &json)
                }
            }
        case .presence(let clients):
            json.object("presence") { json in
                for client in clients {
                    json.object(client.client) { client.writeFields(to: &$0) }
                }
            }
        case .presenceStats(let stats):
            json.field("num_clients", stats.clientCount)
            json.field("num_users", stats.userCount)
        case .history(let history):
            json.array("publications") { json in
                for publication in history.publications {
                    json.object { publication.writeFields(to: &$0) }
                }
            }
            history.position.writeFields(to: &json)
        case .channels(let channels):
            json.object("channels") { json in
                for channel in channels {
                    json.object(channel.topic.name) {
                        $0.field("num_clients", channel.subscriberCount)
                    }
                }
            }
        case .connections(let list): list.writeFields(to: &json)
        case .info(let nodes):
            json.array("nodes") { json in
                for node in nodes { json.object { node.writeFields(to: &$0) } }
            }
        case .userStatuses(let statuses):
            json.array("statuses") { json in
                for status in statuses { json.object { status.writeFields(to: &$0) } }
            }
        }
    }
}

extension ServerAPIResult.Node {
    fileprivate func writeFields(to json: inout JSONWriter) {
        json.field("uid", id)
        json.field("name", name)
        json.field("version", version)
        json.field("num_clients", connectionCount)
        json.field("num_users", userCount)
        json.field("num_subs", subscriptionCount)
        json.field("num_channels", topicCount)
        json.field("uptime", uptime.components.seconds)
    }
}

extension ServerAPIResult.UserStatus {
    fileprivate func writeFields(to json: inout JSONWriter) {
        json.field("user", user)
        json.field("online", isOnline)
        if let lastSeen { json.field("last_seen", lastSeen.wholeSeconds) }
    }
}

extension Position {
    fileprivate func writeFields(to json: inout JSONWriter) {
        json.field("offset", offset)
        json.field("epoch", epoch)
    }
}

extension Publication {
    fileprivate func writeFields(to json: inout JSONWriter) {
        json.raw("data", payload)
        json.field("offset", offset)
        if !tags.isEmpty {
            json.object("tags") { json in
                // In one order, so that the same history is answered with the same text.
                for (key, text) in tags.sorted(by: { $0.key < $1.key }) { json.field(key, text) }
            }
        }
        if let info { json.object("info") { info.writeFields(to: &$0) } }
    }
}

extension ClientInfo {
    fileprivate func writeFields(to json: inout JSONWriter) {
        json.field("user", user)
        json.field("client", client)
        if let connectionInfo { json.raw("conn_info", connectionInfo) }
        if let topicInfo { json.raw("chan_info", topicInfo) }
    }
}
