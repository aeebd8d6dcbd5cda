/// Opens a number of connections, no more than some at a time.
struct Opener: Sendable {
    let count: Int
    /// Connections that may be on their way at once. The kernel's queue of a listener is finite, and a server
    /// that is busy with handshakes answers nobody in time.
    let concurrency: Int
    private(set) var opened = 0
    /// Why it gave up; nil while it has not.
    private(set) var failure: String?

    init(count: Int, concurrency: Int) {
        self.count = count
        self.concurrency = concurrency
    }

    var isDone: Bool { opened == count }

    /// The number of the next one, which the caller opens.
    mutating func take() -> Int {
        opened += 1
        return opened - 1
    }

    /// Opens as many as may be on their way.
    mutating func openMore(_ role: PeerRole, _ fleet: inout Fleet) {
        while failure == nil, !isDone, fleet.joiningCount < concurrency {
            do {
                try fleet.open(role, number: opened)
                opened += 1
            } catch {
                failure = "\(error)"
            }
        }
    }
}
