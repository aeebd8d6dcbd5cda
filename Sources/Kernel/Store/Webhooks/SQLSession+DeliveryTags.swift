import Foundation
import GRDB
import PubSub

extension Database {
    /// Stores the topics and tags by which a delivery can be erased.
    func insertTags(of delivery: NewDelivery, id: Int64) throws {
        for topic in delivery.topics {
            for (tag, value) in delivery.tags {
                try run(
                    SQL.insertDeliveryTag,
                    [topic.name, Data(tag.utf8), Data(value.utf8), id]
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
        let select = try cachedStatement(sql: SQL.selectDeliveriesWithTag)
        let ids = try Int64.fetchAll(
            select,
            arguments: [topic, Data(erasure.tag.utf8), Data(erasure.value.utf8)]
        )
        var waited: [Int64] = []
        for id in ids {
            try run(SQL.deleteDeliveryTags, [id, topic])
            let selectStatus = try cachedStatement(sql: SQL.selectUnlessTagged)
            guard let status = try Int.fetchOne(selectStatus, arguments: [id]) else { continue }
            if status == 0 { waited.append(id) }
            try run(SQL.deleteDelivery, [id])
        }
        return waited
    }
}
