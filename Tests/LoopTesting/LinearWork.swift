import Base
import Expectations

/// Checks that twice the input takes twice the work.
///
/// - Parameter prepare: makes an input of as many units, and returns the function to measure.
package func expectLinearWork(
    _ name: String,
    units: Int = 40,
    _ prepare: (_ units: Int) throws -> () throws -> Void
) throws {
    // What is made once for inputs of this size, such as the runtime's descriptions of types.
    _ = try Work(of: try prepare(8 * units))
    // A piece that the kernel delivers late is work of another turn, so one measurement may be off.
    // What grows faster does so each time.
    var growths: [WorkGrowth] = []
    repeat {
        growths.append(try WorkGrowth(units: units, prepare))
    } while growths.last?.excess != nil && growths.count < 3
    expectNil(growths.last?.excess, "\(name): \(growths)")
}

/// Executes a task on the calling thread, so that its work can be counted.
package final class CallingThread: TaskExecutor {
    private let jobs = Locked<[UnownedJob]>([])

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
    }

    /// Returns when the function has. It fails if the function waits for another thread, whose work would
    /// not be counted.
    package static func run(_ body: @escaping @Sendable () async -> Void) {
        let thread = CallingThread()
        let isOver = Locked(false)
        Task(executorPreference: thread) {
            await body()
            isOver.withLock { $0 = true }
        }
        while let job = thread.jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
            job.runSynchronously(on: thread.asUnownedTaskExecutor())
        }
        expect(isOver.withLock { $0 }, "waits for another thread")
    }
}
