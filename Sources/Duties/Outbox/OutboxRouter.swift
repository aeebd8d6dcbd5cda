/// Selects the webhook endpoints that receive an event.
package struct OutboxRouter: Sendable {
    package let directory: WebhookDirectory
    /// Notifies the sender that rows were added.
    package let wake: @Sendable () -> Void

    package init(directory: WebhookDirectory, wake: @escaping @Sendable () -> Void) {
        self.directory = directory
        self.wake = wake
    }

    package init(endpoints: [WebhookEndpoint], wake: @escaping @Sendable () -> Void) {
        self.init(directory: WebhookDirectory(endpoints), wake: wake)
    }

    /// Returns the rows to be committed with the event: one for each endpoint whose filter it
    /// matches. The message's id is the event's, the same for all attempts.
    ///
    /// - Parameter tags: the tags by which the event's content can be erased.
    package func deliveries(
        of event: Event,
        topic: Topic,
        tags: [String: String] = [:],
        wall: Timestamp
    ) -> [NewDelivery] {
        directory.all.filter { $0.takesEvents && $0.filter.matches(event, topic: topic) }.map {
            NewDelivery(
                event,
                to: $0.name,
                wall: wall,
                topics: [topic],
                tags: tags,
                topic: topic
            )
        }
    }

    /// Returns the rows for an event of many topics: one for each endpoint that receives any of
    /// them.
    ///
    /// A row has all topics that its endpoint receives, so it is erased with the last of them.
    ///
    /// - Parameters:
    ///   - tags: the tags by which the event's content can be erased.
    ///   - known: endpoints that already have a row.
    package func deliveries(
        of event: Event,
        topics: [Topic],
        tags: [String: String] = [:],
        sparing known: Set<String> = [],
        wall: Timestamp
    ) -> [NewDelivery] {
        directory.all.compactMap { endpoint in
            guard endpoint.takesEvents, !known.contains(endpoint.name) else { return nil }
            let heard = topics.filter { endpoint.filter.matches(event, topic: $0) }
            guard !heard.isEmpty else { return nil }
            return NewDelivery(
                event,
                to: endpoint.name,
                wall: wall,
                topics: heard,
                tags: tags,
                topic: heard[0]
            )
        }
    }
}

extension NewDelivery {
    /// Creates a message to an endpoint from an event.
    ///
    /// - Parameters:
    ///   - topics: the topics that the endpoint receives, if the event's content can be erased by
    ///     its `tags`.
    ///   - topic: as in the list of attempts.
    package init(
        _ event: Event,
        to endpoint: String,
        wall: Timestamp,
        topics: [Topic] = [],
        tags: [String: String] = [:],
        topic: Topic? = nil
    ) {
        self.init(
            endpoint: endpoint,
            messageID: event.id,
            eventType: event.type,
            subject: event.subject,
            body: event.cloudEvent(),
            createdAt: wall,
            topics: topics,
            tags: tags,
            topic: topic
        )
    }
}
