import Reactor

/// A turn of a loop: its time, its output, and the counters that it changes. Belongs to its loop.
///
/// **Function.** A machine or a table that takes part in a turn receives it, and nothing else of the
/// loop. The output has the frames of one connection, or of one topic, on their way into queues:
/// clear it, append, send it, before anything else is appended. `beginWork` starts the work for
/// another client, whose input is read until `workBytes` are too many.
///
/// **Inputs.** `begin` at the start of the turn and `end` at its end; `add` for each batch of
/// publications that it sends.
package struct Turn: ~Copyable {
    /// The number of messages with storage that is kept from turn to turn; more is freed.
    private static let messagesKept = 4096

    /// Its start.
    package private(set) var now: MonotonicInstant
    /// Kept for its storage.
    package var output: [UInt8] = []
    package var counters = LoopCounters()
    /// The work for the client whose input is read: bytes of its messages, and of the answers.
    package private(set) var workBytes = 0
    private var times = TurnTimes()
    /// Kept for its storage.
    private var messages: [LoopMessage] = []

    package init(now: MonotonicInstant) { self.now = now }

    package mutating func begin(at now: MonotonicInstant) { self.now = now }

    // MARK: Messages

    /// Takes an empty list for the messages of the turn. Give it back with `keep`.
    package mutating func takeMessages() -> [LoopMessage] {
        var taken: [LoopMessage] = []
        swap(&taken, &messages)
        return taken
    }

    package mutating func keep(_ handled: consuming [LoopMessage]) {
        handled.removeAll(keepingCapacity: handled.capacity <= Turn.messagesKept)
        messages = handled
    }

    // MARK: Work

    package mutating func beginWork() { workBytes = 0 }

    package mutating func countWork(_ bytes: Int) { workBytes += bytes }

    // MARK: Output

    package mutating func clearOutput() { output.removeAll(keepingCapacity: true) }

    // MARK: Times

    /// Adds a batch of publications that this turn sends.
    package mutating func add(committed: MonotonicInstant) { times.add(committed: committed) }

    package mutating func end(at end: MonotonicInstant) {
        times.endTurn(from: now, to: end, in: &counters)
    }

    /// Returns the longest turn since the last call; nil if there was none.
    package mutating func takeLongest() -> Duration? { times.takeLongest() }
}
