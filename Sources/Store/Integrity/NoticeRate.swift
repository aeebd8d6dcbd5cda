/// Limits the log messages of one kind to the first few of each interval. The others are counted,
/// and the next admitted one contains their number.
struct NoticeRate: Sendable {
    static let countMax = 10
    static let interval = Duration.seconds(60)

    private var intervalStart: Duration?
    private var count = 0
    private var unlogged: UInt64 = 0

    /// - Parameter now: monotonic.
    /// - Returns: the number of messages not admitted since the last one; nil when this one is not
    ///   admitted.
    mutating func admit(at now: Duration) -> UInt64? {
        if let start = intervalStart, now - start < Self.interval {
            guard count < Self.countMax else {
                unlogged += 1
                return nil
            }
        } else {
            intervalStart = now
            count = 0
        }
        count += 1
        defer { unlogged = 0 }
        return unlogged
    }
}
