/// Identifies one connection of one loop. Never reused: the generation grows when the place is
/// reused.
package struct ConnectionID: Hashable, Sendable, CustomStringConvertible {
    /// Its place in the loop's table, which can also index tables of the caller.
    package let index: UInt32
    package let generation: UInt32

    package var description: String { "\(index).\(generation)" }

    /// The value that identifies the connection to epoll. Its highest bit is never set; it
    /// distinguishes listeners and the wake-up descriptor.
    var token: UInt64 { UInt64(generation) << 32 | UInt64(index) }

    /// The generation of the place's next connection. After 2^31 connections it begins again at 0.
    var nextGeneration: UInt32 { (generation + 1) & ConnectionID.generationMax }

    private static let generationMax = UInt32.max >> 1

    package init(index: UInt32, generation: UInt32) {
        self.index = index
        self.generation = generation
    }

    init(token: UInt64) {
        index = UInt32(truncatingIfNeeded: token)
        generation = UInt32(truncatingIfNeeded: token >> 32)
    }
}

/// Identifies a listener of one loop.
package struct ListenerID: Hashable, Sendable {
    let index: Int
}

/// The audience of a listener.
package enum ListenerKind: Sendable {
    case `public`
    /// For operators.
    case admin
}

/// The limits of a loop's connections.
package struct ConnectionLimits: Sendable {
    /// The maximum number of connections in one loop. Further ones are refused and closed.
    package var connectionsMax: Int
    /// The maximum number of bytes queued for one connection whose peer does not read. A connection
    /// beyond it is ended.
    package var queueBytesMax: Int
    /// When more bytes than this are staged, they are sent before more are staged, however many
    /// writes it takes.
    package var turnBytesMax = 1 << 20
    /// The maximum number of writes in one turn. The rest of a large fan-out continues in the next
    /// turn, so that other connections are served in between. An encrypted write counts twice, and
    /// a large one once more for each `writeBytes`.
    package var turnWritesMax = 1024
    /// The number of sends in one flush from which on they are made with one system call, if the kernel
    /// has io_uring and permits it: the detour costs more than it saves for fewer. `.max` for never.
    package var ringSendsMin = 8
    /// The time after which the kernel ends a connection whose sent bytes are not acknowledged (RFC
    /// 5482); zero leaves it to the kernel.
    package var userTimeout = Duration.zero
    /// The bytes that a refused connection receives before it is closed, if its request is not
    /// awaited; not sent on listeners with TLS. Without them no connection over a limit is read.
    package var refusal = Refusal()
    /// The maximum number of connections beyond `connectionsMax` whose requests are read and
    /// answered. Further ones receive `refusal` at once, but a peer that was still sending may not
    /// read it.
    package var refusedMax = 256
    /// The time that a closed connection waits for its peer's end of stream, so that the last bytes
    /// arrive.
    package var lingerTimeout = Duration.seconds(2)
    /// The time that a closing connection with queued bytes waits for its peer to read some of
    /// them.
    package var stallTimeout = Duration.seconds(10)
    /// The time that a listener pauses when the process is out of descriptors or memory.
    package var acceptPause = Duration.milliseconds(250)
    package var trust = ProxyTrust()

    package init(connectionsMax: Int, queueBytesMax: Int) {
        precondition(connectionsMax > 0 && connectionsMax < Int(UInt32.max) / 2)
        precondition(queueBytesMax > 0)
        self.connectionsMax = connectionsMax
        self.queueBytesMax = queueBytesMax
    }
}

/// The answer to peers whose requests are not read.
package struct Refusal: Sendable {
    package var bytes: [UInt8] = []
    /// A peer whose first bytes contain this text would take an answer as final. It receives none,
    /// and connects again.
    package var unless: [UInt8] = []

    package init(_ bytes: [UInt8] = [], unless: String = "") {
        self.bytes = bytes
        self.unless = Array(unless.utf8)
    }

    /// The answer to a peer that has sent `input` so far.
    ///
    /// - Complexity: O(length of the input).
    func answer(to input: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        unless.isEmpty || !contains(unless, input) ? bytes : []
    }

    /// Whether `text` is in `input`, in either case of its letters.
    private func contains(_ text: [UInt8], _ input: UnsafeBufferPointer<UInt8>) -> Bool {
        guard input.count >= text.count else { return false }
        return (0...input.count - text.count).contains { start in
            text.indices.allSatisfy { index in
                let byte = input[start + index]
                return byte == text[index]
                    || (0x41...0x5A).contains(byte) && byte | 0x20 == text[index]
            }
        }
    }
}

/// The reason for the end of a connection.
package enum ConnectionEnd: Sendable, Equatable {
    /// The caller ended it, by `close` or `abort`.
    case closed
    /// The peer ended it, or it broke; errno if there is one.
    case broken(code: Int32)
    /// The peer did not read and its queue exceeded `queueBytesMax`.
    case queueOverflow
    /// It was being closed, and the peer read none of the queued bytes for `stallTimeout`.
    case stalled
    /// TLS failed; the text is for the log.
    case tlsFailed(String)
    /// A trusted proxy sent no header of the PROXY protocol, or an invalid one.
    case proxyHeaderRefused(ProxyHeaderError)
}

/// A range of the staged bytes, by their numbers in the order of staging.
package struct OutputRange {
    var start: Int
    var end: Int

    static let none = OutputRange(start: 0, end: 0)

    var isEmpty: Bool { start == end }
    var count: Int { end - start }
}

/// The meaning of the `index`-th ready descriptor.
package enum Readiness {
    /// A wake-up, or a descriptor that was closed earlier in the same turn.
    case nothing
    case listener(ListenerID)
    case connection(ConnectionID, isReadable: Bool, isWritable: Bool)
}

package enum Accepted {
    case connection(ConnectionID)
    /// No connection is waiting.
    case none
    /// A connection over a limit: answer its request with a refusal and close it. It is not among
    /// the open connections.
    case overLimit(ConnectionID)
    /// A connection was waiting and was refused, or the peer had ended it meanwhile.
    case refused
    /// The listener pauses; errno is the reason.
    case paused(code: Int32)
}

package enum Received {
    /// The number of bytes in `Connections.input`, valid until the next call.
    case bytes(Int)
    case nothing
    /// The peer has ended its stream. It may still read.
    case endOfStream
}
