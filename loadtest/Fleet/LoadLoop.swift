import Reactor

/// Runs one scenario on an event loop of its own, to its end.
actor LoadLoop<Load: Scenario> {
    private nonisolated let loop: EventLoop
    private var fleet: Fleet
    private var scenario: Load
    private let progress: ProgressLine
    private var progressDue = MonotonicInstant.now
    private var finished: CheckedContinuation<Report, Never>?

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(_ scenario: Load, settings: FleetSettings, progress: ProgressLine) throws {
        let loop = try EventLoop(name: "varde-load")
        self.loop = loop
        fleet = Fleet(loop: loop, settings: settings)
        self.scenario = scenario
        self.progress = progress
    }

    nonisolated func run() async -> Report {
        // Started from outside: nothing that is isolated runs before the loop does.
        loop.start { [self] eventCount in
            assumeIsolated { $0.turn(eventCount) }
        }
        return await report()
    }

    private func report() async -> Report {
        await withCheckedContinuation { finished = $0 }
    }

    private func turn(_ eventCount: Int) -> MonotonicInstant? {
        fleet.receive(eventCount, for: &scenario)
        let now = MonotonicInstant.now
        let wanted = scenario.turn(now: now, &fleet)
        fleet.finishTurn(for: &scenario)
        if scenario.isFinished, let finished {
            progress.clear()
            finished.resume(returning: scenario.report())
            self.finished = nil
            loop.stop()
            return nil
        }
        if now >= progressDue {
            progress.show(scenario.progress(now: now))
            progressDue = now + .seconds(1)
        }
        return earliest(wanted, now)
    }

    private func earliest(_ wanted: MonotonicInstant?, _ now: MonotonicInstant) -> MonotonicInstant
    {
        var deadline = progressDue
        if let next = fleet.nextDeadline { deadline = min(deadline, next) }
        guard let wanted, wanted < deadline else { return deadline }
        // The loop's timers are good to a millisecond and late rather than early. A schedule wants better:
        // the last millisecond is spent turning.
        return wanted - now < .milliseconds(1) ? now : wanted + .milliseconds(-1)
    }
}
