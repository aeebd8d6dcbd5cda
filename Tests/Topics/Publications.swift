import Topics

extension Publication {
    /// A publication for tests, whose payload tells its offset.
    convenience init(
        _ topic: Topic,
        _ offset: UInt64,
        cursor: UInt64,
        seconds: Double = 0,
        payload: String? = nil,
        tags: [String: String] = [:]
    ) {
        self.init(
            topic: topic,
            offset: offset,
            cursor: cursor,
            time: Timestamp(seconds: seconds),
            payload: Array((payload ?? "{\"n\":\(offset)}").utf8),
            tags: tags
        )
    }
}
