/// Log lines that wait to be written: bounded in bytes. Lines that do not fit are dropped and counted.
struct LogQueue {
    let bytesMax: Int
    /// Whole lines, in the order in which they came.
    private(set) var bytes: [UInt8] = []
    /// Lines dropped since the last batch was taken.
    private(set) var dropped = 0
    /// Lines dropped since the process began.
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

    /// Removes what waits, with the number of lines that were dropped behind it.
    mutating func take() -> (bytes: [UInt8], dropped: Int) {
        defer {
            bytes = []
            dropped = 0
        }
        return (bytes, dropped)
    }
}
