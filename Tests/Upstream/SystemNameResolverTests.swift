import Expectations
import Glibc
import Reactor

@testable import Upstream

@Suite("System name resolver", .timeLimit(.minutes(10)))
struct SystemNameResolverTests {
    @Test func askersOfOneNameShareALookUp() async throws {
        let gate = Gate()
        let asked = Counter()
        let resolver = SystemNameResolver(threadsMax: 4) { name in
            asked.increment()
            gate.waitBlocking()
            return .failure(NameResolutionError(name))
        }
        let answers = Counter()
        for _ in 0..<10 {
            resolver.resolve("a.test") { result in
                expectEqual(result.failure, NameResolutionError("a.test"))
                answers.increment()
            }
        }
        await asked.wait(for: 1)
        gate.open()
        await answers.wait(for: 10)
        expectEqual(asked.count, 1)
    }

    @Test func nameIsLookedUpAgainForTheNextAsker() async throws {
        let asked = Counter()
        let resolver = SystemNameResolver(threadsMax: 1) { _ in
            asked.increment()
            return .success([])
        }
        for count in 1...3 {
            try await expect(resolver.addresses(of: "a.test").isEmpty)
            expectEqual(asked.count, count)
        }
    }

    @Test func nameThatHangsDoesNotBlockAnother() async throws {
        let gate = Gate()
        let hanging = Counter()
        let resolver = SystemNameResolver(threadsMax: 2) { name in
            if name == "hangs.test" {
                hanging.increment()
                gate.waitBlocking()
            }
            return .failure(NameResolutionError(name))
        }
        let answers = Counter()
        for _ in 0..<5 { resolver.resolve("hangs.test") { _ in answers.increment() } }
        await hanging.wait(for: 1)
        for number in 0..<5 {
            await #expect(throws: NameResolutionError("\(number).test")) {
                try await resolver.addresses(of: "\(number).test")
            }
        }
        expectEqual(answers.count, 0)
        gate.open()
        await answers.wait(for: 5)
    }

    @Test(arguments: [1, 3])
    func namesBeyondTheThreadsWaitForOne(threadsMax: Int) async throws {
        let gate = Gate()
        let running = Counter()
        let order = RequestLog()
        let peak = Locked(0)
        let resolver = SystemNameResolver(threadsMax: threadsMax) { name in
            let count = running.increment()
            order.append(name)
            peak.withLock { $0 = max($0, count) }
            gate.waitBlocking()
            running.increment(by: -1)
            return .failure(NameResolutionError(name))
        }
        let answers = Counter()
        for number in 0..<20 {
            resolver.resolve("\(number).test") { result in
                expectEqual(result.failure, NameResolutionError("\(number).test"))
                answers.increment()
            }
        }
        await running.wait(for: threadsMax)
        gate.open()
        await answers.wait(for: 20)
        expectEqual(peak.withLock { $0 }, threadsMax)
        expectEqual(order.targets.count, 20)
        if threadsMax == 1 { expectEqual(order.targets, (0..<20).map { "\($0).test" }) }
    }

    /// A thread holds the resolver, which is freed when the last one has ended.
    @Test func threadsEndWhenNoNameWaits() async throws {
        weak var freed: SystemNameResolver?
        do {
            let resolver = SystemNameResolver(threadsMax: 2) { _ in .success([]) }
            freed = resolver
            for number in 0..<5 { _ = try await resolver.addresses(of: "\(number).test") }
        }
        while freed != nil { await Task.yield() }
    }

    @Test func askerMayAskAgainInItsAnswer() async throws {
        let done = Gate()
        let resolver = SystemNameResolver(threadsMax: 1) { _ in .success([]) }
        resolver.resolve("a.test") { _ in
            resolver.resolve("a.test") { _ in done.open() }
        }
        await done.wait()
    }

    /// The hosts file has it on every machine.
    @Test func localhostIsFound() async throws {
        let addresses = try await SystemNameResolver().addresses(of: "localhost")
        expect(!addresses.isEmpty)
        expect(addresses.allSatisfy { $0.isLoopback && $0.port == 0 })
    }

    @Test(arguments: ["", "a\0b", "..", "a b"])
    func textThatIsNoNameIsAnError(name: String) async throws {
        await #expect(throws: NameResolutionError.self) {
            try await SystemNameResolver().addresses(of: name)
        }
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
