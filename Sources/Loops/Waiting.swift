import ClientWire
import Reactor

/// Input of a client that waits for a later turn: for its share of the loop, or for something that is not
/// here yet.
package struct WaitingInput {
    /// The remaining actions of the current frame, in order.
    package var actions: ArraySlice<SessionAction> = []
    /// The input after that frame.
    package var bytes = WaitingBytes()
    /// The reason why the first of the actions, or the request of a stream, waits or has waited.
    package var waitedFor: Reason?
    /// Whether what it has waited for cannot be read.
    package var hasFailed = false
    /// The rights of the first of the actions, or of the request of a stream, as far as they are known.
    package var grants = Grants()

    package enum Reason: Sendable {
        /// Its position.
        case position
        /// The histories of its topics.
        case histories
        /// The answer of the application.
        case hook
    }
}

/// The work of a loop that waits, and the order in which the loop continues with it. Belongs to its loop.
///
/// **Function.** Work waits for one reason: for its share of the loop, for its position (`PositionWaits`), for
/// histories (`HistoryQueue`), for a list of topics, or for the answer of the application. A connection has at
/// most one input here. Input that waits for its share is in the order at once, other input when what it
/// waits for has come. The loop reads nothing from the connection until then, so its input stays in order.
/// Work that waits for histories may also be that of the hub, or of a slow reader.
///
/// **Inputs.** `postpone` for the rest of a frame or the input after it; `wait` for a command or request that
/// needs something; `come`, `answered` and `endOverdue` when it is here or has not come in time; `takeNext`
/// in each turn; `roomCame` when a client has read from its queue; `remove` when its connection has ended.
/// For histories: `add`, then `endRead`, `advance` and `takeOverdue` return work to do, and `finish` ends it.
/// At the end of a turn the caller asks `nextQuestion`, if there is one.
///
/// **Not done here:** the requests for what input waits for, and the work itself.
package struct Waiting: ~Copyable {
    private var inputs: [ConnectionID: WaitingInput] = [:]
    private var order = PostponedOrder()
    private var positions = PositionWaits()
    private var histories = HistoryQueue()
    /// Costly work of all clients, which has a share of the loop's time.
    package var costs = CostlyWork()
    /// Topics of the store, for clients that list them.
    private var lists: [ConnectionID: StoredTopicsPage] = [:]

    package init() {}

    package var count: Int { inputs.count }
    package var isEmpty: Bool { inputs.isEmpty }

    package func contains(_ id: ConnectionID) -> Bool { !inputs.isEmpty && inputs[id] != nil }

    /// The bytes that wait behind the frame of a connection.
    package func byteCount(of id: ConnectionID) -> Int {
        inputs.isEmpty ? 0 : inputs[id]?.bytes.count ?? 0
    }

    /// The heap memory of these bytes.
    package func heldBytes(of id: ConnectionID) -> Int {
        inputs.isEmpty ? 0 : inputs[id]?.bytes.heldBytes ?? 0
    }

    // MARK: Beginning

    /// Adds the remaining actions of a frame. Returns whether the connection begins to wait.
    package mutating func postpone(
        _ actions: ArraySlice<SessionAction>,
        of id: ConnectionID
    ) -> Bool {
        let begins = begin(id)
        // A frame that goes on for many turns is not copied in each of them.
        if inputs[id]!.actions.isEmpty {
            inputs[id]!.actions = actions
        } else {
            inputs[id]!.actions += actions
        }
        return begins
    }

    /// Adds the input after a frame. Returns whether the connection begins to wait.
    package mutating func postpone(
        _ bytes: UnsafeMutableBufferPointer<UInt8>.SubSequence,
        of id: ConnectionID
    ) -> Bool {
        let begins = begin(id)
        inputs[id]!.bytes.append(bytes)
        return begins
    }

    /// Adds the rest of input that has waited before. Returns whether the connection begins to wait.
    package mutating func postpone(_ bytes: consuming WaitingBytes, of id: ConnectionID) -> Bool {
        let begins = begin(id)
        inputs[id]!.bytes.append(bytes)
        return begins
    }

    private mutating func begin(_ id: ConnectionID) -> Bool {
        guard inputs[id] == nil else { return false }
        inputs[id] = WaitingInput()
        order.add(id)
        return true
    }

    /// Keeps input until what it needs has come (`come`).
    package mutating func wait(_ input: WaitingInput, of id: ConnectionID) {
        assert(inputs[id] == nil, "waits twice")
        inputs[id] = input
    }

    /// Keeps input until the node has reached its position, at most until a deadline.
    ///
    /// - Parameter deadline: not before that of any other connection.
    package mutating func wait(
        _ input: WaitingInput,
        of id: ConnectionID,
        forPositionUntil deadline: MonotonicInstant
    ) {
        wait(input, of: id)
        positions.add(id, until: deadline)
    }

    // MARK: What has come

    /// Lets input continue, if it still waits.
    package mutating func come(_ id: ConnectionID, hasFailed: Bool = false) {
        guard contains(id) else { return }
        inputs[id]!.hasFailed = hasFailed
        order.add(id)
    }

    /// Lets a command continue with the answer of the application.
    package mutating func come(_ answer: HookOutcome, for id: ConnectionID) {
        guard contains(id), inputs[id]!.waitedFor == .hook else { return }
        if inputs[id]!.grants.hasAskedToFill {
            if case .success(.cacheEmpty) = answer { come(id) } else { come(id, hasFailed: true) }
        } else if inputs[id]!.grants.answer == nil {
            inputs[id]!.grants.answer = answer
            order.add(id)
        }
    }

    /// Lets the request of a stream continue with the answers of the application.
    package mutating func come(_ answers: StreamAnswers, for id: ConnectionID) {
        guard contains(id), inputs[id]!.waitedFor == .hook else { return }
        inputs[id]!.grants.stream = answers
        order.add(id)
    }

    /// Lets a call continue with topics of the store; nil if they cannot be read.
    package mutating func come(_ page: StoredTopicsPage?, for id: ConnectionID) {
        guard contains(id) else { return }
        lists[id] = page
        come(id, hasFailed: page == nil)
    }

    /// Takes the topics that a call has waited for.
    package mutating func takeList(of id: ConnectionID) -> StoredTopicsPage? {
        lists.isEmpty ? nil : lists.removeValue(forKey: id)
    }

    package func hasList(for id: ConnectionID) -> Bool { !lists.isEmpty && lists[id] != nil }

    /// The number of a question to ask about positions; nil if one is under way, or none waits.
    package mutating func nextQuestion() -> UInt64? { positions.nextQuestion() }

    /// Lets the input continue that has waited for the answer to a question about positions.
    package mutating func answered(_ question: UInt64) { come(positions.answered(question)) }

    /// The first deadline of work that waits for its position, or for histories.
    package var nextDeadline: MonotonicInstant? {
        guard let position = positions.nextDeadline, let history = histories.nextDeadline else {
            return positions.nextDeadline ?? histories.nextDeadline
        }
        return min(position, history)
    }

    /// Lets the input continue whose position has not been reached in time.
    package mutating func endOverdue(now: MonotonicInstant) {
        guard positions.nextDeadline != nil else { return }
        come(positions.takeOverdue(now: now))
    }

    private mutating func come(_ ids: [ConnectionID]) {
        for id in ids where contains(id) { order.add(id) }
    }

    package mutating func roomCame(_ id: ConnectionID) { order.roomCame(id) }

    // MARK: Histories

    /// The number of works that wait for histories or are being done.
    package var historyWorkCount: Int { histories.count }

    /// Whether work that waits for histories or is being done needs a topic.
    package func needs(_ topic: Topic) -> Bool { histories.needs(topic) }

    /// Adds work that needs histories.
    ///
    /// - Parameters:
    ///   - topics: each topic that the work needs, and the result of its request.
    ///   - deadline: not before that of any other work.
    package mutating func add(
        _ work: HistoryQueue.Work,
        needing topics: [(topic: Topic, wait: HistoryTable.Wait?)],
        until deadline: MonotonicInstant
    ) {
        histories.add(work, needing: topics, until: deadline)
    }

    /// Takes the end of a read. Returns the work that may be done, the longest waiting first.
    package mutating func endRead(
        of topic: Topic,
        _ outcome: HistoryReadEnd.Outcome,
        at cursor: UInt64
    ) -> [HistoryQueue.Ready] {
        histories.end(topic, outcome, at: cursor)
    }

    /// Returns the work whose histories the loop has reached.
    package mutating func advance(to cursor: UInt64) -> [HistoryQueue.Ready] {
        histories.advance(to: cursor)
    }

    /// Returns the work whose histories have not come in time.
    package mutating func takeOverdue(now: MonotonicInstant) -> [HistoryQueue.Ready] {
        histories.takeOverdue(now: now)
    }

    /// Ends work. Returns the topics that no other work needs: release them.
    package mutating func finish(_ number: HistoryWaits.Number) -> [Topic] {
        histories.finish(number)
    }

    /// Notes that a slow reader waits before it catches up.
    package mutating func addReader(_ id: ConnectionID) { histories.addReader(id) }

    package mutating func removeReader(_ id: ConnectionID) { histories.removeReader(id) }

    package func hasReader(_ id: ConnectionID) -> Bool { histories.hasReader(id) }

    // MARK: Continuing

    /// The kinds of costly work for which there is time.
    package func allowance(now: Int64) -> PostponedOrder.Allowance { costs.allowance(now: now) }

    /// The time at which the first costly work may continue, in milliseconds; nil if no input waits for that.
    package func nextCostlyWork(now: Int64) -> Int64? {
        let ends = [
            order.hasCalling ? costs.calls.end(now: now) : nil,
            order.hasInflating ? costs.inflating.end(now: now) : nil,
        ]
        return ends.compactMap(\.self).min()
    }

    /// Whether input waits only for the next turn.
    ///
    /// - Parameter obstacle: why the input of a connection cannot continue; nil if it can.
    package mutating func hasNext(
        _ allowance: PostponedOrder.Allowance,
        _ obstacle: (ConnectionID, WaitingInput) -> PostponedOrder.Obstacle?
    ) -> Bool {
        next(allowance, obstacle) != nil
    }

    /// Takes the input that has waited longest of those that can continue. If it has waited for histories,
    /// they are kept until `finish`.
    package mutating func takeNext(
        _ allowance: PostponedOrder.Allowance,
        _ obstacle: (ConnectionID, WaitingInput) -> PostponedOrder.Obstacle?
    ) -> (id: ConnectionID, input: WaitingInput, histories: HistoryWaits.Number?)? {
        guard let id = next(allowance, obstacle), let input = inputs.removeValue(forKey: id) else {
            return nil
        }
        order.takeNext(allowance)
        return (id, input, histories.takeInput(of: id))
    }

    private mutating func next(
        _ allowance: PostponedOrder.Allowance,
        _ obstacle: (ConnectionID, WaitingInput) -> PostponedOrder.Obstacle?
    ) -> ConnectionID? {
        guard !inputs.isEmpty else { return nil }
        let inputs = inputs
        return order.next(allowance) { id in
            guard let input = inputs[id] else { return .gone }
            return obstacle(id, input)
        }
    }

    // MARK: Ending

    /// Drops the input of a connection that stays open until its answer is sent.
    package mutating func dropInput(of id: ConnectionID) {
        guard contains(id) else { return }
        inputs[id]!.bytes = WaitingBytes()
        inputs[id]!.actions = []
    }

    /// Forgets a connection that has ended. Returns the topics that no other work needs: release them.
    package mutating func remove(_ id: ConnectionID) -> [Topic] {
        if !lists.isEmpty { lists[id] = nil }
        if contains(id) {
            inputs[id] = nil
            order.remove(id)
        }
        return histories.remove(id)
    }
}
