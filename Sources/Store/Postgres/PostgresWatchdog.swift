import Dispatch

/// Ends the connections of one client whose server hangs: libpq's calls wait without a limit.
///
/// It looks at the calls under way at an interval, asks the server about those that have waited for
/// long, and shuts down what `PostgresSilence` gives up. The call then fails with `noConnection`.
///
/// A thread of its own asks, because each call blocks the thread of its connection.
package final class PostgresWatchdog: Sendable {
    /// Asks a server which of the processes work. Blocks, at most for the given time.
    package typealias Question =
        @Sendable (PostgresServer, _ processes: [Int64], _ within: Duration) -> PostgresAnswer

    package let rules: PostgresSilence
    /// A struct, because a function that is the `Value` of a generic type is wrapped at each access.
    private struct State {
        var lines: [ObjectIdentifier: PostgresLine] = [:]
        var timer: (any DispatchSourceTimer)?
    }
    private let state = Locked(State())
    private let ask: Question
    private let queue = DispatchQueue(label: "store.watchdog")

    package init(limit: Duration, _ ask: @escaping Question) {
        rules = PostgresSilence(limit: limit)
        self.ask = ask
    }

    /// A watchdog that asks with a connection string, that of the connections.
    package convenience init(limit: Duration, target: String) {
        self.init(limit: limit) { server, processes, within in
            PostgresProbe.ask(target, at: server, about: processes, within: within)
        }
    }

    deinit { state.withLock { $0.timer }?.cancel() }

    // MARK: Lines

    func add(_ line: PostgresLine) {
        state.withLock { state in
            state.lines[ObjectIdentifier(line)] = line
            if state.timer == nil { state.timer = makeTimer() }
        }
    }

    /// Without a line there is nothing to look at.
    func remove(_ line: PostgresLine) {
        state.withLock { state in
            state.lines[ObjectIdentifier(line)] = nil
            guard state.lines.isEmpty else { return }
            state.timer?.cancel()
            state.timer = nil
        }
    }

    private func makeTimer() -> any DispatchSourceTimer {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        let nanoseconds = Int(rules.pause / .nanoseconds(1))
        timer.schedule(
            deadline: .now() + .nanoseconds(nanoseconds),
            repeating: .nanoseconds(nanoseconds)
        )
        timer.setEventHandler { [weak self] in self?.look() }
        timer.resume()
        return timer
    }

    // MARK: On the queue

    private func look() {
        let lines = Array(state.withLock { $0.lines }.values)
        let now = ContinuousClock.now
        let doubtful = lines.filter { line in
            line.call(now: now).map { line.isDoubtful($0, rules) } ?? false
        }
        for server in Set(doubtful.map(\.server)) {
            let concerned = lines.filter { $0.server == server }
            judge(concerned, now, ask(server, concerned.compactMap(\.process), rules.answerWithin))
        }
    }

    /// A server that does not answer at all has left every other call unanswered as well. Connections
    /// without a call are of no use either.
    private func judge(
        _ lines: [PostgresLine],
        _ asked: ContinuousClock.Instant,
        _ answer: PostgresAnswer
    ) {
        if answer == .none {
            for line in lines { line.shutDownIfIdle() }
        }
        let now = ContinuousClock.now
        for line in lines {
            guard let call = line.call(now: now), line.isDoubtful(call, rules) else { continue }
            // The answer is older than a call that began meanwhile.
            let silence = answer == .none ? call.silence : call.silence - (now - asked)
            let step = rules.step(
                after: answer,
                silence: max(.zero, silence),
                process: line.process,
                isSending: call.isSending
            )
            line.take(step, about: call)
        }
    }
}
