import PubSub

extension SQLSession {
    /// Stores the topics and tags by which a delivery can be erased. Without tags, it can be erased
    /// by its topics: an empty tag has a row for each.
    func insertTags(of delivery: NewDelivery, id: Int) throws {
        let tags = delivery.tags.isEmpty ? ["": ""] : delivery.tags
        for topic in delivery.topics {
            for (tag, value) in tags {
                try run(
                    SQL.insertDeliveryTag,
                    [topic.name, Array(tag.utf8), Array(value.utf8), id]
                )
            }
        }
    }

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
