// Polling: sends requests to upstreams when `FeedMachine` decides, and tracks the health of feeds.

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

    /// Lists the feed on the board, where the health routes find it before its first poll.
    /// - Returns: what decides when to poll it, for `run(_:)`.
    package func listed(validators: FeedValidators) -> FeedMachine {
        let machine = FeedMachine(
            name: feed.name,
            policy: feed.policy,
            validators: validators,
            now: clock.now,
            random: random
        )
        board.update(machine, role: feed.role)
        return machine
    }

    package func run(_ listed: FeedMachine) async {
        var machine = listed
        while !Task.isCancelled {
            let wait = machine.wait(neededFrom: feed.neededFrom(), now: clock.now, random: random)
            do { try await clock.sleep(wait) } catch { return }
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
        let (time, start) = (clock.now, ContinuousClock.now)
        let result = await fetcher.fetch(
            feed,
            validators: machine.validators,
            headers: headers,
            clock: clock
        )
        // A request cancelled by shutdown is no evidence about the upstream.
        guard !Task.isCancelled else { return }
        let before = machine.validators
        let duration = ContinuousClock.now - start
        var poll = FeedPoll(time: time, duration: duration, outcome: .unchanged)
        switch result {
        case .failure(let failure):
            poll.outcome = fail(machine.finish(failure, now: clock.now, random: random))
        case .success((let response, let body)):
            poll.status = response.status
            let outcome = machine.finish(response, now: clock.now, random: random)
            switch outcome {
            case .body(let validators, let warning):
                if let warning {
                    logger.warning(
                        "feed answered with a warning",
                        metadata: ["feed": "\(feed.name)", "reason": "\(warning)"]
                    )
                }
                poll.outcome = await apply(body, validators, to: &machine)
            case .notModified(let validators):
                if validators != before { await keep(validators) }
            case .failed:
                poll.outcome = fail(outcome)
                if machine.validators != before { await keep(machine.validators) }
            }
        }
        board.note(poll, of: feed.name)
    }

    private func apply(
        _ body: FeedBody,
        _ validators: FeedValidators,
        to machine: inout FeedMachine
    ) async -> FeedPoll.Outcome {
        do {
            try await feed.apply(body, validators)
            machine.accepted(notBefore: feed.notBefore(), now: clock.now, random: random)
            if let freshness = feed.freshness() { board.note(freshness, of: feed.name) }
            return .changed
        } catch {
            let problem = machine.rejected("\(error)", now: clock.now, random: random)
            problem.log(to: logger)
            return .failed(problem.reason)
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

    /// Logs a failure, and returns it as the outcome of the poll.
    private func fail(_ outcome: FeedOutcome) -> FeedPoll.Outcome {
        guard case .failed(let problem) = outcome else { return .unchanged }
        problem.log(to: logger)
        return .failed(problem.reason)
    }

    private var random: Double { Double.random(in: 0..<1) }
}

extension FeedMachine {
    /// Returns the time to sleep before the next attempt, or before its data are needed if that is
    /// sooner: until then other sources may have brought newer data.
    package mutating func wait(
        neededFrom: Timestamp?,
        now: Timestamp,
        random: Double
    ) -> Duration {
        if let neededFrom, neededFrom <= now { hasten(now: now, random: random) }
        let wait = wait(now: now) ?? .zero
        guard let neededFrom, neededFrom > now else { return wait }
        return min(wait, neededFrom - now)
    }
}
