import Expectations
import Glibc
import SeededRandom
import Synchronization

@testable import Reactor

@Suite("EventLoop", .timeLimit(.minutes(10)))
struct EventLoopTests {
    @Test func jobsRunAfterATurn() async throws {
        let (loop, log) = try startedLoop()
        defer { loop.stop() }
        let resident = Resident(loop: loop)
        await resident.run { log.append("job") }
        let entries = log.all
        let job = try require(entries.firstIndex(of: "job"))
        expect(job > 0)
        expect(entries[..<job].allSatisfy { $0 == "turn" })
    }

    @Test func jobsRunInTheOrderOfTheirEnqueueing() async throws {
        let (loop, log) = try startedLoop()
        defer { loop.stop() }
        let resident = Resident(loop: loop)
        let jobs = await resident.spawn(100) { log.append("\($0)") }
        for job in jobs { await job.value }
        let entries = log.all.filter { $0 != "turn" }
        expectEqual(entries, (0..<100).map(String.init))
    }

    @Test func taskOfActorRunsOnItsLoop() async throws {
        let (loop, _) = try startedLoop()
        defer { loop.stop() }
        let (other, _) = try startedLoop()
        defer { other.stop() }
        let resident = Resident(loop: loop)
        let answers = await resident.run {
            [loop.isIsolatingCurrentContext(), other.isIsolatingCurrentContext()]
        }
        expectEqual(answers, [true, false])
        expectEqual(loop.isIsolatingCurrentContext(), false)
    }

    @Test func assumingIsolationOffTheLoopTraps() async {
        await #expect(processExitsWith: .failure) {
            let loop = try EventLoop(name: "test-loop")
            loop.start { _ in nil }
            assumeIsolated(Resident(loop: loop))
        }
    }

    /// A turn too many is allowed, when a wake-up comes twice; turning round until the deadline is not.
    @Test func loopTurnsWhenItsDeadlineHasCome() async throws {
        let loop = try EventLoop(name: "test-loop")
        defer { loop.stop() }
        let state = Locked<(deadline: MonotonicInstant?, earlyTurns: Int)>((nil, 0))
        let isDue = Signal()
        loop.start { _ in
            let now = MonotonicInstant.now
            return state.withLock { state in
                guard let deadline = state.deadline else {
                    state.deadline = now + .microseconds(2500)
                    return state.deadline
                }
                guard now < deadline else {
                    isDue.send()
                    return nil
                }
                state.earlyTurns += 1
                return deadline
            }
        }
        loop.wake()
        await isDue.wait()
        expect(state.withLock { $0.earlyTurns } <= 1)
    }

    @Test func deadlineInThePastTurnsAtOnce() async throws {
        let loop = try EventLoop(name: "test-loop")
        defer { loop.stop() }
        let turns = Atomic<Int>(0)
        let turned = Signal()
        loop.start { _ in
            if turns.add(1, ordering: .relaxed).newValue == 3 { turned.send() }
            return turns.load(ordering: .relaxed) < 3 ? MonotonicInstant(nanoseconds: 0) : nil
        }
        loop.wake()
        await turned.wait()
    }

    /// Threads post and pause at random while the loop falls asleep between them: a wake-up that gets
    /// lost leaves the last message where it is, and the test runs into its time limit.
    @Test(arguments: [1, 2, 3] as [UInt64])
    func noWakeUpIsLostInAStormOfPosts(seed: UInt64) async throws {
        let senderCount = 4
        let messagesPerSender = 2000
        let loop = try EventLoop(name: "test-loop")
        defer { loop.stop() }
        let mailbox = Mailbox<(sender: Int, number: Int)>(
            loop: loop,
            capacity: senderCount * messagesPerSender
        )
        let received = Locked<[[Int]]>(Array(repeating: [], count: senderCount))
        let isComplete = Signal()
        loop.start { _ in
            var batch: [(sender: Int, number: Int)] = []
            mailbox.drain(into: &batch)
            let total = received.withLock { lists in
                for message in batch { lists[message.sender].append(message.number) }
                return lists.reduce(0) { $0 + $1.count }
            }
            if total == senderCount * messagesPerSender { isComplete.send() }
            return nil
        }
        for sender in 0..<senderCount {
            onThread {
                var random = SeededGenerator(seed: seed << 8 | UInt64(sender))
                for number in 0..<messagesPerSender {
                    let isTaken = mailbox.post((sender, number))
                    precondition(isTaken)
                    if number % 16 == 0 { for _ in 0..<random.next() % 4 { sched_yield() } }
                }
            }
        }
        await isComplete.wait()
        let expected = Array(0..<messagesPerSender)
        expect(received.withLock { $0 }.allSatisfy { $0 == expected }, "seed \(seed)")
    }

    // MARK: Stopping

    @Test func stoppedLoopTurnsNoMore() async throws {
        let (loop, log) = try startedLoop()
        let resident = Resident(loop: loop)
        await resident.run { loop.stop() }
        // Only a thread that has ended leaves the job to the one who enqueues it.
        await runsHere(resident)
        let turns = log.all.count
        for _ in 0..<10 { loop.wake() }
        await resident.run {}
        expectEqual(log.all.count, turns)
    }

    @Test func lateJobsAreIsolatedToTheirLoop() async throws {
        let resident = try await stoppedResident()
        let answers = await resident.run { resident.loop.isIsolatingCurrentContext() }
        expectEqual(answers, true)
        expectEqual(resident.loop.isIsolatingCurrentContext(), false)
    }

    @Test func lateJobMayEnqueueAnother() async throws {
        let resident = try await stoppedResident()
        let depth = await resident.nest(5)
        expectEqual(depth, 5)
    }

    @Test func lateJobsRunOneAtATime() async throws {
        let resident = try await stoppedResident()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { for _ in 0..<200 { await resident.count() } }
            }
        }
        let (total, overlaps) = await (resident.total, resident.overlaps)
        expectEqual(total, 1600)
        expectEqual(overlaps, 0)
    }

    /// The loop stops somewhere among the jobs; which thread runs each is left to chance.
    @Test(arguments: 1...20) func noJobIsLostWhenTheLoopStops(round: Int) async throws {
        let (loop, _) = try startedLoop()
        let resident = Resident(loop: loop)
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<4 {
                group.addTask {
                    for number in 0..<50 {
                        if task == 0, number == round { loop.stop() }
                        await resident.count()
                    }
                }
            }
        }
        let (total, overlaps) = await (resident.total, resident.overlaps)
        expectEqual(total, 200)
        expectEqual(overlaps, 0)
    }

    @Test func loopIsFreedAfterItsThread() async throws {
        weak var freed: EventLoop?
        let ended = Signal()
        do {
            let loop = try EventLoop(name: "test-loop")
            freed = loop
            let witness = DeinitWitness(ended)
            loop.start { _ in
                withExtendedLifetime(witness) {}
                return nil
            }
            loop.stop()
        }
        await ended.wait()
        // The witness goes with the thread's closure, the loop with the last one who knew it.
        while freed != nil { sched_yield() }
    }
}

// MARK: - Support

/// An actor that lives on a loop.
private actor Resident {
    nonisolated let loop: EventLoop
    private(set) var total = 0
    private(set) var overlaps = 0
    private let isRunning = Atomic<Bool>(false)

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(loop: EventLoop) { self.loop = loop }

    func run<Value: Sendable>(_ body: @Sendable () -> Value) -> Value { body() }

    /// Enqueues `count` jobs, one after the other.
    func spawn(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) -> [Task<Void, Never>] {
        (0..<count).map { number in
            Task {
                assertIsolated()
                body(number)
            }
        }
    }

    /// A job that makes a job, `depth` deep.
    func nest(_ depth: Int) async -> Int {
        guard depth > 0 else { return 0 }
        return await Task { await self.nest(depth - 1) }.value + 1
    }

    func count() {
        if isRunning.exchange(true, ordering: .sequentiallyConsistent) { overlaps += 1 }
        total += 1
        isRunning.store(false, ordering: .sequentiallyConsistent)
    }
}

private func startedLoop() throws -> (EventLoop, Log) {
    let loop = try EventLoop(name: "test-loop")
    let log = Log()
    loop.start { _ in
        pthread_setspecific(loopThreadKey, Unmanaged.passUnretained(loop).toOpaque())
        log.append("turn")
        return nil
    }
    return (loop, log)
}

/// An actor whose loop's thread has ended.
private func stoppedResident() async throws -> Resident {
    let (loop, _) = try startedLoop()
    let resident = Resident(loop: loop)
    await resident.run { loop.stop() }
    await runsHere(resident)
    return resident
}

/// Returns when a job of the actor has run on a thread of the pool: its loop's thread turns no more.
private func runsHere(_ resident: Resident) async {
    // A task for each question: one that came back to the actor again and again would not leave the
    // loop's thread in between, and keep it from ending.
    let isOnLoopThread: @Sendable () -> Bool = { pthread_getspecific(loopThreadKey) != nil }
    while await Task.detached(operation: { await resident.run(isOnLoopThread) }).value {}
}

/// Set on the threads of the tests' loops.
private let loopThreadKey: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
}()

private func assumeIsolated(_ resident: Resident) {
    resident.assumeIsolated { _ in }
}

private func onThread(_ body: @escaping @Sendable () -> Void) {
    final class Body {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }
    var thread = pthread_t()
    pthread_create(
        &thread,
        nil,
        {
            Unmanaged<Body>.fromOpaque($0!).takeRetainedValue().run()
            return nil
        },
        Unmanaged.passRetained(Body(body)).toOpaque()
    )
    pthread_detach(thread)
}

/// What happened, from any thread, in order.
private final class Log: Sendable {
    private let state = Locked<[String]>([])

    var all: [String] { state.withLock { $0 } }

    func append(_ entry: String) {
        state.withLock { $0.append(entry) }
    }
}

/// One event that one task waits for; more sends than one are as good as one.
private final class Signal: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    func send() { continuation.finish() }

    func wait() async { for await _ in stream {} }
}

private final class DeinitWitness: Sendable {
    private let signal: Signal
    init(_ signal: Signal) { self.signal = signal }
    deinit { signal.send() }
}
