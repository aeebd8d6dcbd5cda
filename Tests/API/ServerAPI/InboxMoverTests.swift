import Expectations
import HubTesting
import Logging
import Store

@testable import API

/// The loop, with an inbox in memory and a clock that the tests advance.
@Suite("Publications from SQL: the loop", .timeLimit(.minutes(10)))
struct InboxMoverTests {
    /// Rows are numbers; `bad` ones make the transaction fail that takes them.
    private final class FakeInbox: Sendable {
        struct State {
            var rows: [Int] = []
            var bad: Set<Int> = []
            var taken: [Int] = []
            var refused: [Int] = []
            var reasons: [String] = []
            var looks = 0
            var takes = 0
            /// Thrown by the next takes.
            var failures: [StoreError.Code] = []
        }

        let state = Locked(State())

        func hasRows() -> Bool {
            state.withLock { state in
                state.looks += 1
                return !state.rows.isEmpty
            }
        }

        func take(_ rowsMax: Int) throws -> InboxBatch {
            try state.withLock { state in
                state.takes += 1
                if !state.failures.isEmpty {
                    let code = state.failures.removeFirst()
                    throw StoreError(code, code.rawValue, path: "")
                }
                let rows = Array(state.rows.prefix(rowsMax))
                guard state.bad.isDisjoint(with: rows) else {
                    throw StoreError(.constraint, "", path: "")
                }
                state.rows.removeFirst(rows.count)
                state.taken += rows
                return InboxBatch(takenCount: rows.count)
            }
        }

        func refuseOldest(_ reason: String) -> InboxBatch {
            state.withLock { state in
                let number = state.rows.removeFirst()
                state.refused.append(number)
                state.reasons.append(reason)
                let row = InboxRow(id: Int64(number), channel: "radar:1", request: [])
                return InboxBatch(refusals: [InboxRefusal(row, reason)])
            }
        }

        func wait(_ condition: @Sendable (State) -> Bool) async {
            while !state.withLock({ condition($0) }) { await Task.yield() }
        }
    }

    /// A pause that ends when the test says so.
    private final class Pauses: Sendable {
        private let ended = Locked(0)
        private let begun = Locked(0)

        func end() { ended.withLock { $0 += 1 } }

        func pause() async throws {
            let number = begun.withLock { begun in
                begun += 1
                return begun
            }
            while ended.withLock({ $0 }) < number {
                try Task.checkCancellation()
                await Task.yield()
            }
        }
    }

    private func run(
        _ inbox: FakeInbox,
        logger: Logger = silentLogger,
        _ body: (Alarm, Pauses) async throws -> Void
    ) async rethrows {
        let (alarm, pauses) = (Alarm(), Pauses())
        let mover = InboxMover(
            inbox: InboxMover.Inbox(
                hasRows: { inbox.hasRows() },
                take: { try inbox.take($0) },
                refuseOldest: { inbox.refuseOldest($0) }
            ),
            alarm: alarm,
            pause: { try await pauses.pause() },
            logger: logger
        )
        let task = Task { await mover.run() }
        try await body(alarm, pauses)
        task.cancel()
        await task.value
    }

    private func inbox(_ rows: ClosedRange<Int>) -> FakeInbox {
        let inbox = FakeInbox()
        inbox.state.withLock { $0.rows = Array(rows) }
        return inbox
    }

    @Test func whatWaitedIsTakenAtTheStartInBatches() async {
        let inbox = inbox(1...250)
        await run(inbox) { _, _ in
            await inbox.wait { $0.taken == Array(1...250) }
            expectEqual(inbox.state.withLock { $0.takes }, 3)
        }
    }

    @Test func alarmTakesRowsBeforeThePauseEnds() async {
        let inbox = FakeInbox()
        await run(inbox) { alarm, _ in
            await inbox.wait { $0.looks == 1 }
            inbox.state.withLock { $0.rows = [1] }
            alarm.ring()
            await inbox.wait { $0.taken == [1] }
        }
    }

    @Test func rowWithoutANotificationIsTakenAfterThePause() async {
        let inbox = FakeInbox()
        await run(inbox) { _, pauses in
            await inbox.wait { $0.looks == 1 }
            inbox.state.withLock { $0.rows = [1] }
            pauses.end()
            await inbox.wait { $0.taken == [1] }
        }
    }

    @Test func emptyInboxMakesNoTransaction() async {
        let inbox = FakeInbox()
        await run(inbox) { _, pauses in
            for _ in 0..<5 { pauses.end() }
            await inbox.wait { $0.looks >= 5 }
        }
        expectEqual(inbox.state.withLock { $0.takes }, 0)
    }

    @Test(arguments: [StoreError.Code.queueFull, .cannotOpen, .diskFull])
    func temporaryFailureIsRetriedAfterThePause(code: StoreError.Code) async {
        let inbox = inbox(1...2)
        inbox.state.withLock { $0.failures = [code] }
        await run(inbox) { _, pauses in
            await inbox.wait { $0.takes == 1 }
            expectEqual(inbox.state.withLock { $0.rows }, [1, 2])
            pauses.end()
            await inbox.wait { $0.taken == [1, 2] }
        }
        expectEqual(inbox.state.withLock { $0.refused }, [])
    }

    @Test func rowThatTheStoreRefusesDoesNotHoldUpTheOthers() async {
        let inbox = inbox(1...200)
        inbox.state.withLock { $0.bad = [1, 3, 150] }
        await run(inbox) { _, _ in
            await inbox.wait { $0.taken.count + $0.refused.count == 200 }
        }
        let state = inbox.state.withLock { $0 }
        expectEqual(state.refused, [1, 3, 150])
        expectEqual(Set(state.reasons), ["change breaks a rule of the schema"])
        expectEqual(state.taken, (1...200).filter { !state.bad.contains($0) })
    }

    // MARK: Log

    @Test func refusalIsLoggedWithItsReason() async {
        let inbox = inbox(7...7)
        inbox.state.withLock { $0.bad = [7] }
        let log = RecordedLog()
        await run(inbox, logger: log.logger) { _, _ in await inbox.wait { $0.refused == [7] } }
        let lines = log.lines.withLock { $0 }
        expectEqual(lines.map(\.message), ["publication from SQL refused"])
        let expected: Logger.Metadata = [
            "inbox_id": .stringConvertible(7), "channel": "radar:1",
            "reason": "change breaks a rule of the schema",
        ]
        expectEqual(lines.first?.fields, expected)
    }

    /// A server can be away for hours.
    @Test func repeatedFailureIsLoggedOnce() async {
        let inbox = inbox(1...1)
        inbox.state.withLock { state in
            state.failures = [.cannotOpen, .cannotOpen, .cannotOpen, .diskFull]
        }
        let log = RecordedLog()
        await run(inbox, logger: log.logger) { _, pauses in
            for _ in 0..<4 { pauses.end() }
            await inbox.wait { $0.taken == [1] }
            // Once it was taken, the same failure is logged again.
            inbox.state.withLock { state in
                state.failures = [.diskFull]
                state.rows = [2]
            }
            pauses.end()
            await inbox.wait { $0.failures.isEmpty }
            pauses.end()
            await inbox.wait { $0.taken == [1, 2] }
        }
        let lines = log.lines.withLock { $0 }
        let entry = "publications from SQL not taken"
        expectEqual(lines.map(\.message), [entry, entry, entry])
    }

    @Test func cancelledLoopEnds() async {
        await run(FakeInbox()) { _, _ in }
    }
}
