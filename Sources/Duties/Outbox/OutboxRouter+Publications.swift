/// Publications of backends and clients as webhook messages; see "Publications" in
/// protocol/webhooks.md.
extension OutboxRouter {
    /// The event type of a publication that is not itself a CloudEvent.
    package static let publicationType = "hub.publication"
    private static let source = "/hub"
    /// The maximum length, in bytes, of the type and the subject of a CloudEvent that a backend
    /// publishes. If one is longer, the event is sent as data.
    private static let attributeLengthMax = 512

    /// A change that publishes the events, with a row for each endpoint whose filter matches an
    /// event.
    ///
    /// A row is committed only if its event is published: not if the event is a duplicate, has an
    /// old version, or does not fit into memory.
    package func change(
        publishing events: [TopicEvent],
        wall: Timestamp,
        random: () -> [UInt8]
    ) -> Change {
        var change = Change(events: events)
        let endpoints = directory.all.filter(\.takesEvents)
        guard !endpoints.isEmpty else { return change }
        for (index, published) in events.enumerated() {
            var message: PublishedMessage?
            for endpoint in endpoints {
                guard endpoint.filter.mayMatch(published) else { continue }
                let known = message ?? PublishedMessage(published, wall: wall, random: random())
                message = known
                guard endpoint.filter.matches(known.event, topic: published.topic) else { continue }
                change.deliveries.append(
                    NewDelivery(
                        endpoint: endpoint.name,
                        messageID: known.id,
                        eventType: known.event.type,
                        subject: known.event.subject ?? published.topic.name,
                        body: known.body,
                        createdAt: wall,
                        topics: known.tags.isEmpty ? [] : [published.topic],
                        tags: known.tags,
                        topic: published.topic,
                        eventIndex: index
                    )
                )
            }
        }
        return change
    }

    /// One publication, encoded once for all endpoints.
    private struct PublishedMessage {
        let id: String
        let event: Event
        let body: [UInt8]
        /// The tags by which the message can be erased.
        let tags: [String: String]

        init(_ published: TopicEvent, wall: Timestamp, random: [UInt8]) {
            id = uuidVersion7(wall: wall, random: random)
            tags = published.tags.filter { $0.key != TraceParent.name }
            let trace = published.tags[TraceParent.name].flatMap { TraceParent($0) }
            if case .serverAPI = published.source,
                let event = OutboxRouter.cloudEvent(published)
            {
                self.event = event
                body = trace.map { $0.added(toCloudEvent: published.payload) } ?? published.payload
                return
            }
            event = Event(
                id: id,
                type: publicationType,
                source: OutboxRouter.source,
                subject: published.topic.name,
                time: published.time,
                data: published.payload
            )
            body = event.cloudEvent { json in
                json.field("hubtopic", published.topic.name)
                if let trace { json.field(TraceParent.name, trace.description) }
                guard let info = published.info else { return }
                if !info.user.isEmpty { json.field("hubuser", info.user) }
                json.field("hubclient", info.client)
            }
        }
    }

    /// Returns a payload that is a CloudEvent, with its own attributes; nil for any other payload.
    /// Like `CloudEventsEncoder`, it expects `specversion` first.
    private static func cloudEvent(_ published: TopicEvent) -> Event? {
        guard let fields = try? JSONReader.fields(of: published.payload[...]),
            let first = fields.first, first.key == "specversion",
            JSONReader.string(first.value) == "1.0"
        else { return nil }
        func text(_ name: String) -> String? {
            fields.first { $0.key == name }.flatMap { JSONReader.string($0.value) }
        }
        guard let id = text("id"), let type = text("type"), let source = text("source"),
            (1...attributeLengthMax).contains(type.utf8.count)
        else { return nil }
        let subject = text("subject")
        guard (subject?.utf8.count ?? 0) <= attributeLengthMax else { return nil }
        return Event(
            id: id,
            type: type,
            source: source,
            subject: subject,
            time: published.time,
            data: fields.first { $0.key == "data" }.map { Array($0.value) } ?? Array("null".utf8)
        )
    }
}

extension WebhookFilter {
    /// Whether the filter may match a publication. The check is cheap, because it runs for every
    /// publication.
    fileprivate func mayMatch(_ published: TopicEvent) -> Bool {
        guard mayMatch(topic: published.topic) else { return false }
        // The payload of a backend may have a type of its own.
        if case .serverAPI = published.source { return true }
        return mayMatch(type: OutboxRouter.publicationType)
    }
}
