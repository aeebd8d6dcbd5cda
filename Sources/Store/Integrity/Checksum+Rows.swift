/// The checksums of rows cover all columns that never change, with their lengths, so that no byte
/// can move from one column to the next.
extension Checksum {
    /// - Parameters:
    ///   - numbers: of the topic, the offset, the cursor, the time in milliseconds.
    ///   - tags: as they are in the column; nil for NULL.
    init(
        ofPublication numbers: (topicID: Int64, offset: Int64, cursor: Int64, time: Int64),
        _ payload: [UInt8],
        tags: [UInt8]?,
        info: [UInt8]?,
        allowsDelta: Bool
    ) {
        self.init(
            numbers: (
                numbers.topicID, numbers.offset, numbers.cursor, numbers.time,
                Int64(payload.count), Int64(tags?.count ?? -1), Int64(info?.count ?? -1),
                allowsDelta ? 1 : 0
            )
        )
        add(payload)
        if let tags { add(tags) }
        if let info { add(info) }
    }

    /// The id is not covered: SQLite assigns it with the row. A text counts up to its first zero,
    /// because SQLite's functions end it there.
    init(ofDelivery delivery: NewDelivery) {
        self.init()
        add(UInt64(bitPattern: delivery.createdAt.milliseconds))
        let texts = [
            delivery.endpoint, delivery.messageID, delivery.eventType, delivery.subject ?? "",
        ]
        for text in texts {
            let bytes = Array(text.utf8.prefix { $0 != 0 })
            add(UInt64(bytes.count))
            add(bytes)
        }
        add(delivery.subject == nil ? 0 : 1)
        add(delivery.body)
    }
}
