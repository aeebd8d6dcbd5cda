/// Bytes for one connection that wait for the end of a flush.
struct PendingSend {
    /// The place of the connection in the table.
    var place: Int32
    var isEncrypted = false
    /// In the stage, or in the output of TLS.
    var range: OutputRange
}

/// The sends that wait for the end of a flush, in memory of a fixed size. An array would check for
/// each of them whether its memory is shared.
struct PendingSends: ~Copyable {
    private let sends = UnsafeMutablePointer<PendingSend>.allocate(capacity: SendRing.countMax)
    private(set) var count = 0

    deinit {
        sends.deallocate()
    }

    var isEmpty: Bool { count == 0 }
    var isFull: Bool { count == SendRing.countMax }

    mutating func append(_ send: PendingSend) {
        precondition(!isFull)
        (sends + count).initialize(to: send)
        count += 1
    }

    mutating func removeAll() { count = 0 }

    subscript(number: Int) -> PendingSend {
        assert(number < count)
        return sends[number]
    }
}
