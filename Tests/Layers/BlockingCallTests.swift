import Expectations

/// A blocked thread of the cooperative pool can wait for work that needs that thread: then nothing
/// goes on, on a machine with one core at the first such call.
@Suite("Style: no blocking call on the cooperative pool", .timeLimit(.minutes(10)))
struct BlockingCallTests {
    /// Calls that block the thread until another one has done something. `Locked` is not among
    /// them: no lock is held while calling out.
    private let calls: [(name: String, pattern: Regex<Substring>)] = [
        // Every form of GRDB's access, `async` ones too: those keep the connection until a
        // cooperative thread resumes the caller. `asyncRead` and `asyncWriteWithoutTransaction` do
        // not.
        (
            "database",
            /\b[pP]ool\.(?:read|write|writeWithoutTransaction|barrier\w*|unsafe\w*|close)\b/
        ),
        ("queue", /\.sync *(?:\{|\((?:execute|flags):)/),
        ("semaphore", /\bDispatchSemaphore\b/),
        ("group", /\bDispatchGroup\b/),
        ("thread", /\bpthread_(?:join|cond_\w*wait)\b/),
        ("sleep", /\b(?:usleep|nanosleep|Thread\.sleep)\b/),
        ("opening", /\bHubStore\(/),
    ]

    /// Which file may make which call how often, and why that is safe.
    private static let allowed: [String: (count: Int, reason: String)] = [
        "Sources/Store/Engine/SQLiteEngine.swift database": (
            1, "`close` on a thread of its own"
        ),
        "Sources/Store/Engine/SQLiteEngine+Opening.swift database": (
            1, "`init`, which blocks"
        ),
        "Sources/Store/HubStore+Opening.swift opening": (1, "on a thread of its own"),
        "Sources/Store/MemoryLane.swift queue": (
            1, "the writer's queue, for what the lane has under way and never waits"
        ),
        "Sources/Store/Cluster/NodeKeeper.swift sleep": (1, "`init`, which blocks"),
        "Sources/Store/Session/PostgresSession+Fate.swift sleep": (
            1, "the writer's queue, which has nothing else to do"
        ),
        "Sources/Store/Integrity/StoreWatch.swift semaphore": (1, "on a thread of its own"),
        "Sources/Service/LogOutput/LogWriter.swift semaphore": (
            1, "the last lines before the end, for a bounded time"
        ),
    ]

    @Test func sourcesBlockOnlyWhereItIsAllowed() throws {
        var found: [String: Int] = [:]
        for file in try SourceTree.read().files where file.isSwift {
            for (name, count) in blockingCalls(file.text) {
                found["\(file.path) \(name)", default: 0] += count
            }
        }
        for (place, count) in found {
            expect(count <= Self.allowed[place]?.count ?? 0, "\(place)")
        }
    }

    @Test func everyFormIsFound() {
        for text in [
            "try pool.read { }", "try await pool.read(body)", "pool.writeWithoutTransaction { }",
            "pool.close()", "queue.sync { }", "queue.sync(execute: body)",
            "DispatchSemaphore(value: 0)", "pthread_join(thread, nil)", "usleep(1)",
            "try HubStore(options, wall: wall)",
        ] {
            expectEqual(blockingCalls(text).map(\.count), [1], "\(text)")
        }
        for text in [
            "pool.asyncRead { }", "pool.asyncWriteWithoutTransaction { }", "// pool.read { }",
            "extension HubStore {", "fsync(descriptor)", "mark.sync()",
        ] {
            expect(blockingCalls(text).isEmpty, "\(text)")
        }
    }

    /// A word of every pattern: the lines with none of them are most, and a search for words is
    /// fast.
    private static let words = [
        "ool.", ".sync", "Dispatch", "pthread_", "sleep", "HubStore(",
    ]

    private func blockingCalls(_ text: String) -> [(name: String, count: Int)] {
        let code = text.split(separator: "\n").filter { line in
            Self.words.contains { line.contains($0) }
                && !line.drop { $0 == " " }.hasPrefix("//")
        }.joined(separator: "\n")
        return calls.compactMap { call in
            let count = code.matches(of: call.pattern).count
            return count == 0 ? nil : (call.name, count)
        }
    }
}
