/// The health of one endpoint over all its messages: its breaker, and when it is switched off.
///
/// **States.** A breaker is closed, and attempts are made when due, after a failure one at a time,
/// so that an endpoint that hangs uses few of the shared resources; or open until an instant,
/// without attempts; or, after that instant, on trial: again one at a time. A success closes it. A
/// failure on trial opens it again, for twice as long. The schedule of a message is not touched: an
/// attempt that was not made does not count.
///
/// **Input and duties.** Read `pace` before attempts are started and call `note` with the result of
/// each. `note` reports when the endpoint must be switched off: it has failed for `disabledAfter`
/// without a success between, and not only in one bad hour at each end of a silence.
package struct EndpointHealth: Sendable, Equatable, Codable {
    /// When the first of the failures since the last success was.
    package private(set) var failingSince: Timestamp?
    /// Since the last success.
    package private(set) var failures = 0
    package private(set) var breaker = Breaker.closed

    package enum Breaker: Sendable, Equatable, Codable {
        case closed
        case open(until: Timestamp, trips: Int)
    }

    package enum Pace: Sendable, Equatable {
        case free
        /// One attempt at a time.
        case trial
        case wait(until: Timestamp)
    }

    package enum Notice: Sendable, Equatable {
        case none
        case opened(until: Timestamp)
        /// Failed for too long: to be switched off.
        case failedForLong(since: Timestamp)
        case recovered
    }

    /// Failures in a row after which the breaker opens.
    package static let failuresMax = 5
    /// The duration of its first pause, and the maximum.
    package static let pauseMin = Duration.seconds(30)
    package static let pauseMax = Duration.seconds(600)
    /// Five days: longer than the whole schedule of one message.
    package static let disabledAfter = Duration.seconds(5 * 86_400)

    package init() {}

    package func pace(now: Timestamp) -> Pace {
        switch breaker {
        case .closed: failures == 0 ? .free : .trial
        case .open(let until, _): until > now ? .wait(until: until) : .trial
        }
    }

    package mutating func note(isSuccess: Bool, now: Timestamp) -> Notice {
        guard !isSuccess else {
            let hadOpened = breaker != .closed
            self = EndpointHealth()
            return hadOpened ? .recovered : .none
        }
        failures += 1
        let since = failingSince ?? now
        failingSince = since
        if now - since >= Self.disabledAfter, failures > Self.failuresMax {
            return .failedForLong(since: since)
        }
        switch breaker {
        case .closed:
            guard failures >= Self.failuresMax else { return .none }
            return open(trips: 1, now: now)
        case .open(let until, let trips):
            // An attempt that was under way when the breaker opened has no new information.
            guard until <= now else { return .none }
            return open(trips: trips + 1, now: now)
        }
    }

    private mutating func open(trips: Int, now: Timestamp) -> Notice {
        // Doubled so often it is beyond the most in any case.
        let doublings = min(trips - 1, 10)
        let pause = min(Self.pauseMin * (1 << doublings), Self.pauseMax)
        let until = now + pause
        breaker = .open(until: until, trips: trips)
        return .opened(until: until)
    }
}
