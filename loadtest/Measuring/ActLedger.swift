import Reactor

/// Which acts were to arrive where, and what arrived: each once, those of one actor in their order.
///
/// Acts are numbered from 0 in the order in which they were sent. Acts of two people that were under way at a
/// time have no order of their own; those of one have, as long as one at a time is under way.
struct ActLedger: Sendable {
    private struct Act: Sendable {
        var actor: Int
        var due: MonotonicInstant
        /// Nil until the answer is there.
        var answered: MonotonicInstant?
        /// Arrivals before the answer.
        var early: UInt32 = 0
        var isMeasured: Bool
    }

    /// By seat, those who hear of its acts.
    private let audiences: [Set<Int>]
    private var acts: [Act] = []
    /// By listener and actor, the last act that arrived.
    private var last: [Pair: Int] = [:]
    private(set) var expected = 0
    private(set) var arrived = 0
    private(set) var duplicates = 0
    private(set) var outOfOrder = 0
    /// At somebody who was not to hear of it.
    private(set) var strays = 0
    /// From when an act was due until it arrived.
    private(set) var latencies = LatencyRecorder()
    /// From the answer until it arrived; 0 for what came before the answer.
    private(set) var afterAnswer = LatencyRecorder()
    /// From when an act was due until its answer.
    private(set) var answers = LatencyRecorder()

    private struct Pair: Hashable, Sendable {
        var listener: Int
        var actor: Int
    }

    init(seats: [Seat]) {
        var audiences = Array(repeating: Set<Int>(), count: seats.count)
        for (listener, seat) in seats.enumerated() where seat.listens {
            for actor in seat.hears { audiences[actor].insert(listener) }
        }
        self.audiences = audiences
    }

    var count: Int { acts.count }

    func actor(of number: Int) -> Int { acts[number].actor }

    var lost: Int { max(0, expected - arrived) }

    /// Notes an act that is sent; returns its number.
    mutating func send(by actor: Int, due: MonotonicInstant, isMeasured: Bool) -> Int {
        acts.append(Act(actor: actor, due: due, isMeasured: isMeasured))
        expected += audiences[actor].count
        return acts.count - 1
    }

    mutating func answer(_ number: Int, at now: MonotonicInstant) {
        acts[number].answered = now
        guard acts[number].isMeasured else { return }
        answers.record(from: acts[number].due, to: now)
        for _ in 0..<acts[number].early { afterAnswer.record(from: now, to: now) }
    }

    mutating func arrive(_ number: Int, at listener: Int, now: MonotonicInstant) {
        guard acts.indices.contains(number) else {
            strays += 1
            return
        }
        let actor = acts[number].actor
        guard audiences[actor].contains(listener) else {
            strays += 1
            return
        }
        let pair = Pair(listener: listener, actor: actor)
        if let last = last[pair], last >= number {
            if last == number { duplicates += 1 } else { outOfOrder += 1 }
            return
        }
        last[pair] = number
        arrived += 1
        guard acts[number].isMeasured else { return }
        latencies.record(from: acts[number].due, to: now)
        if let answered = acts[number].answered {
            afterAnswer.record(from: answered, to: now)
        } else {
            acts[number].early += 1
        }
    }

    /// What is wrong, one line for each kind.
    var problems: [String] {
        [
            lost > 0 ? "\(lost) acts did not arrive at somebody" : nil,
            duplicates > 0 ? "\(duplicates) acts came twice" : nil,
            outOfOrder > 0 ? "\(outOfOrder) acts came behind a later one of the same person" : nil,
            strays > 0 ? "\(strays) acts came to somebody who was not to hear of them" : nil,
        ].compactMap { $0 }
    }
}
