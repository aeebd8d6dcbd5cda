import Reactor

/// The work of a loop that waits for histories from the store, with what to do when they have come.
///
/// **Function.** `HistoryWaits` decides which work may be done, and which topics are kept for it. Work that continues
/// after its body keeps them until `finish`: the input of a connection, which is carried out in a later turn.
///
/// **Not done here:** the requests for histories and their release.
package struct HistoryQueue {
    /// Work to do when the histories that it needs have come.
    package struct Work {
        let body: @Sendable (isolated Loop, _ hasFailed: Bool) -> Void
        /// The connection whose input has waited. Its histories are needed after `body`, until `finish`.
        var input: ConnectionID?
    }

    /// Work that may be done; its number if it is over afterwards.
    package typealias Ready = (work: Work, hasFailed: Bool, over: HistoryWaits.Number?)

    private var waits = HistoryWaits()
    private var works: [HistoryWaits.Number: Work] = [:]
    private var inputs: [ConnectionID: HistoryWaits.Number] = [:]
    /// Slow readers that wait before they catch up.
    private var readers: Set<ConnectionID> = []

    package init() {}

    /// The number of works that wait or are being done.
    package var count: Int { waits.count }
    package var nextDeadline: MonotonicInstant? { waits.nextDeadline }

    package func needs(_ topic: Topic) -> Bool { waits.needs(topic) }

    /// Adds work. It becomes ready by one of the other inputs.
    ///
    /// - Parameters:
    ///   - topics: each topic that the work needs, and the result of its request.
    ///   - deadline: not before that of any other work.
    package mutating func add(
        _ work: Work,
        needing topics: [(topic: Topic, wait: HistoryTable.Wait?)],
        until deadline: MonotonicInstant
    ) {
        let number = waits.add(topics, until: deadline)
        works[number] = work
        if let id = work.input { inputs[id] = number }
    }

    /// Takes the end of a read. Returns the work that may be done, the longest waiting first.
    package mutating func end(
        _ topic: Topic,
        _ outcome: HistoryReadEnd.Outcome,
        at cursor: UInt64
    ) -> [Ready] {
        take(waits.end(topic, outcome, at: cursor))
    }

    /// Returns the work whose histories the loop has reached.
    package mutating func advance(to cursor: UInt64) -> [Ready] {
        take(waits.advance(to: cursor))
    }

    /// Returns the work that has waited too long.
    package mutating func takeOverdue(now: MonotonicInstant) -> [Ready] {
        take(waits.takeOverdue(now: now))
    }

    private mutating func take(_ ready: [HistoryWaits.Ready]) -> [Ready] {
        ready.compactMap { each in
            works.removeValue(forKey: each.number).map { work in
                (work, each.hasFailed, work.input == nil ? each.number : nil)
            }
        }
    }

    /// Takes the number of the work for which the input of a connection has waited: finish it when the
    /// input is carried out.
    package mutating func takeInput(of id: ConnectionID) -> HistoryWaits.Number? {
        inputs.isEmpty ? nil : inputs.removeValue(forKey: id)
    }

    /// Ends the wait of a connection that has ended. Returns the topics that no other work needs.
    package mutating func remove(_ id: ConnectionID) -> [Topic] {
        guard let number = takeInput(of: id) else { return [] }
        works[number] = nil
        return finish(number)
    }

    /// Ends work. Returns the topics that no other work needs: release them.
    package mutating func finish(_ number: HistoryWaits.Number) -> [Topic] {
        waits.finish(number)
    }

    package mutating func addReader(_ id: ConnectionID) { readers.insert(id) }

    package mutating func removeReader(_ id: ConnectionID) { readers.remove(id) }

    package func hasReader(_ id: ConnectionID) -> Bool { readers.contains(id) }
}
