import Glibc
import Testing

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
        #expect(ProcessUsage.kilobytes("Rss", in: rollup) == 6148)
        #expect(ProcessUsage.kilobytes("Anonymous", in: rollup) == 412)
        #expect(ProcessUsage.kilobytes("Anon", in: rollup) == nil)
        #expect(ProcessUsage.kilobytes("Rss", in: "Rss: 12 MB") == nil)
        #expect(ProcessUsage.kilobytes("Rss", in: "Rss: kB") == nil)
        #expect(ProcessUsage.kilobytes("Rss", in: "") == nil)
    }

    @Test func ownProcessHasTimeAndMemory() throws {
        let usage = try #require(ProcessUsage.read([getpid()]))
        #expect(usage.cpu > 0)
        #expect(usage.resident > 1 << 20)
        #expect(usage.anonymous > 0)
        #expect(usage.anonymous <= usage.resident)
    }

    @Test func severalProcessesAreSummed() throws {
        let one = try #require(ProcessUsage.read([getpid()]))
        let two = try #require(ProcessUsage.read([getpid(), getpid()]))
        #expect(two.resident > one.resident)
        #expect(two.cpu > one.cpu)
    }

    @Test func processThatIsGoneMakesTheReadingNone() {
        // Above the kernel's highest process number.
        #expect(ProcessUsage.read([getpid(), Int32.max]) == nil)
    }
}
