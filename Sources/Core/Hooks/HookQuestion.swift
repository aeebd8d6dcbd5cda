// Hooks: the questions that the hub asks an application before it lets a client do something, and their
// answers, in the form of Centrifugo's HTTP proxy; and when each of them is asked.

/// The events about which the application decides.
package enum HookEvent: String, Sendable, CaseIterable {
    case connect
    case refresh
    case subscribe
    case subRefresh = "sub_refresh"
    case publish
    case rpc
    case cacheEmpty = "cache_empty"
}

/// The client that a question is about.
package struct HookClient: Sendable, Equatable {
    /// The id of its connection.
    package var id: String
    /// `websocket`, `http_stream`, `sse`, `uni_sse` or `cloudevents`.
    package var transport: String
    /// `json` or `protobuf`.
    package var protocolName: String
    /// Empty before it is known, and for a client without a user.
    package var user: String
    /// JSON text that the application has attached to the connection.
    package var meta: [UInt8]?

    package init(
        id: String,
        transport: String,
        protocolName: String,
        user: String = "",
        meta: [UInt8]? = nil
    ) {
        self.id = id
        self.transport = transport
        self.protocolName = protocolName
        self.user = user
        self.meta = meta
    }
}

/// One question to the application. All data are JSON text.
package struct HookQuestion: Sendable, Equatable {
    package enum Subject: Sendable, Equatable {
        case connect(Connection)
        case refresh
        case subscribe(Topic, token: String, data: [UInt8]?)
        case subRefresh(Topic)
        case publish(Topic, data: [UInt8])
        case rpc(method: String, data: [UInt8]?)
        case cacheEmpty(Topic)
    }

    package struct Connection: Sendable, Equatable {
        /// The client library, as it calls itself.
        package var name: String
        package var version: String
        package var data: [UInt8]?
        /// The topics to which the hub had subscribed the client on its last connection.
        package var topics: [Topic]

        package init(
            name: String = "",
            version: String = "",
            data: [UInt8]? = nil,
            topics: [Topic] = []
        ) {
            self.name = name
            self.version = version
            self.data = data
            self.topics = topics
        }
    }

    /// A field of the client's handshake.
    package struct Header: Sendable, Equatable {
        package var name: String
        package var value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// Nil for a question that is about no client.
    package var client: HookClient?
    package var subject: Subject
    /// Those of the client's handshake that the application receives.
    package var headers: [Header]

    package init(_ subject: Subject, of client: HookClient?, headers: [Header] = []) {
        self.subject = subject
        self.client = client
        self.headers = headers
    }

    package var event: HookEvent {
        switch subject {
        case .connect: .connect
        case .refresh: .refresh
        case .subscribe: .subscribe
        case .subRefresh: .subRefresh
        case .publish: .publish
        case .rpc: .rpc
        case .cacheEmpty: .cacheEmpty
        }
    }

    /// The topic or the method; empty for a question about the client itself.
    package var about: String {
        switch subject {
        case .connect, .refresh: ""
        case .subscribe(let topic, _, _), .subRefresh(let topic), .publish(let topic, _),
            .cacheEmpty(let topic):
            topic.name
        case .rpc(let method, _): method
        }
    }

    // MARK: The body

    /// The body of the request, in the form of Centrifugo's proxy.proto as JSON.
    package var body: [UInt8] {
        var json = JSONWriter()
        json.object { json in
            if let client { client.write(to: &json) }
            switch subject {
            case .connect(let connection): connection.write(to: &json)
            case .refresh: write(user: &json)
            case .subscribe(let topic, let token, let data):
                write(user: &json, topic)
                if !token.isEmpty { json.field("token", token) }
                write(data, to: &json)
            case .subRefresh(let topic): write(user: &json, topic)
            case .publish(let topic, let data):
                write(user: &json, topic)
                write(data, to: &json)
            case .rpc(let method, let data):
                write(user: &json)
                json.field("method", method)
                write(data, to: &json)
            case .cacheEmpty(let topic): json.field("channel", topic.name)
            }
        }
        return json.bytes
    }

    private func write(user json: inout JSONWriter, _ topic: Topic? = nil) {
        json.field("user", client?.user ?? "")
        if let topic { json.field("channel", topic.name) }
        if let meta = client?.meta { json.raw("meta", meta) }
    }

    /// The bytes of the texts of the client and its user.
    package var length: Int {
        var sum = headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        sum += client?.meta?.count ?? 0
        switch subject {
        case .connect(let connection):
            sum += connection.name.utf8.count + connection.version.utf8.count
            sum += connection.data?.count ?? 0
            sum += connection.topics.reduce(0) { $0 + $1.name.utf8.count }
        case .subscribe(let topic, let token, let data):
            sum += topic.name.utf8.count + token.utf8.count + (data?.count ?? 0)
        case .publish(let topic, let data): sum += topic.name.utf8.count + data.count
        case .rpc(let method, let data): sum += method.utf8.count + (data?.count ?? 0)
        case .subRefresh(let topic), .cacheEmpty(let topic): sum += topic.name.utf8.count
        case .refresh: break
        }
        return sum
    }

    // MARK: Equal questions

    /// Equal for questions that have the same answer, whichever client asks them; nil for a question that is
    /// asked for each client.
    package var key: [UInt8]? {
        var fields: [[UInt8]]
        switch subject {
        case .connect(let connection):
            fields = [Array(connection.name.utf8), Array(connection.version.utf8)]
            fields += [connection.data.map { [1] + $0 } ?? []]
        case .subscribe(let topic, let token, let data):
            fields = [Array((client?.user ?? "").utf8), Array(topic.name.utf8), Array(token.utf8)]
            fields += [data.map { [1] + $0 } ?? [], client?.meta ?? []]
        case .cacheEmpty(let topic): fields = [Array(topic.name.utf8)]
        case .refresh, .subRefresh, .publish, .rpc: return nil
        }
        fields += headers.flatMap { [Array($0.name.lowercased().utf8), Array($0.value.utf8)] }
        var text = Array(event.rawValue.utf8)
        for field in fields {
            withUnsafeBytes(of: UInt64(field.count).littleEndian) { text += $0 }
            text += field
        }
        return sha256(text)
    }
}

extension HookClient {
    fileprivate func write(to json: inout JSONWriter) {
        json.field("client", id)
        json.field("transport", transport)
        json.field("protocol", protocolName)
        json.field("encoding", "json")
    }
}

extension HookQuestion.Connection {
    fileprivate func write(to json: inout JSONWriter) {
        HookQuestion.write(data, to: &json)
        if !name.isEmpty { json.field("name", name) }
        if !version.isEmpty { json.field("version", version) }
        guard !topics.isEmpty else { return }
        json.array("channels") { array in for topic in topics { array.value(topic.name) } }
    }
}

extension HookQuestion {
    fileprivate static func write(_ data: [UInt8]?, to json: inout JSONWriter) {
        if let data { json.raw("data", data) }
    }

    private func write(_ data: [UInt8]?, to json: inout JSONWriter) {
        HookQuestion.write(data, to: &json)
    }
}
