import Expectations

@testable import Service

@Suite("Fair reads", .timeLimit(.minutes(10)))
struct FairReadsTests {
    private let ann = Array("ann".utf8)
    private let bob = Array("bob".utf8)

    @Test(arguments: [(1, 1), (2, 1), (3, 2), (64, 2)])
    func fewerRunThanThereAreCores(cores: Int, expected: Int) {
        expectEqual(FairReads.atOnce(cores: cores), expected)
    }

    @Test func errorsOfAReadAreItsOwnAndGiveThePlaceBack() async throws {
        struct Failure: Error {}
        let reads = FairReads(atOnce: 1)
        await #expect(throws: Failure.self) {
            try await reads.run(for: ann) { () async throws -> Int in throw Failure() }
        }
        try await expectEqual(reads.run(for: ann) { 7 }, 7)
    }

    /// One holds the place; more wait than one may have. Only those are refused.
    @Test func userWithTooManyWaitingIsRefusedAndOthersAreNot() async throws {
        let reads = FairReads(atOnce: 1)
        let (held, release) = AsyncStream<Void>.makeStream()
        let (begun, begin) = AsyncStream<Void>.makeStream()
        let order = Locked<[String]>([])
        let refused = Locked(0)
        await withTaskGroup { group in
            group.addTask {
                try? await reads.run(for: [0]) {
                    begin.yield()
                    for await _ in held { break }
                }
            }
            for await _ in begun { break }
            for _ in 0..<(FairReads.lineMax + 5) {
                group.addTask {
                    do {
                        try await reads.run(for: ann) { order.withLock { $0.append("ann") } }
                    } catch { refused.withLock { $0 += 1 } }
                }
            }
            while refused.withLock({ $0 }) < 5 { await Task.yield() }
            let (asked, ask) = AsyncStream<Void>.makeStream()
            group.addTask {
                ask.yield()
                try? await reads.run(for: bob) { order.withLock { $0.append("bob") } }
            }
            for await _ in asked { break }
            while await reads.waitingCount < FairReads.lineMax + 1 { await Task.yield() }
            release.finish()
        }
        expectEqual(refused.withLock { $0 }, 5)
        let found = order.withLock { $0 }
        expectEqual(found.count, FairReads.lineMax + 1)
        expect(found.prefix(2).contains("bob"))
    }
}
