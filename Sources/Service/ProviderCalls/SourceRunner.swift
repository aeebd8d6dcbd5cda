// ProviderCalls: sends the requests to AI providers and keeps their sources within their budgets.

/// Sends the requests of one source, within its rate and its daily budget.
///
/// **Budget.** The maximum cost of a request is stored before the request is sent. The unused part
/// is returned with its answer. So a hub that crashes and restarts repeatedly has spent at most the
/// stored amount. The same holds for the share that each user has taken; users are stored as
/// digests.
///
/// **Waiting.** Requests beyond `SourcePolicy.concurrencyMax` wait, and users take turns. The
/// queues are unbounded: the caller limits the number of concurrent questions.
package final class SourceRunner: Sendable {
    /// The result of a question.
    package enum Reply<Value: Sendable>: Sendable {
        /// Commit the change of the source's spending with the answer.
        case answered(Value, SpendingChange)
        /// The source answered without a usable value. Commit this change as well.
        case none(NoAnswer, SpendingChange)
        /// Not sent, or sent in vain; the question may be asked again at that time.
        case later(Timestamp)
        /// Not sent, because the user's share of the day is used up; may be asked again at that
        /// time.
        case overShare(until: Timestamp)
        /// The question gets no answer, even if it is asked again.
        case failed(SourceFailure)
    }

    package let name: String
    private let domain: String
    private let timeout: Duration
    private let client: ProviderClient
    private let storage: any SpendingStorage
    private let clock: HubClock
    private let board: HealthBoard
    private let logger: Logger
    private let machine: Locked<SourceMachine>
    private let places: FairPlaces<[UInt8]>

    /// - Parameters:
    ///   - name: the name of the source, unique in its domain.
    ///   - domain: the prefix of the source's name in metrics and log entries.
    ///   - timeout: the timeout of one attempt, from connecting to the last byte of the answer.
    /// - Throws: the error of `spending` if the day's spending cannot be read.
    package init(
        source name: String,
        domain: String,
        policy: SourcePolicy,
        timeout: Duration,
        client: ProviderClient,
        spending storage: any SpendingStorage,
        clock: HubClock,
        board: HealthBoard,
        logger: Logger
    ) async throws {
        self.name = name
        self.domain = domain
        self.timeout = timeout
        self.client = client
        self.storage = storage
        self.clock = clock
        self.board = board
        self.logger = logger
        let length = Duration.seconds(86_400)
        let today = clock.now.roundedDown(to: length).milliseconds / length.wholeMilliseconds
        let spent = try await storage.spending(of: name, day: Int(today))
        let taken = try await storage.shares(of: name, day: Int(today))
        machine = Locked(SourceMachine(policy: policy, spent: spent, taken: taken))
        places = FairPlaces(policy.concurrencyMax)
    }

    /// The name under which its requests are counted.
    private var feedName: String { "\(domain):\(name)" }

    /// Sends the request when it has a place in the queue, and retries it as `SourceMachine`
    /// decides.
    ///
    /// - Parameters:
    ///   - tokensMax: the maximum cost of one attempt; 0 for a source without tokens.
    ///   - user: the user whose daily share pays for the request and in whose queue it waits. Nil
    ///     for questions of no user, which have no share and one common queue.
    package func ask<Value: Sendable & Equatable>(
        _ request: ProviderRequest,
        tokensMax: Int,
        for user: [UInt8]?,
        decode: @Sendable @escaping (ProviderResponse) -> ProviderAnswer<Value>
    ) async -> Reply<Value> {
        do throws(FairPlaces<[UInt8]>.Full) {
            return try await places.with(user ?? []) { [self] in
                let payer = user.map(SourceRunner.payer)
                return await askAgain(request, tokensMax, for: payer, decode: decode)
            }
        } catch {
            // Never reached: the queues are unbounded.
            return .later(clock.now)
        }
    }

    /// Returns the part of the daily budget that a user has left.
    ///
    /// - Parameter tokensMax: the maximum cost of one attempt.
    package func budget(of user: [UInt8], tokensMax: Int) -> UserBudget {
        let payer = SourceRunner.payer(user)
        return machine.withLock { $0.budget(of: payer, tokens: tokensMax, now: clock.now) }
    }

    /// Returns the account of a user as a digest, so that the store has no names.
    private static func payer(_ user: [UInt8]) -> [UInt8] {
        Array(sha256(user).prefix(payerLength))
    }

    private static let payerLength = 16

    private func askAgain<Value: Sendable & Equatable>(
        _ request: ProviderRequest,
        _ tokensMax: Int,
        for user: [UInt8]?,
        decode: @Sendable (ProviderResponse) -> ProviderAnswer<Value>
    ) async -> Reply<Value> {
        var attempt = 1
        while true {
            // The hub is stopping: a request that is not started costs nothing.
            guard !Task.isCancelled else { return .later(clock.now) }
            switch await send(request, tokensMax, for: user, attempt: attempt, decode: decode) {
            case .reply(let reply): return reply
            case .again(let pause):
                attempt += 1
                // The hub is stopping.
                do { try await Task.sleep(for: pause) } catch { return .later(clock.now) }
            }
        }
    }

    private enum Attempt<Value: Sendable>: Sendable {
        case reply(Reply<Value>)
        case again(after: Duration)
    }

    private func send<Value: Sendable & Equatable>(
        _ request: ProviderRequest,
        _ tokensMax: Int,
        for user: [UInt8]?,
        attempt: Int,
        decode: @Sendable (ProviderResponse) -> ProviderAnswer<Value>
    ) async -> Attempt<Value> {
        let reservation: Reservation
        switch machine.withLock({ $0.admit(tokens: tokensMax, for: user, now: clock.now) }) {
        case .later(let time, let reason):
            tell("source is asked later", reason, .debug)
            return .reply(.later(time))
        case .overShare(let time):
            tell("source is asked later", "the user's share of the day is used up", .debug)
            return .reply(.overShare(until: time))
        case .never(let reason):
            tell("source is not asked", reason, .debug)
            return .reply(.failed(.switchedOff))
        case .go(let made, _):
            reservation = made
            let paid = SpendingChange(
                day: made.day,
                requests: 1,
                tokens: made.tokens,
                user: made.user
            )
            do { try await storage.add(paid, of: name) } catch {
                _ = finish(.notSent, of: made, attempt: attempt)
                tell("source is not asked", "\(error)", .warning)
                return .reply(.later(clock.now + SourceRunner.storePause))
            }
        }
        let start = ContinuousClock.now
        let result = await client.send(request, timeout: timeout)
        return await conclude(result, reservation, attempt, .now - start, decode)
    }

    /// The pause after a failed commit.
    private static let storePause = Duration.seconds(60)

    private func conclude<Value: Sendable & Equatable>(
        _ result: Result<ProviderResponse, ProviderClientError>,
        _ reservation: Reservation,
        _ attempt: Int,
        _ duration: Duration,
        _ decode: @Sendable (ProviderResponse) -> ProviderAnswer<Value>
    ) async -> Attempt<Value> {
        let outcome: AttemptResult
        let failed: SourceFailure
        let reason: String
        switch result.map(decode) {
        case .success(.value(let value, let usage)):
            board.count(.changed, of: feedName, after: duration)
            let (_, returned) = finish(.answered(usage), of: reservation, attempt: attempt)
            return .reply(.answered(value, returned))
        case .success(.none(let reason, let usage)):
            board.count(.unchanged, of: feedName, after: duration)
            let (_, returned) = finish(.answered(usage), of: reservation, attempt: attempt)
            return .reply(.none(reason, returned))
        case .success(.failure(let failure)):
            (outcome, failed, reason) = (.failed(failure), SourceFailure(failure), failure.reason)
        case .failure(let error): (outcome, failed, reason) = (.unreachable, error.seen, "\(error)")
        }
        guard !Task.isCancelled else {
            // Cancelled by shutdown: no evidence about the source, and the cost is unknown.
            _ = finish(.unreachable, of: reservation, attempt: attempt)
            return .reply(.later(clock.now))
        }
        board.count(.error, of: feedName, after: duration)
        let (next, returned) = finish(outcome, of: reservation, attempt: attempt)
        // If the returned tokens cannot be stored, they only count against the day's budget.
        if returned.tokens != 0 { try? await storage.add(returned, of: name) }
        if case .failed(.disabled) = outcome {
            tell("source is switched off until the hub starts again", reason, .error)
        } else {
            tell("source has failed", reason, .warning)
        }
        switch next {
        case .retry(let pause): return .again(after: pause)
        case .done, .giveUp: return .reply(.failed(failed))
        }
    }

    /// Reports the result to the machine, and returns the change of the day's spending.
    private func finish(
        _ result: AttemptResult,
        of reservation: Reservation,
        attempt: Int
    ) -> (next: SourceMachine.Next, change: SpendingChange) {
        let (next, tokens) = machine.withLock { machine in
            let before = machine.spent
            let next = machine.finish(
                result,
                of: reservation,
                attempt: attempt,
                now: clock.now,
                random: .random(in: 0..<1)
            )
            return (next, machine.spent.tokens - before.tokens)
        }
        return (
            next,
            SpendingChange(day: reservation.day, tokens: tokens, user: reservation.user)
        )
    }

    private func tell(_ message: Logger.Message, _ reason: String, _ level: Logger.Level) {
        logger.log(
            level: level,
            message,
            metadata: ["domain": "\(domain)", "source": "\(name)", "reason": "\(reason)"]
        )
    }
}
