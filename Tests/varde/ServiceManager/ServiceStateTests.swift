import Expectations
import Reactor

@testable import varde

@Suite("The service manager's protocol", .timeLimit(.minutes(10)))
struct ServiceStateTests {
    @Test func statesAreLinesOfAssignments() {
        expectEqual(ServiceState.alive.text, "WATCHDOG=1\n")
        expect(ServiceState.stopping.text.hasPrefix("STOPPING=1\n"))
        expect(
            ServiceState.reloading(monotonicMicroseconds: 17).text
                .hasPrefix("RELOADING=1\nMONOTONIC_USEC=17\n")
        )
        expectEqual(ServiceState.ready(status: "a b").text, "READY=1\nSTATUS=a b\n")
    }

    @Test func statusAddsNoLine() {
        let text = ServiceState.ready(status: "a\nSTOPPING=1").text
        expectEqual(text, "READY=1\nSTATUS=a STOPPING=1\n")
        expectEqual(ServiceState.ready(status: String(repeating: "x", count: 600)).text.count, 528)
    }

    @Test func watchdogIsAskedForInHalfOfItsTime() {
        let asked = WatchdogInterval(["WATCHDOG_USEC": "10000000"], process: 7)
        expectEqual(asked?.pause, .seconds(5))
        let pid = ["WATCHDOG_USEC": "10000000", "WATCHDOG_PID": "8"]
        expectNil(WatchdogInterval(pid, process: 7))
        expect(WatchdogInterval(pid, process: 8) != nil)
        for wrong in ["", "0", "1", "-5", "x", "99999999999999999999"] {
            expectNil(WatchdogInterval(["WATCHDOG_USEC": wrong], process: 7))
        }
        expectNil(WatchdogInterval([:], process: 7))
    }

    @Test func descriptorsOfOthersAreLeftAlone() throws {
        func count(_ count: String?, _ pid: String?) throws -> Int {
            var environment: [String: String] = [:]
            environment["LISTEN_FDS"] = count
            environment["LISTEN_PID"] = pid
            return try InheritedListeners.count(in: environment, process: 7)
        }
        try expectEqual(count("2", "7"), 2)
        try expectEqual(count("64", "7"), 64)
        try expectEqual(count("2", "8"), 0)
        try expectEqual(count("2", nil), 0)
        try expectEqual(count(nil, "7"), 0)
        for wrong in ["65", "-1", "x", ""] {
            #expect(throws: SystemError.self) { try count(wrong, "7") }
        }
    }
}
