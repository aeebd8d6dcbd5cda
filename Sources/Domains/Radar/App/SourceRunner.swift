import Foundation
import Locking
import Logging
import Polling
import Providers
import Radar
import Store
import Tasks
import Timekeeping

/// Asks one source of opinions: as often as it allows, as much as the day's budget allows.
///
/// **The budget.** What a request may cost is written to the store before the request is sent; what it did
/// not need is given back with its answer. So a hub that crashes and starts again and again has spent at
/// most what the store says. Rows are differences, which add up in any order.
package final class SourceRunner: Sendable {
    /// What became of a question.
    package enum Reply<Value: Sendable>: Sendable {
        /// The row is to be committed with the answer.
        case answered(Value, SpendingRow)
        /// The source answered, and has no opinion.
        case none(NoAnswer, SpendingRow)
        /// Not asked, or asked in vain: it may be asked again then.
        case later(Timestamp)
        /// Not asked, because the user's share of the day is used up; it may be asked again then.
        case overShare(until: Timestamp)
        /// This question gets no answer, asked again or not.
        case failed
    }

    package let source: any OpinionSource
    private let timeout: Duration
    private let client: ProviderClient
    private let store: HubStore
    private let clock: HubClock
    private let board: HealthBoard
    private let logger: Logger
    private let machine: Locked<SourceMachine>
    private let places: FairPlaces<[UInt8]>

    /// - Throws: `StoreError` when the day's spending cannot be read.
    package init(
        source: any OpinionSource,
        policy: SourcePolicy,
        timeout: Duration,
        client: ProviderClient,
        store: HubStore,
        clock: HubClock,
        board: HealthBoard,
        logger: Logger
    ) async throws {
        self.source = source
        self.timeout = timeout
        self.client = client
        self.store = store
        self.clock = clock
        self.board = board
        self.logger = logger
        let length = Duration.seconds(86_400)
        let today = clock.now.roundedDown(to: length).milliseconds / length.wholeMilliseconds
        let stored = try await store.readRadars { try $0.spending(day: Int(today)) }
            .first { $0.source == source.name }
        let spent = DaySpending(
            day: Int(today),
            requests: stored?.requests ?? 0,
            tokens: stored?.tokens ?? 0
        )
        machine = Locked(SourceMachine(policy: policy, spent: spent))
        places = FairPlaces(policy.concurrencyMax)
    }

    /// The name under which its requests are counted.
    private var feedName: String { "radar:\(source.name)" }

    /// Sends the request when there is a place for it, and again when the machine says so.
    ///
    /// - Parameter user: whose share of the day pays for it, and among whose requests it takes its turn.
    package func ask<Value: Sendable & Equatable>(
        _ request: ProviderRequest,
        for user: [UInt8],
        decode: @Sendable @escaping (ProviderResponse) -> ProviderAnswer<Value>
    ) async -> Reply<Value> {
        do throws(FairPlaces<[UInt8]>.Full) {
            return try await places.with(user) { [self] in
                await askAgain(request, for: user, decode: decode)
            }
        } catch {
            // Lines have no end here, as those who wait are bounded by `polls_at_once` and by rates.
            return .later(clock.now)
        }
    }

    private func askAgain<Value: Sendable & Equatable>(
        _ request: ProviderRequest,
        for user: [UInt8],
        decode: @Sendable (ProviderResponse) -> ProviderAnswer<Value>
    ) async -> Reply<Value> {
        var attempt = 1
        while true {
            switch await send(request, for: user, attempt: attempt, decode: decode) {
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
        for user: [UInt8],
        attempt: Int,
        decode: @Sendable (ProviderResponse) -> ProviderAnswer<Value>
    ) async -> Attempt<Value> {
        let reservation: Reservation
        switch machine.withLock({ $0.admit(tokens: source.tokensMax, for: user, now: clock.now) }) {
        case .later(let time, let reason):
            tell("radar: source is asked later", reason, .debug)
            return .reply(.later(time))
        case .overShare(let time):
            tell("radar: source is asked later", "the user's share of the day is used up", .debug)
            return .reply(.overShare(until: time))
        case .never(let reason):
            tell("radar: source is not asked", reason, .debug)
            return .reply(.failed)
        case .go(let made, _):
            reservation = made
            let row = spending(of: made, requests: 1, tokens: made.tokens)
            do { try await store.commitRadars([.spending(row)]) } catch {
                _ = finish(.notSent, of: made, attempt: attempt)
                tell("radar: source is not asked", "\(error)", .warning)
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
        let reason: String
        switch result.map(decode) {
        case .success(.value(let value, let usage)):
            board.count(.changed, of: feedName, after: duration)
            let (_, row) = finish(.answered(usage), of: reservation, attempt: attempt)
            return .reply(.answered(value, row))
        case .success(.none(let reason, let usage)):
            board.count(.unchanged, of: feedName, after: duration)
            tell("radar: answer without an opinion", reason.rawValue, .info)
            let (_, row) = finish(.answered(usage), of: reservation, attempt: attempt)
            return .reply(.none(reason, row))
        case .success(.failure(let failure)): (outcome, reason) = (.failed(failure), failure.reason)
        case .failure(let error): (outcome, reason) = (.unreachable, "\(error)")
        }
        guard !Task.isCancelled else {
            // Broken off by the end of the hub: it says nothing of the source, and may have cost anything.
            _ = finish(.unreachable, of: reservation, attempt: attempt)
            return .reply(.later(clock.now))
        }
        board.count(.error, of: feedName, after: duration)
        let (next, row) = finish(outcome, of: reservation, attempt: attempt)
        // What is not given back is not spent: it costs the day's budget, nothing else.
        if row.tokens != 0 { try? await store.commitRadars([.spending(row)]) }
        if case .failed(.disabled) = outcome {
            tell("radar: source is switched off until the hub starts again", reason, .error)
        } else {
            tell("radar: source has failed", reason, .warning)
        }
        switch next {
        case .retry(let pause): return .again(after: pause)
        case .done, .giveUp: return .reply(.failed)
        }
    }

    /// Tells the machine, and answers what its budget gains: the row of the difference.
    private func finish(
        _ result: AttemptResult,
        of reservation: Reservation,
        attempt: Int
    ) -> (next: SourceMachine.Next, row: SpendingRow) {
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
        return (next, spending(of: reservation, requests: 0, tokens: tokens))
    }

    private func spending(of reservation: Reservation, requests: Int, tokens: Int) -> SpendingRow {
        SpendingRow(
            source: source.name,
            day: reservation.day,
            requests: requests,
            tokens: tokens
        )
    }

    private func tell(_ text: Logger.Message, _ reason: String, _ level: Logger.Level) {
        logger.log(
            level: level,
            text,
            metadata: ["source": "\(source.name)", "reason": "\(reason)"]
        )
    }
}
