/// Reads histories from the store when loops request them: one batch at a time, each from one snapshot, so
/// that however many clients come back, the store is read by one.
final class HistoryReader: Sendable {
    /// The maximum number of topics in one batch. The next batch waits for it: some milliseconds, and a few
    /// round trips.
    private static let topicsMax = 64

    private enum State {
        case idle
        case reading
        /// Reading, and there was a request since the last look for topics.
        case requested
    }

    private let histories: HistoryTable
    private let store: HubStore
    private let clock: HubClock
    private let logger: Logger
    private let state = Locked(State.idle)
    /// Whether the last batch has failed.
    private let isFailing = Locked(false)

    init(_ histories: HistoryTable, _ store: HubStore, _ clock: HubClock, _ logger: Logger) {
        self.histories = histories
        self.store = store
        self.clock = clock
        self.logger = logger
    }

    /// Begins to serve the loops, until `disconnect`.
    func connect(_ transport: Transport) {
        histories.setWhenRequested { [self] in
            let begins = state.withLock { state in
                defer { state = state == .idle ? .reading : .requested }
                return state == .idle
            }
            if begins { Task { await read(transport) } }
        }
    }

    /// Breaks the reference cycle between the histories, the loops and this.
    func disconnect() { histories.setWhenRequested {} }

    private func read(_ transport: Transport) async {
        while true {
            let reads = histories.takeReads(countMax: HistoryReader.topicsMax)
            if reads.isEmpty {
                let isDone = state.withLock { state in
                    defer { state = state == .requested ? .reading : .idle }
                    return state != .requested
                }
                if isDone { return }
            }
            for end in await outcomes(of: reads) { transport.endRead(end) }
        }
    }

    private func outcomes(of reads: [HistoryRead]) async -> [HistoryReadEnd] {
        guard !reads.isEmpty else { return [] }
        do {
            let found = try await store.histories(reads, now: clock.now)
            noteSuccess()
            return zip(reads, found).compactMap { read, found in
                do {
                    return try histories.finish(read, found)
                } catch {
                    report(error, read.topic)
                    return histories.fail(read.topic)
                }
            }
        } catch {
            report(error, reads[0].topic)
            return reads.map { histories.fail($0.topic) }
        }
    }

    private func noteSuccess() { isFailing.withLock { $0 = false } }

    /// Reports the first of several failures in a row: clients repeat what has failed.
    private func report(_ error: any Error, _ topic: Topic) {
        let isFirst = isFailing.withLock { isFailing in
            defer { isFailing = true }
            return !isFailing
        }
        guard isFirst else { return }
        logger.error("history not read", metadata: ["topic": "\(topic)", "err": "\(error)"])
    }
}
