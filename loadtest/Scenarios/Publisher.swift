import Reactor

/// The one connection that publishes, and what it has published so far.
struct Publisher: Sendable {
    private(set) var id: ConnectionID?
    /// The next sequence number, which is the number of messages published.
    private(set) var next: UInt32 = 0
    let stamp: Stamp
    private let payloadLength: Int
    /// When the latest messages were due and when they were sent, by sequence number.
    private var times: [Times]

    struct Times: Sendable {
        var due: MonotonicInstant
        var sent: MonotonicInstant
    }

    /// Messages whose times are kept: more than can be under way at once. A power of 2.
    private static let timesCount = 1 << 16

    init(stamp: Stamp, payloadLength: Int) {
        self.stamp = stamp
        self.payloadLength = payloadLength
        let zero = MonotonicInstant(nanoseconds: 0)
        times = Array(repeating: Times(due: zero, sent: zero), count: Publisher.timesCount)
    }

    mutating func isReady(on id: ConnectionID?) {
        self.id = id
    }

    /// Publishes `count` messages at once, due at `due`.
    mutating func publish(
        _ count: Int,
        due: MonotonicInstant,
        now: MonotonicInstant,
        _ fleet: inout Fleet
    ) {
        guard let id else { return }
        let payloads = (0..<count).map { index in
            var payload: [UInt8] = []
            let sequence = next + UInt32(index)
            stamp.appendPayload(sequence: sequence, length: payloadLength, to: &payload)
            times[Int(sequence) & (Publisher.timesCount - 1)] = Times(due: due, sent: now)
            return payload
        }
        let messages = fleet.settings.dialect.publications(
            payloads,
            firstNumber: Int(next),
            channel: fleet.settings.channel
        )
        next += UInt32(count)
        fleet.send(messages, on: id)
    }

    /// When a message was due and sent; nil when it was too long ago.
    func times(of sequence: UInt32) -> Times? {
        guard sequence < next, next - sequence <= UInt32(Publisher.timesCount) else { return nil }
        return times[Int(sequence) & (Publisher.timesCount - 1)]
    }
}
