/// A response that is sent to a peer that may read more slowly than the hub writes.
package struct OutgoingAnswer {
    package let keepsAlive: Bool
    private let bytes: [UInt8]
    private var sentCount = 0
    /// Whether the socket has not accepted the last piece; the kernel reports when there is room.
    package var isWaiting = false

    package init(_ bytes: [UInt8], keepsAlive: Bool) {
        self.bytes = bytes
        self.keepsAlive = keepsAlive
    }

    package var isSent: Bool { sentCount == bytes.count }

    package var length: Int { bytes.count }

    /// The next piece, at most `bytesMax` long.
    package mutating func nextPiece(bytesMax: Int) -> [UInt8] {
        precondition(bytesMax > 0)
        isWaiting = false
        let start = sentCount
        sentCount = min(bytes.count, start + bytesMax)
        return start == 0 && isSent ? bytes : Array(bytes[start..<sentCount])
    }
}
