// Polling: sends requests to upstreams when `FeedMachine` decides, and tracks the health of feeds.

import Feeds
import Logging
import Tasks
import Timekeeping

/// Polls one feed until its task is cancelled: waits, sends the request, passes the body on.
/// `FeedMachine` decides when.
package struct FeedPoller: Sendable {
    package let feed: PolledFeed
    package let fetcher: UpstreamFetcher
    package let clock: HubClock
    package let board: HealthBoard
    package let logger: Logger

    package init(
        feed: PolledFeed,
        fetcher: UpstreamFetcher,
        clock: HubClock,
        board: HealthBoard,
        logger: Logger
    ) {
        self.feed = feed
        self.fetcher = fetcher
        self.clock = clock
        self.board = board
        self.logger = logger
    }

    package func run(validators: FeedValidators) async {
        var machine = FeedMachine(
            name: feed.name,
            policy: feed.policy,
            validators: validators,
            now: clock.now,
            random: random
        )
        board.update(machine, role: feed.role)
        while !Task.isCancelled {
            do { try await clock.sleep(machine.wait(now: clock.now) ?? .zero) } catch { return }
            // Only for a request that is due, because the call may have a cost.
            guard machine.wait(now: clock.now) == .zero else { continue }
            if let time = await feed.holdOff() {
                machine.postpone(until: time, now: clock.now, random: random)
                board.update(machine, role: feed.role)
                continue
            }
            guard let headers = machine.start(now: clock.now) else { continue }
            await fetcher.client.traced { await poll(&machine, headers) }
            if !Task.isCancelled { await feed.settle() }
            // Last, so that a feed is reported healthy only after its data is available.
            board.update(machine, role: feed.role)
        }
    }

    private func poll(_ machine: inout FeedMachine, _ headers: FeedRequestHeaders) async {
        let start = ContinuousClock.now
        let result = await fetcher.fetch(
            feed,
            validators: machine.validators,
            headers: headers,
            clock: clock
        )
        // A request cancelled by shutdown is no evidence about the upstream.
        guard !Task.isCancelled else { return }
        let duration = ContinuousClock.now - start
        let before = machine.validators
        switch result {
        case .failure(let failure):
            board.count(.error, of: feed.name, after: duration)
            log(machine.finish(failure, now: clock.now, random: random))
        case .success((let response, let body)):
            let outcome = machine.finish(response, now: clock.now, random: random)
            switch outcome {
            case .body(let validators, let warning):
                if let warning {
                    logger.warning(
                        "feed answered with a warning",
                        metadata: ["feed": "\(feed.name)", "reason": "\(warning)"]
                    )
                }
                let isAccepted = await apply(body, validators, to: &machine)
                board.count(isAccepted ? .changed : .error, of: feed.name, after: duration)
            case .notModified(let validators):
                board.count(.unchanged, of: feed.name, after: duration)
                if validators != before { await keep(validators) }
            case .failed:
                board.count(.error, of: feed.name, after: duration)
                log(outcome)
                if machine.validators != before { await keep(machine.validators) }
            }
        }
    }

    /// Returns false if the body was refused.
    private func apply(
        _ body: FeedBody,
        _ validators: FeedValidators,
        to machine: inout FeedMachine
    ) async -> Bool {
        do {
            try await feed.apply(body, validators)
            machine.accepted(notBefore: feed.notBefore(), now: clock.now, random: random)
            if let freshness = feed.freshness() { board.note(freshness, of: feed.name) }
            return true
        } catch {
            machine.rejected("\(error)", now: clock.now, random: random).log(to: logger)
            return false
        }
    }

    private func keep(_ validators: FeedValidators) async {
        do { try await feed.keep(validators) } catch {
            logger.warning(
                "feed validators not stored",
                metadata: ["feed": "\(feed.name)", "err": "\(error)"]
            )
        }
    }

    private func log(_ outcome: FeedOutcome) {
        if case .failed(let problem) = outcome { problem.log(to: logger) }
    }

    private var random: Double { Double.random(in: 0..<1) }
}
