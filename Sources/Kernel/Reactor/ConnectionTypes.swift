import Addresses

/// Names one connection of one loop; never reused, since the generation grows when its place is.
package struct ConnectionID: Hashable, Sendable, CustomStringConvertible {
    /// Its place in the loop's table, for tables of the caller's own beside it.
    package let index: UInt32
    package let generation: UInt32

    package var description: String { "\(index).\(generation)" }

    /// What epoll knows the connection by. Its highest bit is never set: it tells listeners and the
    /// wake-up descriptor apart.
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

/// Names a listener of one loop.
package struct ListenerID: Hashable, Sendable {
    let index: Int
}

/// For whom a listener is.
package enum ListenerKind: Sendable {
    case `public`
    /// For those who run the hub.
    case admin
}

/// What a loop's connections may take.
package struct ConnectionLimits: Sendable {
    /// Connections of one loop. One more is told to come later and closed.
    package var connectionsMax: Int
    /// Bytes that wait for one connection because its peer does not read. One more ends it.
    package var queueBytesMax: Int
    /// More queued bytes than this are sent before anything else is queued, however many writes it takes.
    package var turnBytesMax = 1 << 20
    /// Writes of one turn; what is left of a large fan-out goes on in the next one, so that other
    /// connections are served in between. One that is encrypted counts twice, and one of many bytes
    /// once more for each `writeBytes`.
    package var turnWritesMax = 1024
    /// How long sent bytes may stay unacknowledged before the kernel gives the connection up
    /// (RFC 5482); zero leaves it to the kernel.
    package var userTimeout = Duration.zero
    /// What a connection that is turned away gets before it is closed; nothing where there is TLS.
    package var refusal: [UInt8] = []
    /// Connections beyond `connectionsMax` that wait, at most `lingerTimeout`, until their peers have
    /// read the refusal. One more gets it too, but a peer that was still sending may not see it.
    package var refusedMax = 256
    /// How long a closed connection waits for its peer's end of stream, so that the last bytes arrive.
    package var lingerTimeout = Duration.seconds(2)
    /// How long a closing connection with queued bytes waits for its peer to take some of them.
    package var stallTimeout = Duration.seconds(10)
    /// How long a listener rests when the process is out of descriptors or memory.
    package var acceptPause = Duration.milliseconds(250)
    package var trust = ProxyTrust()

    package init(connectionsMax: Int, queueBytesMax: Int) {
        precondition(connectionsMax > 0 && connectionsMax < Int(UInt32.max) / 2)
        precondition(queueBytesMax > 0)
        self.connectionsMax = connectionsMax
        self.queueBytesMax = queueBytesMax
    }
}

/// Why a connection is no more.
package enum ConnectionEnd: Sendable, Equatable {
    /// The caller ended it, by `close` or `abort`.
    case closed
    /// The peer ended it, or it broke; errno where there is one.
    case broken(code: Int32)
    /// The peer did not read and its queue went over `queueBytesMax`.
    case queueOverflow
    /// It was being closed, and the peer took nothing of what waited for it for `stallTimeout`.
    case stalled
    /// TLS failed; the text is for the log.
    case tlsFailed(String)
    /// A trusted proxy sent no header of the PROXY protocol, or one that is wrong.
    case proxyHeaderRefused(ProxyHeaderError)
}

/// A range of the staged bytes, by their numbers in the order of staging.
package struct OutputRange {
    var start: Int
    var end: Int

    static let none = OutputRange(start: 0, end: 0)

    var isEmpty: Bool { start == end }
}

/// What the `index`-th ready descriptor stands for.
package enum Readiness {
    /// A wake-up, or a descriptor that was closed earlier in the same turn.
    case nothing
    case listener(ListenerID)
    case connection(ConnectionID, isReadable: Bool, isWritable: Bool)
}

package enum Accepted {
    case connection(ConnectionID)
    /// Nobody waits any more.
    case none
    /// One was there and was turned away, or had gone while it waited.
    case refused
    /// The listener rests for a while; errno says why.
    case paused(code: Int32)
}

package enum Received {
    /// This many bytes stand in `Connections.input` until the next call.
    case bytes(Int)
    case nothing
    /// The peer sends no more. It may still read.
    case endOfStream
}
