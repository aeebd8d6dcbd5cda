/// What the subscribers of one publisher have received, checked one by one.
struct Deliveries: Sendable {
    /// Messages that came for the first time, in order or late.
    private(set) var count = 0
    private(set) var duplicates = 0
    /// Behind one that was published later.
    private(set) var late = 0
    /// Skipped, and not come since.
    private(set) var missing = 0
    private var checks: [SequenceCheck]

    init(subscriberCount: Int) {
        checks = Array(repeating: SequenceCheck(), count: subscriberCount)
    }

    /// Takes one message; true when it is new to this subscriber.
    mutating func receive(_ sequence: UInt32, by subscriber: Int) -> Bool {
        switch checks[subscriber].receive(sequence) {
        case .inOrder: break
        case .skipping(let skipped): missing += Int(skipped)
        case .late:
            late += 1
            missing -= 1
        case .duplicate:
            duplicates += 1
            return false
        // Published while a subscriber without recovery was on its way back: it may come or not.
        case .foreign: return false
        }
        count += 1
        return true
    }

    /// The number that a subscriber waits for.
    func next(of subscriber: Int) -> UInt32 { checks[subscriber].next }

    mutating func restart(_ subscriber: Int, at sequence: UInt32) {
        checks[subscriber].restart(at: sequence)
    }

    /// How many messages of the `published` are not there, skipped ones included.
    func lost(published: UInt32) -> Int {
        missing + checks.reduce(0) { $0 + Int(max(published, $1.next) - $1.next) }
    }

    /// What is wrong, one line for each kind.
    func problems(published: UInt32) -> [String] {
        let lost = lost(published: published)
        return [
            lost > 0 ? "\(lost) deliveries lost" : nil,
            duplicates > 0 ? "\(duplicates) deliveries came twice" : nil,
            late > 0 ? "\(late) deliveries came out of order" : nil,
        ].compactMap { $0 }
    }
}
