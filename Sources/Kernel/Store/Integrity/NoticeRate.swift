/// How many notices of one kind reach the log: the first few of each interval. The others are counted, and
/// the next one that is admitted says how many they were.
struct NoticeRate: Sendable {
    static let countMax = 10
    static let interval = Duration.seconds(60)

    private var intervalStart: Duration?
    private var count = 0
    private var unlogged: UInt64 = 0

    /// - Parameter now: monotonic.
    /// - Returns: how many were not admitted since the last one that was; nil when this one is not.
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
