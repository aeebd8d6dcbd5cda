import Reactor
import Service

/// The counts of a loop for the statistics of the hub. Unlike `LoopCounters`, it has no labels, and
/// costs one pass over the table of connections.
package struct LoopSample: Sendable, Equatable {
    /// Connections that receive publications.
    package var connections = 0
    package var subscriptions = 0
    package var topics = 0
    /// Connections that have more than half of `limits.queue_bytes` to read, or whose subscriptions
    /// are held until they have read their queue.
    package var slow = 0
    /// Since the start, as in `LoopCounters`.
    package var publications: UInt64 = 0
    package var deliveries: UInt64 = 0
    package var bytesReceived: UInt64 = 0
    package var bytesSent: UInt64 = 0
    /// Publications that slow readers lost: dropped, conflated or expired.
    package var dropped: UInt64 = 0
    package var publishToWrite = Histogram(.times)
    package var pingRoundTrip = Histogram(.times)
    /// The longest turn since the sample before; nil if there was none.
    package var longestTurn: Duration?
    /// Event streams that read `Topic.stats`.
    package var statsReaders = 0

    package init() {}
}

extension LoopSample {
    /// Takes a sample of a loop's tables. Resets the longest turn.
    init(
        taking turn: inout Turn,
        _ hub: borrowing LoopTopics,
        _ connections: borrowing Connections,
        _ sessions: [Session],
        queueBytesMax: Int
    ) {
        self.init()
        var open = OpenConnections()
        for session in sessions { open.count(session) }
        self.connections = open.clients
        subscriptions = hub.subscriptionCount
        topics = hub.topicCount
        for (id, _) in connections.backlogs()
        where connections.queuedBytes(id) > queueBytesMax / 2
            || LoopSample.isHeld(Int32(id.index), hub)
        {
            slow += 1
        }
        publications = turn.counters.published.values.reduce(0, +)
        deliveries = turn.counters.deliveries
        let bytes = connections.snapshot()
        bytesReceived = bytes.bytesReceived
        bytesSent = bytes.bytesSent
        dropped = turn.counters.dropped + turn.counters.conflated + turn.counters.expired
        publishToWrite = turn.counters.publishToWrite
        pingRoundTrip = turn.counters.pingRoundTrip
        longestTurn = turn.takeLongest()
        statsReaders = hub.subscriberCount(of: .stats)
    }

    /// - Complexity: O(subscriptions of the reader).
    private static func isHeld(_ place: Int32, _ hub: borrowing LoopTopics) -> Bool {
        for topic in hub.topics(of: place) where hub.form(of: place, in: topic) == .held {
            return true
        }
        return false
    }
}

extension Transport {
    /// Takes a sample of each loop, in the order of the loops. Nil if the task was cancelled: loops
    /// that have stopped do not answer.
    package func takeSamples() async -> [LoopSample]? {
        let answers = Locked(Answers(count: loops.count))
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard answers.withLock({ $0.wait(continuation) }) else { return }
                for (index, loop) in loops.enumerated() {
                    let work = LoopMessage.Work { loop in
                        let sample = loop.takeSample()
                        answers.withLock { $0.take(sample, of: index) }?.resume()
                    }
                    let isTaken = loop.mailbox.post(.work(work))
                    precondition(isTaken, "loop \(loop.eventLoop.name) has stopped taking messages")
                }
            }
        } onCancel: {
            answers.withLock { $0.cancel() }?.resume()
        }
    }

    /// The samples of the loops that have answered, and the task that waits for the others.
    private struct Answers {
        private var samples: [LoopSample?]
        private var waiting: CheckedContinuation<[LoopSample]?, Never>?
        private var isCancelled = false

        /// A waiting task and its result, to be resumed outside of the lock.
        struct End {
            let waiting: CheckedContinuation<[LoopSample]?, Never>
            let samples: [LoopSample]?

            func resume() { waiting.resume(returning: samples) }
        }

        init(count: Int) { samples = [LoopSample?](repeating: nil, count: count) }

        /// Returns false, and resumes the task, if it was cancelled before.
        mutating func wait(_ task: CheckedContinuation<[LoopSample]?, Never>) -> Bool {
            guard !isCancelled else {
                task.resume(returning: nil)
                return false
            }
            waiting = task
            return true
        }

        mutating func take(_ sample: LoopSample, of loop: Int) -> End? {
            samples[loop] = sample
            guard let waiting, samples.allSatisfy({ $0 != nil }) else { return nil }
            self.waiting = nil
            return End(waiting: waiting, samples: samples.compactMap(\.self))
        }

        mutating func cancel() -> End? {
            isCancelled = true
            defer { waiting = nil }
            return waiting.map { End(waiting: $0, samples: nil) }
        }
    }
}
