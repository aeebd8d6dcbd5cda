/// Decides when one upstream product is requested, with which conditions, and what follows from the
/// response.
///
/// **States.** The request: waiting → requesting → judging → waiting. The circuit: starting →
/// healthy ⇄ failing → open → healthy, and stopped, which only a success leaves.
///
/// **Inputs and duties.** Sleep for `wait(now:)`, then `start(now:)` and send the request with the
/// headers it returns. Call `finish` with the result. After `.body`: decode, store, and call
/// `accepted` when the change is committed or `rejected` when the body or the commit was bad. After
/// `.notModified` and `.failed` the machine waits again by itself. Each result that schedules takes
/// one random number in 0..<1.
///
/// **Rules.** One request at a time. The next start is the last start plus the jittered interval. A
/// request that failed temporarily (no connection, 5xx, 408, 425, 429, a body that does not decode)
/// is retried after a backoff with full jitter. A request that would fail again in the same way
/// (redirects and other 4xx, a body over the limit) waits for its turn in the interval.
/// `failuresToOpen` failures in a row open the circuit: one probe after `probeDelay`, twice as long
/// after each probe that fails; the probe in flight is the half-open state. A status in `stopsOn`
/// stops the feed: it is only probed, every `stoppedProbeDelay`. `Retry-After`, and `Expires` where
/// the policy honours it, are floors below all of this.
///
/// **Not here.** The machine does not fetch, decode, log or read a clock; it does not follow
/// redirects; it tracks the age of the fetch, never the age of the data.
package struct FeedMachine: Sendable {
    package let name: String
    package let policy: FeedPolicy
    /// As of the last success; `notBefore` may come from a failure since.
    package private(set) var validators: FeedValidators
    package private(set) var nextAttempt: Timestamp

    private var phase = Phase.waiting
    private var circuit = Circuit.starting
    /// When `nextAttempt` was decided; a `now` before it shows that the clock was set back.
    private var decided: Timestamp
    private let created: Timestamp
    private var lastAttempt: Timestamp?
    private var lastSuccess: Timestamp?
    private var lastFailure: FeedHealth.Failure?
    /// The caller may not send a request before.
    private var postponedUntil: Timestamp?

    private enum Phase {
        /// → requesting, by `start`.
        case waiting
        /// → judging, by `finish` with a body; → waiting, by `finish` with anything else.
        case requesting(start: Timestamp)
        /// The caller has the body. → waiting, by `accepted` or `rejected`.
        case judging(start: Timestamp, received: FeedValidators)
    }

    private enum Circuit {
        /// → closed, open or stopped.
        case starting
        /// Healthy with 0 failures, else failing. → open, stopped.
        case closed(failures: Int)
        /// → closed by a success, stopped.
        case open(failures: Int, probeDelay: Duration)
        /// → closed by a success.
        case stopped(failures: Int)
    }

    /// The first attempts of all feeds fall within this time after the start of the hub.
    private static let startSpreadMax = Duration.seconds(2)

    /// - Parameters:
    ///   - validators: as stored with the state they belong to. A success and a `notBefore` from
    ///     before the restart still count, so that a crash loop does not become a flood.
    ///   - random: in 0..<1.
    package init(
        name: String,
        policy: FeedPolicy,
        validators: FeedValidators,
        now: Timestamp,
        random: Double
    ) {
        self.name = name
        self.policy = policy
        self.validators = validators
        self.created = now
        self.decided = now
        self.nextAttempt = now + min(Self.startSpreadMax, policy.interval) * random
        // A success in the future was made under another clock.
        if let fetched = validators.fetched, fetched <= now {
            self.lastSuccess = fetched
            let turn = fetched + policy.jitteredInterval(random: random)
            self.nextAttempt = max(nextAttempt, turn)
        }
        respectNotBefore(now: now, random: random)
    }

    // MARK: Inputs

    /// Returns the time to sleep before `start`; zero when the next attempt is due, nil while one
    /// is under way.
    ///
    /// When the clock was set back since the last call, the next attempt moves back with it.
    package mutating func wait(now: Timestamp) -> Duration? {
        switch phase {
        case .requesting, .judging: return nil
        case .waiting:
            followClock(now)
            return max(.zero, nextAttempt - now)
        }
    }

    /// Begins an attempt and returns its conditional headers; nil, and nothing changes, when the
    /// next attempt is not due or one is under way.
    package mutating func start(now: Timestamp) -> FeedRequestHeaders? {
        guard wait(now: now) == .zero else { return nil }
        phase = .requesting(start: now)
        (lastAttempt, postponedUntil) = (now, nil)
        return validators.requestHeaders
    }

    /// Moves the next attempt behind `time`, by up to a jitter: the caller may not send a request
    /// before. Nothing changes while an attempt is under way.
    package mutating func postpone(until time: Timestamp, now: Timestamp, random: Double) {
        guard let wait = wait(now: now), now + wait < time else { return }
        postponedUntil = time
        nextAttempt = time + min(Self.startSpreadMax, policy.interval * policy.jitter) * random
    }

    /// Brings the next attempt forward to `hastenedInterval` after the last one: the data are needed
    /// before their turn. The circuit and `notBefore` are respected.
    package mutating func hasten(now: Timestamp, random: Double) {
        guard ![.open, .stopped].contains(status), wait(now: now) != nil,
            let last = lastAttempt ?? validators.fetched
        else { return }
        let earliest = last + policy.spread(policy.hastenedInterval, random: random)
        nextAttempt = min(nextAttempt, max(now, earliest, postponedUntil ?? now))
        respectNotBefore(now: now, random: random)
    }

    /// Takes the response to the request that `start` began.
    package mutating func finish(
        _ response: FeedResponse,
        now: Timestamp,
        random: Double
    ) -> FeedOutcome {
        let start = requestStart(now: now)
        switch response.status {
        case 200, 203:
            let received = received(response, start: start, now: now)
            phase = .judging(start: start, received: received)
            return .body(validators: received, warning: response.warning)
        case 304 where validators.isConditional:
            confirm(response, start: start, now: now)
            succeed(start: start, now: now, random: random)
            return .notModified(validators: validators)
        default:
            // The resource is not at the address to which it had moved: the next request uses the
            // original one.
            if [404, 410].contains(response.status) { validators.move = nil }
            let delay = retryDelay(
                response.retryAfter,
                now: now,
                waitMax: policy.upstreamWaitMax
            )
            return .failed(
                fail(
                    response.reason(retryDelay: delay),
                    manner: manner(response.status),
                    floor: delay ?? (response.status == 429 ? policy.probeDelay : nil),
                    start: start,
                    now: now,
                    random: random
                )
            )
        }
    }

    /// Takes the failure of the request that `start` began.
    package mutating func finish(
        _ failure: FeedFailure,
        now: Timestamp,
        random: Double
    ) -> FeedOutcome {
        .failed(
            fail(
                failure.description,
                manner: failure.isTransient ? .soon : .inTurn,
                floor: nil,
                start: requestStart(now: now),
                now: now,
                random: random
            )
        )
    }

    /// The body was decoded and its changes are committed, together with the validators.
    ///
    /// - Parameter notBefore: the body itself excludes requests before it.
    package mutating func accepted(
        notBefore: Timestamp? = nil,
        now: Timestamp,
        random: Double
    ) {
        guard case .judging(let start, let received) = phase else {
            preconditionFailure("feed \(name): accepted without a body")
        }
        validators = received
        if let notBefore {
            validators.notBefore = max(validators.notBefore ?? notBefore, notBefore)
        }
        succeed(start: min(start, now), now: now, random: random)
    }

    /// The body did not decode, or its changes could not be stored. Its validators are discarded,
    /// but not the time before which the upstream must not be polled.
    package mutating func rejected(
        _ reason: String,
        now: Timestamp,
        random: Double
    ) -> FeedProblem {
        guard case .judging(let start, let received) = phase else {
            preconditionFailure("feed \(name): rejected without a body")
        }
        if let notBefore = received.notBefore { validators.notBefore = notBefore }
        return fail(
            reason,
            manner: .soon,
            floor: nil,
            start: min(start, now),
            now: now,
            random: random
        )
    }

    // MARK: Outputs

    package var health: FeedHealth {
        FeedHealth(
            status: status,
            consecutiveFailures: failures,
            lastAttempt: lastAttempt,
            lastSuccess: lastSuccess,
            lastFailure: lastFailure,
            nextAttempt: nextAttempt
        )
    }

    /// Whether the last success, or else the creation of the machine, is too long ago.
    package func isStale(now: Timestamp) -> Bool {
        now - (lastSuccess ?? created) > policy.staleAfter
    }

    // MARK: Results

    /// When an attempt that failed is made again.
    private enum Manner {
        case soon, inTurn, never
    }

    private mutating func succeed(start: Timestamp, now: Timestamp, random: Double) {
        circuit = .closed(failures: 0)
        lastSuccess = now
        schedule(start + policy.jitteredInterval(random: random), now: now, random: random)
    }

    private mutating func fail(
        _ reason: String,
        manner: Manner,
        floor: Duration?,
        start: Timestamp,
        now: Timestamp,
        random: Double
    ) -> FeedProblem {
        var next = now + waitAfterFailure(manner, random: random)
        if manner == .inTurn { next = max(next, start + policy.jitteredInterval(random: random)) }
        if let floor { validators.notBefore = max(validators.notBefore ?? now, now + floor) }
        schedule(next, now: now, random: random)
        let failure = FeedHealth.Failure(reason: FeedProblem.clipped(reason), time: now)
        lastFailure = failure
        return FeedProblem(
            feed: name,
            reason: failure.reason,
            consecutiveFailures: failures,
            status: status,
            nextAttempt: nextAttempt
        )
    }

    /// Counts the failure in the circuit and returns how long that keeps the feed from trying
    /// again.
    private mutating func waitAfterFailure(_ manner: Manner, random: Double) -> Duration {
        let count = failures + 1
        switch circuit {
        case _ where manner == .never, .stopped:
            circuit = .stopped(failures: count)
            return policy.spread(policy.stoppedProbeDelay, random: random)
        case .open(_, let probeDelay):
            let delay = min(probeDelay * 2, policy.probeDelayMax)
            circuit = .open(failures: count, probeDelay: delay)
            return policy.spread(delay, random: random)
        case .starting, .closed:
            guard count >= policy.failuresToOpen else {
                circuit = .closed(failures: count)
                return policy.backoff(failure: count, random: random)
            }
            circuit = .open(failures: count, probeDelay: policy.probeDelay)
            return policy.spread(policy.probeDelay, random: random)
        }
    }

    private func manner(_ status: Int) -> Manner {
        if policy.stopsOn.contains(status) { return .never }
        switch status {
        case 408, 425, 429, 500...599: return .soon
        default: return .inTurn
        }
    }

    private var failures: Int {
        switch circuit {
        case .starting: 0
        case .closed(let failures), .open(let failures, _), .stopped(let failures): failures
        }
    }

    private var status: FeedStatus {
        switch circuit {
        case .starting: .starting
        case .closed(let failures): failures == 0 ? .healthy : .failing
        case .open: .open
        case .stopped: .stopped
        }
    }

    // MARK: Time

    private mutating func schedule(_ next: Timestamp, now: Timestamp, random: Double) {
        phase = .waiting
        decided = now
        nextAttempt = max(next, now)
        respectNotBefore(now: now, random: random)
    }

    /// Moves the next attempt behind `notBefore`, by up to a jitter, so that those who wait for the
    /// same instant do not all arrive at it.
    private mutating func respectNotBefore(now: Timestamp, random: Double) {
        precondition((0..<1).contains(random))
        guard let notBefore = validators.notBefore else { return }
        let earliest = min(notBefore, now + policy.upstreamWaitMax)
        guard nextAttempt < earliest else { return }
        nextAttempt = earliest + policy.interval * (policy.jitter * random)
    }

    private mutating func followClock(_ now: Timestamp) {
        guard now < decided else { return }
        let step = decided - now
        nextAttempt = nextAttempt - step
        validators.notBefore = validators.notBefore.map { $0 - step }
        postponedUntil = postponedUntil.map { $0 - step }
        decided = now
    }

    private func requestStart(now: Timestamp) -> Timestamp {
        guard case .requesting(let start) = phase else {
            preconditionFailure("feed \(name): finish without a start")
        }
        return min(start, now)
    }
}

// MARK: - Responses

extension FeedMachine {
    /// The validators that go with the body of a 200.
    private func received(
        _ response: FeedResponse,
        start: Timestamp,
        now: Timestamp
    ) -> FeedValidators {
        FeedValidators(
            etag: FeedValidators.kept(response.etag),
            lastModified: FeedValidators.kept(response.lastModified),
            notBefore: freshUntil(response, now: now),
            fetched: start,
            move: response.move ?? validators.move
        )
    }

    /// A 304 carries the headers that a 200 would, where they have changed (RFC 9110 §15.4.5).
    private mutating func confirm(_ response: FeedResponse, start: Timestamp, now: Timestamp) {
        if let etag = FeedValidators.kept(response.etag) { validators.etag = etag }
        if let modified = FeedValidators.kept(response.lastModified) {
            validators.lastModified = modified
        }
        validators.notBefore = freshUntil(response, now: now)
        validators.fetched = start
        if let move = response.move { validators.move = move }
    }

    private func freshUntil(_ response: FeedResponse, now: Timestamp) -> Timestamp? {
        guard policy.honoursExpires else { return nil }
        return response.freshUntil(now: now, waitMax: policy.upstreamWaitMax)
    }
}
