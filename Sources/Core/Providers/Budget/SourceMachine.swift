/// Decides when a request may be sent to one source, and what follows from the result: concurrency,
/// daily budget, retries, and a breaker.
///
/// **States.** The breaker: closed ⇄ open → probing → closed or open; and disabled, which only
/// `enable` leaves.
///
/// **Inputs and duties.** For every attempt call `admit`. After `.go` store the spending that it
/// returns, and only then send the request; each `.go` must be followed by exactly one `finish`
/// with its reservation. After `.retry` wait for the given time and call `admit` again. Store
/// `spent` after each `finish`, never an older one over a later one. After a restart begin with the
/// spending stored last.
///
/// **Budget.** An attempt is paid before it is sent, at its maximum cost; the unused part is
/// refunded when the provider reports the usage. So even after a crash at any time, a day's
/// requests never cost more than its budget as long as no answer costs more than its reservation.
/// The excess of such an answer is added. A reservation is settled with the day that paid for it. A
/// user has a share of each day: see `UserShares`.
///
/// **Breaker.** `failuresToOpen` failures in a row open it, one overload does so at once: then one
/// probe after `probeDelay`, twice as long after each that fails. `Retry-After` holds up the whole
/// source, since it is meant for all of its requests.
///
/// **Not here.** The machine does not send, read a clock, or track which callers wait for an
/// answer.
package struct SourceMachine: Sendable {
    package let policy: SourcePolicy
    /// With the reservations of requests under way.
    package private(set) var spent: DaySpending
    /// Requests under way.
    package private(set) var inFlight = 0
    /// Of the day of `spent`.
    package private(set) var shares: UserShares

    private var breaker = Breaker.closed(failures: 0)
    /// The provider accepts no requests until then, according to its answer at `decided`.
    private var pause: (until: Timestamp, decided: Timestamp)?

    private enum Breaker {
        /// → open, disabled.
        case closed(failures: Int)
        /// → probing when the time has come; → closed by an answer to an earlier request; disabled.
        case open(until: Timestamp, delay: Duration)
        /// One request is under way. → closed, open, disabled.
        case probing(delay: Duration)
        /// → closed, by `enable`.
        case disabled(reason: String)
    }

    private static let failuresToOpen = 5
    private static let probeDelay = Duration.seconds(60)
    private static let probeDelayMax = Duration.seconds(15 * 60)
    private static let backoffBase = Duration.milliseconds(500)
    private static let backoffMax = Duration.seconds(8)
    /// The share of a backoff that chance may take off.
    private static let backoffJitter = 0.25
    /// The longest wait for a retry. After it the question may be asked again.
    package static let retryWaitMax = Duration.seconds(60)
    /// When to ask again whether one of the requests under way has ended.
    private static let busyWait = Duration.seconds(1)
    private static let day = Duration.seconds(86_400)

    /// - Parameters:
    ///   - spent: the spending stored last; of another day if none was.
    ///   - taken: the amounts that users have taken on the day of `spent`, as stored last.
    package init(
        policy: SourcePolicy,
        spent: DaySpending,
        taken: [[UInt8]: UserShares.Taken] = [:]
    ) {
        self.policy = policy
        self.spent = spent
        shares = UserShares(policy, taken: taken)
    }

    // MARK: Inputs

    /// Asks for leave to send one request that costs `tokens` at most.
    ///
    /// - Parameter user: whose share pays for it; nil for none.
    package mutating func admit(
        tokens: Int,
        for user: [UInt8]? = nil,
        now: Timestamp
    ) -> Admission {
        precondition(tokens >= 0)
        if case .disabled(let reason) = breaker { return .never(reason: reason) }
        if policy.dailyTokensMax > 0, tokens > policy.dailyTokensMax {
            return .never(
                reason: "a request may cost \(tokens) tokens, a day \(policy.dailyTokensMax)"
            )
        }
        beginDay(now)
        let account = user.flatMap { shares.account(of: $0) }
        if let refusal = busy(now: now) ?? overBudget(tokens: tokens, for: account) {
            return refusal
        }
        if case .open(_, let delay) = breaker { breaker = .probing(delay: delay) }
        inFlight += 1
        spent.requests += 1
        spent.tokens += tokens
        if let account { shares.add(requests: 1, tokens: tokens, for: account) }
        return .go(Reservation(day: spent.day, tokens: tokens, user: account), spent: spent)
    }

    /// Takes the result of a request that `admit` allowed.
    ///
    /// - Parameters:
    ///   - attempt: counts the attempts at one question, from 1.
    ///   - random: in 0..<1.
    package mutating func finish(
        _ result: AttemptResult,
        of reservation: Reservation,
        attempt: Int,
        now: Timestamp,
        random: Double
    ) -> Next {
        precondition(inFlight > 0)
        precondition(attempt > 0)
        precondition((0..<1).contains(random))
        inFlight -= 1
        settle(reservation, cost: Self.cost(result, of: reservation))
        switch result {
        case .answered:
            succeed()
            return .done
        case .unreachable:
            fail(isOverload: false, now: now)
            return next("unreachable", after: nil, attempt: attempt, random: random)
        case .failed(.retryable(let reason, let after, let isOverload)):
            if let after { pause(until: now + after, now: now) }
            fail(isOverload: isOverload, now: now)
            return next(reason, after: after, attempt: attempt, random: random)
        case .failed(.permanent(let reason)):
            fail(isOverload: false, now: now)
            return .giveUp(reason: reason)
        case .failed(.disabled(let reason)):
            breaker = .disabled(reason: reason)
            return .giveUp(reason: reason)
        case .notSent:
            // Says nothing of the source: the next one may be the probe.
            if case .probing(let delay) = breaker { breaker = .open(until: now, delay: delay) }
            return .giveUp(reason: "not sent")
        }
    }

    /// An operator has acted: a disabled source is asked again.
    package mutating func enable() {
        if case .disabled = breaker { breaker = .closed(failures: 0) }
    }

    // MARK: Outputs

    /// The next step for the question.
    package enum Next: Sendable, Equatable {
        case done
        /// Ask `admit` again after so long.
        case retry(after: Duration)
        /// No attempt is to follow; the question may be asked again later.
        case giveUp(reason: String)
    }

    package enum Status: Sendable, Equatable {
        case ready
        /// Failing; nothing is sent before then.
        case open(until: Timestamp)
        case probing
        case disabled(reason: String)
    }

    package var status: Status {
        switch breaker {
        case .closed: .ready
        case .open(let until, _): .open(until: until)
        case .probing: .probing
        case .disabled(let reason): .disabled(reason: reason)
        }
    }

    // MARK: Budget

    /// Returns the rest of the day's budget for a user.
    ///
    /// - Parameters:
    ///   - user: nil for all users together.
    ///   - tokens: the most that a request may cost.
    package mutating func budget(of user: [UInt8]?, tokens: Int, now: Timestamp) -> UserBudget {
        beginDay(now)
        let account = user.flatMap { shares.account(of: $0) }
        let taken =
            account.map { shares[$0] } ?? .init(requests: spent.requests, tokens: spent.tokens)
        return UserBudget(
            requests: UserBudget.Part(
                daily: policy.dailyRequestsMax,
                spent: spent.requests,
                share: account == nil ? nil : shares.requestsMax,
                taken: taken.requests
            ),
            tokens: UserBudget.Part(
                daily: policy.dailyTokensMax,
                spent: spent.tokens,
                share: account == nil ? nil : shares.tokensMax,
                taken: taken.tokens
            ),
            requestTokens: tokens,
            isUntouched: taken.requests == 0,
            resetsAt: tomorrow
        )
    }

    /// A clock that was set back does not begin a day again.
    private mutating func beginDay(_ now: Timestamp) {
        let today = Int(now.roundedDown(to: Self.day).milliseconds / Self.day.wholeMilliseconds)
        guard today > spent.day else { return }
        spent = DaySpending(day: today)
        shares.beginDay()
    }

    /// When the next day begins.
    private var tomorrow: Timestamp {
        Timestamp(milliseconds: Int64(spent.day + 1) * Self.day.wholeMilliseconds)
    }

    private func overBudget(tokens: Int, for account: [UInt8]?) -> Admission? {
        if policy.dailyRequestsMax > 0, spent.requests >= policy.dailyRequestsMax {
            return .later(tomorrow, reason: "the day's requests are used up")
        }
        if policy.dailyTokensMax > 0, tokens > policy.dailyTokensMax - spent.tokens {
            return .later(tomorrow, reason: "the day's tokens are used up")
        }
        // After the whole budget: if that is used up, the user's share is not the reason.
        if let account, !shares.hasRoom(for: account, tokens: tokens) {
            return .overShare(until: tomorrow)
        }
        return nil
    }

    /// The cost of a request. A provider that refuses charges nothing. One that gave no whole
    /// answer, reported no usage, or was overloaded after beginning its answer may have charged any
    /// amount.
    private static func cost(_ result: AttemptResult, of reservation: Reservation) -> Int {
        switch result {
        case .answered(let usage): usage?.total ?? reservation.tokens
        case .unreachable, .failed(.retryable(_, _, isOverload: true)): reservation.tokens
        case .failed, .notSent: 0
        }
    }

    private mutating func settle(_ reservation: Reservation, cost: Int) {
        guard reservation.day == spent.day else { return }
        spent.tokens += cost - reservation.tokens
        guard let user = reservation.user else { return }
        shares.add(requests: 0, tokens: cost - reservation.tokens, for: user)
    }

    // MARK: Breaker

    /// Why nothing can be sent for the moment, whatever it costs.
    private mutating func busy(now: Timestamp) -> Admission? {
        if case .open(let until, let delay) = breaker {
            // No wait is longer than when it was decided, should the clock be set back meanwhile.
            let until = min(until, now + delay)
            breaker = .open(until: until, delay: delay)
            if now < until { return .later(until, reason: "failing") }
        }
        if let pause, now < pause.until, now >= pause.decided {
            return .later(pause.until, reason: "the provider asks for a pause")
        }
        if case .probing = breaker { return .later(now + Self.busyWait, reason: "probing") }
        guard inFlight < policy.concurrencyMax else {
            return .later(now + Self.busyWait, reason: "\(inFlight) requests are under way")
        }
        return nil
    }

    private mutating func pause(until: Timestamp, now: Timestamp) {
        if let pause, pause.until > until { return }
        pause = (until, now)
    }

    private mutating func succeed() {
        switch breaker {
        case .closed, .open, .probing: breaker = .closed(failures: 0)
        case .disabled: break
        }
    }

    private mutating func fail(isOverload: Bool, now: Timestamp) {
        switch breaker {
        case .closed(let failures):
            let failures = failures + 1
            breaker =
                isOverload || failures >= Self.failuresToOpen
                ? .open(until: now + Self.probeDelay, delay: Self.probeDelay)
                : .closed(failures: failures)
        case .probing(let delay):
            let delay = min(delay * 2, Self.probeDelayMax)
            breaker = .open(until: now + delay, delay: delay)
        // The answer to an earlier request.
        case .open, .disabled: break
        }
    }

    // MARK: Retries

    /// The last attempt, and one after which nothing may be sent for long, is not followed by
    /// another.
    private func next(
        _ reason: String,
        after: Duration?,
        attempt: Int,
        random: Double
    ) -> Next {
        guard case .closed = breaker, attempt < policy.attemptsMax else {
            return .giveUp(reason: reason)
        }
        let wait = max(after ?? .zero, Self.backoff(attempt: attempt, random: random))
        return wait <= Self.retryWaitMax ? .retry(after: wait) : .giveUp(reason: reason)
    }

    /// 0.5 s · 2ⁿ⁻¹ up to 8 s after attempt n, less up to a quarter.
    private static func backoff(attempt: Int, random: Double) -> Duration {
        let doublingsMax = 4
        let backoff = backoffBase * (1 << min(attempt - 1, doublingsMax))
        return min(backoff, backoffMax) * (1 - backoffJitter * random)
    }
}
