/// The log of everyone, on the node that leads: restores it, compares it with the reports of all nodes,
/// and commits the events.
///
/// **Transactions.** The number and the state of each log change in the transaction of the event, with
/// its webhooks. A hub that was killed continues from the rows.
///
/// **Failures.** Changes that the store does not take for now are committed later, and meanwhile the
/// book joins what follows (`LifecycleBook`). A change that it never takes is left out, and logged. A
/// commit returns when its outcome is certain (`HubStore.commit`).
final class LifecycleLeader: DomainService {
    private struct State {
        /// Nil before the logs are read, and after the end.
        var book: LifecycleBook?
        var lists = PartialLists()
    }

    /// The subjects in one transaction, each with up to two changes: other writers wait for at most these.
    private static let subjectsMax = 16
    /// After a commit, others have the store at least as long as the commit took, up to this.
    private static let restMax = Duration.seconds(1)
    /// The time that a report takes from another node.
    private static let slack = Duration.milliseconds(500)
    private static let retryPause = Duration.seconds(1)
    /// The interval at which the leader looks which nodes live.
    private static let livingPause = Duration.seconds(1)
    private static let trimPause = Duration.seconds(60)
    /// The pauses after which processes that have not answered are asked again.
    private static let askingAgain = 5
    /// The pauses after which they are no longer waited for.
    private static let awaitingMax = 60

    private let node: LifecycleNode
    private let store: HubStore
    private let outbox: OutboxRouter
    private let lastSeen: Duration
    private let logger: Logger
    private let alarm = Alarm()
    private let state = Locked(State())

    init(_ node: LifecycleNode, _ hub: HubContext, lastSeen: Duration) {
        self.node = node
        store = hub.store
        outbox = hub.outbox
        self.lastSeen = lastSeen
        logger = hub.logger
    }

    func add(to routes: inout Routes, _ context: RouteContext) {}

    // MARK: Reports

    func take(_ report: NodeAttendance.Report, of process: String) {
        state.withLock { $0.book?.apply(report, of: process, now: HubClock.wall) }
        alarm.ring()
    }

    func take(_ message: LifecycleMessage) {
        state.withLock { state in
            switch message.content {
            case .wanted: break
            case .changes(let changes):
                state.book?.apply(.changes(changes), of: message.process, now: HubClock.wall)
            case .everyone(let part, let index, let isLast):
                let list = state.lists.add(part, index: index, isLast, of: message.process)
                guard let all = list else { return }
                state.book?.apply(.everyone(all), of: message.process, now: HubClock.wall)
            }
        }
        alarm.ring()
    }

    // MARK: Work

    func run() async {
        guard await restore() else { return }
        // Before the others are asked, so that their answers are taken.
        node.connect(self)
        await withTaskGroup { group in
            group.addTask { await self.commitChanges() }
            group.addTask { await self.trim() }
            if self.store.isShared { group.addTask { await self.followNodes() } }
        }
        // The ends of the connections that the hub has closed.
        while await node.report() {}
        while await commitNext() == .committed {}
        node.connect(nil)
        state.withLock { $0.book = nil }
    }

    /// Reads the logs. Returns false if the task was cancelled.
    private func restore() async -> Bool {
        var isReported = false
        while !Task.isCancelled {
            do {
                let present = try await store.read(LifecycleTables.self) { try $0.present() }
                let living = store.isShared ? try await store.livingProcesses() : []
                let book = LifecycleBook(
                    leaveAfter: node.leaveAfter,
                    slack: store.isShared ? Self.slack : .zero,
                    present: present,
                    awaited: living.union([node.process]),
                    now: HubClock.wall
                )
                state.withLock { $0.book = book }
                return true
            } catch {
                if !isReported {
                    logger.warning("lifecycle logs not read", metadata: ["err": "\(error)"])
                }
                isReported = true
                try? await Task.sleep(for: Self.retryPause)
            }
        }
        return false
    }

    // MARK: Other nodes

    /// Removes the processes that have ended. Asks for lists of the subjects on all nodes when a process begins,
    /// when one continues that was regarded as ended, and while one has not answered.
    private func followNodes() async {
        var (asked, pauses) = (Set<String>(), 0)
        repeat {
            guard let living = try? await store.livingProcesses() else { continue }
            end(notIn: living)
            let awaited = state.withLock { $0.book?.awaited ?? [] }
            pauses = awaited.isEmpty ? 0 : pauses + 1
            if pauses > Self.awaitingMax { giveUp(on: awaited) }
            let isAgain = pauses > 0 && pauses.isMultiple(of: Self.askingAgain)
            let isDue = isAgain || !living.isSubset(of: asked)
            if isDue { guard (try? await askForEveryone()) != nil else { continue } }
            asked = living
        } while (try? await Task.sleep(for: Self.livingPause)) != nil
    }

    private func end(notIn living: Set<String>) {
        state.withLock { state in
            let known = state.book.map { $0.processes.union($0.awaited) } ?? []
            let ended = known.subtracting(living)
            for process in ended where process != node.process {
                state.book?.end(process, now: HubClock.wall)
                state.lists.drop(process)
            }
        }
        alarm.ring()
    }

    /// A node of another version, for instance, has no attendance.
    private func giveUp(on processes: Set<String>) {
        logger.warning(
            "nodes do not report their clients",
            metadata: ["processes": "\(processes.sorted().joined(separator: " "))"]
        )
        state.withLock { $0.book?.awaitNoLonger() }
        alarm.ring()
    }

    private func askForEveryone() async throws {
        try await store.tell(try LifecycleMessage(process: node.process, content: .wanted).note())
    }

    // MARK: Maintenance

    private func trim() async {
        while (try? await Task.sleep(for: Self.trimPause)) != nil {
            let (now, lastSeen) = (HubClock.wall, lastSeen)
            let end = try? await store.read(LifecycleTables.self) {
                try $0.expiry(lastSeen: lastSeen, now: now, countMax: LifecycleTables.awayMax)
            }
            guard let end else { continue }
            _ = try? await store.deletingInBatches(
                LifecycleTables.deleteExpired,
                [end.milliseconds]
            )
            let lost = now - LifecycleTables.lostKept
            _ = try? await store.deletingInBatches(
                LifecycleTables.deleteLost,
                [lost.milliseconds]
            )
        }
    }

    // MARK: Commits

    private func commitChanges() async {
        while !Task.isCancelled {
            let start = ContinuousClock.now
            switch await commitNext() {
            case .committed: try? await Task.sleep(for: min(.now - start, Self.restMax))
            case .nothing:
                let isIdle = state.withLock { $0.book?.isIdle ?? true }
                if isIdle {
                    await alarm.wait()
                } else {
                    await alarm.wait { try await Task.sleep(for: LifecycleNode.checking) }
                }
            case .cancelled: return
            }
        }
    }

    private enum Outcome {
        case committed
        case nothing
        /// The changes are not committed.
        case cancelled
    }

    private func commitNext() async -> Outcome {
        let (changes, leftOut) = state.withLock {
            (
                $0.book?.take(countMax: Self.subjectsMax, now: HubClock.wall) ?? [],
                $0.book?.takeLeftOutCount() ?? 0
            )
        }
        if leftOut > 0 {
            node.counts.withLock { $0.leftOut += leftOut }
            logger.warning(
                "visits are in no lifecycle event: too many wait for the store",
                metadata: ["visits": .stringConvertible(leftOut)]
            )
        }
        return changes.isEmpty ? .nothing : await commitAll(changes)
    }

    /// Commits the changes when the store takes them. One that it never takes is left out.
    private func commitAll(_ changes: [LifecycleChange]) async -> Outcome {
        var failure: StoreError.Code?
        while true {
            do {
                try await commit(changes)
                return .committed
            } catch let error as StoreError where error.mayPass {
                if failure != error.code {
                    logger.warning("lifecycle events wait", metadata: ["err": "\(error)"])
                }
                failure = error.code
                guard (try? await Task.sleep(for: Self.retryPause)) != nil else {
                    return .cancelled
                }
            } catch {
                guard changes.count == 1 else { return await commitEach(changes) }
                logger.error(
                    "lifecycle event not committed",
                    metadata: [
                        "type": "\(changes[0].subject.kind.eventType(isThere: changes[0].isThere))",
                        "err": "\(error)",
                    ]
                )
                return .committed
            }
        }
    }

    /// Commits each change by itself, because one of them is at fault.
    private func commitEach(_ changes: [LifecycleChange]) async -> Outcome {
        for change in changes {
            guard await commitAll([change]) == .committed else { return .cancelled }
        }
        return .committed
    }

    private func commit(_ changes: [LifecycleChange]) async throws {
        let outbox = outbox
        let length = changes.count * 512
        let (hasDeliveries, types) = try await store.commit(
            LifecycleTables.self,
            length: length
        ) { tables in
            var (change, types) = (Change(), [String: Int]())
            for entry in changes {
                guard let added = try tables.add(entry) else { continue }
                let wall = HubClock.wall
                let event = entry.event(
                    sequence: added.sequence,
                    at: added.time,
                    id: uuidVersion7(wall: wall, random: randomBytes(uuidRandomLength))
                )
                let topic = try entry.topic
                types[event.type, default: 0] += 1
                change.events.append(TopicEvent(topic: topic, event: event, tags: entry.tags))
                change.deliveries += outbox.deliveries(
                    of: event,
                    topic: topic,
                    tags: entry.tags,
                    wall: wall
                )
            }
            return (change, (!change.deliveries.isEmpty, types))
        }
        node.counts.withLock { $0.events.merge(types, uniquingKeysWith: +) }
        if hasDeliveries { outbox.wake() }
    }

    // MARK: Users

    var userData: [UserDataSection] {
        [
            UserDataSection("lifecycle", tables: ["lifecycle"]) { [store] user, after, limit in
                let rows = try await store.read(LifecycleTables.self) { try $0.rows(of: user) }
                return rows.enumerated().dropFirst(after).prefix(limit).map { index, row in
                    var json = JSONWriter()
                    json.object {
                        let kind = UInt8(exactly: row.kind).flatMap(LifecycleKind.init(rawValue:))
                        $0.field("kind", kind.map { "\($0)" } ?? "\(row.kind)")
                        $0.field("name", row.name)
                        $0.field("is_there", row.isThere)
                        $0.field("changed_at", row.changedAt.iso8601)
                    }
                    return UserDataRow(key: index + 1, json: json.bytes)
                }
            }
        ]
    }

    func forget(_ user: String) async throws {
        state.withLock { $0.book?.forget(user) }
        try await LifecycleTables.forget(user, in: store)
        outbox.wake()
    }
}
