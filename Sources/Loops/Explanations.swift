import ClientWire
import Reactor

extension ExplainRecord {
    /// The place about which `hub.explain` is asked; nil if the topic or the offset is missing or invalid.
    static func place(in data: [UInt8]?) -> (topic: Topic, offset: UInt64)? {
        guard let data, let fields = try? JSONReader.fields(of: data[...]) else { return nil }
        let values = Dictionary(fields) { $1 }
        guard let name = values["topic"].flatMap(JSONReader.string), let topic = try? Topic(name),
            let offset = values["offset"].flatMap(JSONReader.integer), offset > 0
        else { return nil }
        return (topic, offset)
    }
}

extension ExplainRecord.Outcome {
    /// Returns the explanation as JSON text.
    ///
    /// - Parameter refusal: the answer of the application by which the client was refused the topic.
    package func explanation(
        client: String,
        topic: Topic,
        offset: UInt64,
        refusal: ExplainRecord.HookRefusal? = nil
    ) -> [UInt8] {
        var json = JSONWriter()
        json.object {
            $0.field("client", client)
            $0.field("topic", topic.name)
            $0.field("offset", offset)
            $0.field("outcome", name)
            $0.field("meaning", meaning)
            if let refusal {
                $0.field("hook", refusal.hook)
                $0.field("answer", refusal.answer)
            }
        }
        return json.bytes
    }

    /// The name in the answer.
    package var name: String {
        switch self {
        case .notAuthorized: "not_authorized"
        case .notSubscribed: "not_subscribed"
        case .notPublished: "not_published"
        case .delivered, .filtered, .conflated, .dropped, .trimmed, .unknown: rawValue
        }
    }

    package var meaning: String {
        switch self {
        case .delivered: "handed to the client's connection"
        case .filtered: "the client's filter did not match its tags"
        case .conflated: "the client was slow, and a newer publication had the same key"
        case .dropped: "the client was slow, and there was no room for it"
        case .trimmed: "no longer kept when the client came back for it"
        case .notAuthorized: "the client may not read the topic, or was refused it"
        case .notSubscribed: "the client was not subscribed at that offset"
        case .notPublished: "the topic has not come so far"
        case .unknown: "not remembered any more"
        }
    }
}
