import CLinux
import Glibc
import Synchronization

/// One epoll set, the thread that waits on it, and the serial executor of the loop's actor.
///
/// A turn of the loop: wait until a descriptor is ready, a timer is due or `wake()` is called; call
/// `turn` on the loop's thread, where the actor handles all ready descriptors and sends its queued
/// output; then run the jobs that other tasks have enqueued on the actor.
///
/// The loop makes no decisions. `wake()` and `enqueue(_:)` may be called from any thread;
/// everything else only from the loop's thread.
///
/// `@unchecked Sendable`: the event buffer is written by `epoll_wait` and read in the turn that
/// follows, both on the loop's thread; the rest is immutable, atomic or locked.
package final class EventLoop: SerialExecutor, @unchecked Sendable {
    /// The maximum number of ready descriptors in one turn. More wait for the next turn.
    static let readyMax = 256

    package let name: String
    package let clock: LoopClock
    let epoll: Int32
    private let wakeDescriptor: Int32
    private let events: UnsafeMutablePointer<epoll_event>
    private let isSleeping = Atomic<Bool>(false)
    private let isPending = Atomic<Bool>(false)
    private let isStopRequested = Atomic<Bool>(false)
    private let jobs = Locked<Jobs>(Jobs())

    private struct Jobs {
        var waiting: [UnownedJob] = []
        /// The loop's thread has ended.
        var hasStopped = false
        /// A thread runs the jobs of the stopped loop, until none is left.
        var isRunningLate = false
    }

    /// The epoll data of the wake-up descriptor.
    static let wakeToken = UInt64.max

    package init(name: String, clock: LoopClock = .system) throws(SystemError) {
        self.name = name
        self.clock = clock
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard epoll >= 0 else { throw SystemError("epoll_create1") }
        wakeDescriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard wakeDescriptor >= 0 else {
            let error = SystemError("eventfd")
            close(epoll)
            throw error
        }
        events = .allocate(capacity: EventLoop.readyMax)
        var event = epoll_event(
            events: EPOLLIN.rawValue | EPOLLET.rawValue,
            data: epoll_data_t(u64: EventLoop.wakeToken)
        )
        guard epoll_ctl(epoll, EPOLL_CTL_ADD, wakeDescriptor, &event) == 0 else {
            throw SystemError("epoll_ctl")
        }
    }

    deinit {
        events.deallocate()
        close(wakeDescriptor)
        close(epoll)
    }

    /// Starts the loop's thread. It calls `turn` with the number of ready descriptors; `turn`
    /// returns the latest time of the next call, or nil to wait for an event.
    package func start(turn: @escaping @Sendable (Int) -> MonotonicInstant?) {
        let isStarted = startDetachedThread(name: name) { [self] in
            setCurrentLoop(Unmanaged.passUnretained(self).toOpaque())
            run(turn: turn)
        }
        precondition(isStarted, "no thread for event loop \(name)")
    }

    /// Ends the thread after the current turn. Later jobs run on their caller's thread, one at a
    /// time.
    package func stop() {
        isStopRequested.store(true, ordering: .sequentiallyConsistent)
        wake()
    }

    /// Makes the loop take another turn soon. Cheap when it is awake.
    package func wake() {
        // The loop stores isSleeping and then reads isPending; here the order is reversed. With one
        // total order over the four operations at least one side sees the other, so no wake-up is
        // lost.
        isPending.store(true, ordering: .sequentiallyConsistent)
        if isSleeping.exchange(false, ordering: .sequentiallyConsistent) {
            var one: UInt64 = 1
            _ = write(wakeDescriptor, &one, MemoryLayout<UInt64>.size)
        }
    }

    /// Returns the `index`-th ready descriptor of the current turn: its token and its events.
    func ready(_ index: Int) -> (token: UInt64, flags: UInt32) {
        assert(isCurrent)
        let event = events[index]
        return (event.data.u64, event.events)
    }

    private func run(turn: (Int) -> MonotonicInstant?) {
        var deadline: MonotonicInstant?
        while !isStopRequested.load(ordering: .sequentiallyConsistent) {
            let count = wait(until: deadline)
            deadline = turn(count)
            runJobs()
        }
        jobs.withLock {
            $0.hasStopped = true
            $0.isRunningLate = true
        }
        runLateJobs()
        setCurrentLoop(nil)
    }

    private func wait(until deadline: MonotonicInstant?) -> Int {
        isSleeping.store(true, ordering: .sequentiallyConsistent)
        let isAwake = isPending.exchange(false, ordering: .sequentiallyConsistent)
        let timeout = isAwake ? 0 : deadline.map(milliseconds(until:)) ?? -1
        let count = epoll_wait(epoll, events, Int32(EventLoop.readyMax), timeout)
        isSleeping.store(false, ordering: .sequentiallyConsistent)
        // EINTR is the only error left with a valid set and buffer; it counts as an empty turn.
        return max(0, Int(count))
    }

    // MARK: By hand

    /// Takes one turn on the calling thread, without waiting. For a loop whose thread is not
    /// started: simulations drive several loops in their own order.
    package func step(turn: (Int) -> MonotonicInstant?) -> MonotonicInstant? {
        perform {
            let deadline = turn(wait(until: MonotonicInstant(nanoseconds: 0)))
            runJobs()
            return deadline
        }
    }

    /// Runs `body` as if the calling thread were the loop's. For a loop whose thread is not
    /// started.
    package func perform<Answer>(_ body: () -> Answer) -> Answer {
        let outer = currentLoop()
        setCurrentLoop(Unmanaged.passUnretained(self).toOpaque())
        defer { setCurrentLoop(outer) }
        return body()
    }

    /// Rounded up, so that the loop does not wake just before the deadline and spin until it.
    private func milliseconds(until deadline: MonotonicInstant) -> Int32 {
        let nanoseconds = deadline.nanoseconds - clock.now.nanoseconds
        guard nanoseconds > 0 else { return 0 }
        return Int32(clamping: (nanoseconds + 999_999) / 1_000_000)
    }

    // MARK: The executor

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // The job may hold the last reference to the loop, and may be run before this returns.
        let retained = Unmanaged.passRetained(self)
        defer { retained.release() }
        let isRunner = jobs.withLock {
            $0.waiting.append(job)
            guard $0.hasStopped, !$0.isRunningLate else { return false }
            $0.isRunningLate = true
            return true
        }
        isRunner ? runLateJobs() : wake()
    }

    package func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }

    package func isIsolatingCurrentContext() -> Bool? { isCurrent }

    package func checkIsolated() {
        precondition(isCurrent, "not on event loop \(name)")
    }

    private var isCurrent: Bool { currentLoop() == Unmanaged.passUnretained(self).toOpaque() }

    private func runJobs() {
        let waiting = jobs.withLock { jobs in
            defer { jobs.waiting.removeAll(keepingCapacity: true) }
            return jobs.waiting.isEmpty ? [] : jobs.waiting
        }
        for job in waiting {
            job.runSynchronously(on: asUnownedSerialExecutor())
        }
    }

    /// Runs the jobs of a stopped loop on the calling thread, which has set `isRunningLate`: one
    /// thread at a time, and without a lock, because a job may enqueue another.
    private func runLateJobs() {
        perform {
            while hasLateJobs() { runJobs() }
        }
    }

    private func hasLateJobs() -> Bool {
        jobs.withLock {
            if $0.waiting.isEmpty { $0.isRunningLate = false }
            return $0.isRunningLate
        }
    }
}

/// The loop of the calling thread, in our own thread-specific slot: glibc declares `pthread_self`
/// const, so the compiler hoists it over suspension points, and a comparison with it fails on the
/// right thread.
private let currentLoopKey: pthread_key_t = {
    var key = pthread_key_t()
    let result = pthread_key_create(&key, nil)
    precondition(result == 0, "pthread_key_create failed with \(result)")
    return key
}()

private func currentLoop() -> UnsafeMutableRawPointer? {
    pthread_getspecific(currentLoopKey)
}

private func setCurrentLoop(_ loop: UnsafeMutableRawPointer?) {
    pthread_setspecific(currentLoopKey, loop)
}
