import Expectations
import Glibc

@testable import varde_load

@Suite("Process usage: what the kernel says of a server", .timeLimit(.minutes(10)))
struct ProcessUsageTests {
    private let rollup = """
        5581d000-7ffd3 ---p 00000000 00:00 0    [rollup]
        Rss:                6148 kB
        Pss:                4123 kB
        Anonymous:           412 kB
        AnonHugePages:         0 kB
        """

    @Test func valueIsFoundByItsWholeName() {
        expectEqual(ProcessUsage.kilobytes("Rss", in: rollup), 6148)
        expectEqual(ProcessUsage.kilobytes("Anonymous", in: rollup), 412)
        expectNil(ProcessUsage.kilobytes("Anon", in: rollup))
        expectNil(ProcessUsage.kilobytes("Rss", in: "Rss: 12 MB"))
        expectNil(ProcessUsage.kilobytes("Rss", in: "Rss: kB"))
        expectNil(ProcessUsage.kilobytes("Rss", in: ""))
    }

    @Test func ownProcessHasTimeAndMemory() throws {
        let usage = try require(ProcessUsage.read([getpid()]))
        expect(usage.cpu > 0)
        expect(usage.resident > 1 << 20)
        expect(usage.anonymous > 0)
        expect(usage.anonymous <= usage.resident)
    }

    @Test func severalProcessesAreSummed() throws {
        let one = try require(ProcessUsage.read([getpid()]))
        let two = try require(ProcessUsage.read([getpid(), getpid()]))
        expect(two.resident > one.resident)
        expect(two.cpu > one.cpu)
    }

    @Test func processThatIsGoneMakesTheReadingNone() {
        // Above the kernel's highest process number.
        expectNil(ProcessUsage.read([getpid(), Int32.max]))
    }
}
