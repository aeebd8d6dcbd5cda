/// A queue of log lines to write, bounded in bytes. Lines that do not fit are dropped and counted.
struct LogQueue {
    let bytesMax: Int
    /// Whole lines, in the order of arrival.
    private(set) var bytes: [UInt8] = []
    /// The number of lines dropped since the last batch was taken, and of those not reported before.
    private(set) var dropped = 0
    /// The number of lines dropped since the process started.
    private(set) var droppedTotal: UInt64 = 0

    init(bytesMax: Int) {
        self.bytesMax = bytesMax
    }

    var isEmpty: Bool { bytes.isEmpty && dropped == 0 }

    mutating func add(_ line: [UInt8]) {
        guard bytes.count + line.count <= bytesMax else {
            dropped += 1
            droppedTotal += 1
            return
        }
        bytes.append(contentsOf: line)
    }

    /// Counts lines that were taken and could not be written.
    ///
    /// - Parameter unreported: the number of lines dropped before, which is not reported yet.
    mutating func lose(_ count: Int, unreported: Int) {
        dropped += count + unreported
        droppedTotal += UInt64(count)
    }

    /// Removes and returns the waiting lines, with the number of lines that were dropped after
    /// them.
    mutating func take() -> (bytes: [UInt8], dropped: Int) {
        defer {
            bytes = []
            dropped = 0
        }
        return (bytes, dropped)
    }
}
