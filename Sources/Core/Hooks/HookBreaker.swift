/// Keeps questions from an application that does not answer.
///
/// **States:** closed, with a number of failures in a row; open until a time; probing, while one question
/// finds out whether the application answers again.
package struct HookBreaker: Sendable, Equatable {
    private enum State: Equatable {
        /// To `open` by the last of `failuresMax` failures in a row.
        case closed(failures: Int)
        /// To `probing` by the first question after this time.
        case open(until: MonotonicTime, pause: Duration)
        /// To `closed` by success, to `open` for twice as long by failure.
        case probing(pause: Duration)
    }

    /// A time of a clock that never runs back, in milliseconds.
    package typealias MonotonicTime = Int64

    package static let failuresMax = 5
    private static let pauseMin = Duration.seconds(1)
    private static let pauseMax = Duration.seconds(30)

    private var state = State.closed(failures: 0)

    package init() {}

    package var isOpen: Bool {
        switch state {
        case .closed: false
        case .open, .probing: true
        }
    }

    /// Whether a question may be asked. If so, report its end: while the breaker is open, no other is asked
    /// until then.
    package mutating func admits(now: MonotonicTime) -> Bool {
        switch state {
        case .closed: return true
        case .probing: return false
        case .open(let until, let pause):
            guard now >= until else { return false }
            state = .probing(pause: pause)
            return true
        }
    }

    package mutating func noteSuccess() {
        switch state {
        case .closed, .probing: state = .closed(failures: 0)
        // Of a question that was asked before it opened.
        case .open: break
        }
    }

    /// - Parameter random: a number in 0…1, so that several nodes do not ask at the same time.
    /// - Returns: whether the breaker has opened.
    package mutating func noteFailure(now: MonotonicTime, random: Double) -> Bool {
        let pause: Duration
        switch state {
        case .closed(let failures):
            guard failures + 1 >= HookBreaker.failuresMax else {
                state = .closed(failures: failures + 1)
                return false
            }
            pause = HookBreaker.pauseMin
        case .probing(let former): pause = min(former * 2, HookBreaker.pauseMax)
        case .open: return false
        }
        let wait = pause * (0.75 + random / 2)
        state = .open(until: now + wait.wholeMilliseconds, pause: pause)
        return true
    }
}
