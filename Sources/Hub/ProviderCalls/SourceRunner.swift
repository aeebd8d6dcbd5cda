// ProviderCalls: sends the requests to AI providers and keeps their sources within their budgets.

import Digests
import Locking
import Logging
import Polling
import Providers
import Tasks
import Timekeeping

/// Asks one source, within its rate and within the budget of the day.
///
/// **Budget.** The most that a request may cost is stored before the request is sent. What it did
/// not need is returned with its answer. So a hub that crashes and restarts repeatedly has spent at
/// most what is stored. The same holds for what each user has taken; users are stored by a digest.
///
/// **Waiting.** Requests beyond `SourcePolicy.concurrencyMax` wait, and users take turns. The lines
/// are unbounded: the caller bounds the questions that it asks at a time.
package final class SourceRunner: Sendable {
    /// What became of a question.
    package enum Reply<Value: Sendable>: Sendable {
        /// Commit the change of the source's spending with the answer.
        case answered(Value, SpendingChange)
        /// The source answered without a usable value. Commit the change here, too.
        case none(NoAnswer, SpendingChange)
        /// Not asked, or asked in vain: it may be asked again then.
        case later(Timestamp)
        /// Not asked, because the user's share of the day is used up; it may be asked again then.
        case overShare(until: Timestamp)
        /// This question gets no answer, asked again or not.
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
    ///   - name: of the source, unique in its domain.
    ///   - domain: prefix of the source's name in metrics, and of log entries.
    ///   - timeout: of one attempt, from connecting to the last byte of the answer.
    /// - Throws: the error of `spending` when the day's spending cannot be read.
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

    /// Sends the request when there is a place for it, and again when the machine says so.
    ///
    /// - Parameters:
    ///   - tokensMax: the most that one attempt can cost; 0 for a source without tokens.
    ///   - user: whose share of the day pays for it, and among whose requests it takes its turn.
    ///     Nil for questions of no user, which have no share and one common line.
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
            // Never: the lines are unbounded.
            return .later(clock.now)
        }
    }

    /// What is left of the day for a user.
    ///
    /// - Parameter tokensMax: the most that one attempt can cost.
    package func budget(of user: [UInt8], tokensMax: Int) -> UserBudget {
        let payer = SourceRunner.payer(user)
        return machine.withLock { $0.budget(of: payer, tokens: tokensMax, now: clock.now) }
    }

    /// The account of a user: the store has no names.
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
            // The hub stops: a request that would be broken off costs nothing.
            guard !Task.isCancelled else { return .later(clock.now) }
            switch await send(request, tokensMax, for: user, attempt: attempt, decode: decode) {
            case .reply(let reply): return reply
            case .again(let pause):
                attempt += 1
                // The hub stops.
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

    /// After a commit that failed.
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
            // Broken off by the end of the hub: it says nothing of the source, and may have cost
            // anything.
            _ = finish(.unreachable, of: reservation, attempt: attempt)
            return .reply(.later(clock.now))
        }
        board.count(.error, of: feedName, after: duration)
        let (next, returned) = finish(outcome, of: reservation, attempt: attempt)
        // What is not given back is not spent: it costs the day's budget, nothing else.
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

    /// Reports the result to the machine. Returns the change of the day's spending.
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
