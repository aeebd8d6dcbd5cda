/// A row of table `delivery_tag`, of a delivery that has no row yet.
struct DeliveryTagRow {
    var topic: Topic
    var name: [UInt8]
    var value: [UInt8]
}

extension NewDelivery {
    /// The topics and tags by which the delivery can be erased. Without tags, it can be erased by
    /// its topics: an empty tag has a row for each.
    var tagRows: [DeliveryTagRow] {
        let tags = tags.isEmpty ? ["": ""] : tags
        return topics.flatMap { topic in
            tags.map { DeliveryTagRow(topic: topic, name: Array($0.utf8), value: Array($1.utf8)) }
        }
    }
}

extension PostgresSession {
    /// Inserts a delivery and its tags with one statement, which need not return the id to the hub.
    func insert(_ delivery: SQLArguments, _ tags: [DeliveryTagRow]) throws(PostgresError) {
        var arguments = PostgresArguments(delivery)
        arguments.append(tags.map { Optional($0.topic.name) })
        arguments.append(tags.map { Optional($0.name) })
        arguments.append(tags.map { Optional($0.value) })
        try perform(PostgresCommand(Self.insertDelivery, arguments))
    }

    private static let insertDelivery = """
        WITH new AS (
            INSERT INTO delivery
                (endpoint, message_id, event_type, subject, body, created_at, status, status_at,
                checksum, topic)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
            RETURNING id
        )
        INSERT INTO delivery_tag (topic, tag, value, delivery_id)
        SELECT tags.topic, tags.tag, tags.value, new.id
        FROM new, unnest($11::text[], $12::bytea[], $13::bytea[]) AS tags (topic, tag, value)
        ON CONFLICT DO NOTHING
        """
}

extension SQLSession {
    /// Deletes the deliveries that an erasure covers and that concern no other topic, whether they
    /// are pending or have ended: ended ones could be sent again.
    ///
    /// - Returns: the pending ones.
    /// - Complexity: O(deliveries of the topic with the tag).
    func eraseDeliveries(_ erasure: Erasure) throws -> [Int64] {
        let topic = erasure.topic.name
        let ids = try integers(
            SQL.selectDeliveriesWithTag,
            [topic, Array(erasure.tag.utf8), Array(erasure.value.utf8)]
        )
        return try eraseDeliveries(ids, ofTopic: topic)
    }

    /// Deletes the deliveries that concern a topic and no other. From the others, which stay, the
    /// topic is deleted.
    ///
    /// - Returns: the pending ones.
    func eraseDeliveries(_ ids: [Int], ofTopic topic: String) throws -> [Int64] {
        var waited: [Int64] = []
        for id in ids {
            try run(SQL.deleteDeliveryTags, [id, topic])
            guard let status = try integer(SQL.selectUnlessTagged, [id]) else {
                try run(SQL.updateDeliveryTopic, [id, topic])
                continue
            }
            if status == 0 { waited.append(Int64(id)) }
            try run(SQL.deleteDelivery, [id])
        }
        return waited
    }
}
