import ClientWire
import Expectations
import LoopTesting
import Service

@testable import API

/// Twice as many commands or topics in a request are twice the work: to read, execute and answer them.
@Suite("Server API: linear work", .enabled(if: Work.isCounted), .timeLimit(.minutes(10)))
struct ServerAPIWorkTests {
    private static let limits = ServerAPILimits(
        channelsMax: 10_000,
        commandsMax: 10_000,
        publicationsMax: 10_000,
        whitelistMax: 10_000
    )

    /// The body of one command of each method; numbers make their topics and keys differ.
    private static func command(_ method: ServerAPIMethod, _ number: Int) -> String {
        switch method {
        case .publish:
            #"{"channel":"chat:\#(number)","data":{"n":\#(number)},"idempotency_key":"\#(number)"}"#
        case .broadcast: #"{"channels":["chat:\#(number)","news:\#(number)"],"data":1}"#
        case .historyRemove: #"{"channel":"chat:\#(number)","tag":{"author":"\#(number)"}}"#
        case .info: "{}"
        case .getUserStatus: #"{"users":["u","u\#(number)"]}"#
        default: #"{"channel":"chat:\#(number)","user":"u","client":"c\#(number)","limit":2}"#
        }
    }

    private func expectLinearWork(
        _ name: String,
        _ method: String,
        _ body: @escaping (_ units: Int) -> String
    ) throws {
        try LoopTesting.expectLinearWork(name) { units in
            let fixture = ServerAPIFixture(limits: Self.limits)
            let body = body(units)
            return {
                CallingThread.run {
                    let response = await fixture.respond("/api/\(method)", body)
                    expectEqual(response?.head.status, 200)
                }
            }
        }
    }

    @Test(arguments: ServerAPIMethod.allCases.filter { $0 != .batch }, [false, true])
    func batchOfEachMethod(method: ServerAPIMethod, isParallel: Bool) throws {
        try expectLinearWork("\(method), parallel \(isParallel)", "batch") { units in
            let commands = (0..<units).map {
                #"{"\#(method.rawValue)":\#(Self.command(method, $0))}"#
            }
            return #"{"parallel":\#(isParallel),"commands":[\#(commands.joined(separator: ","))]}"#
        }
    }

    /// Publications between others are commits of their own.
    @Test func batchOfMethodsInTurn() throws {
        let methods = ServerAPIMethod.allCases.filter { $0 != .batch }
        try expectLinearWork("methods in turn", "batch") { units in
            let commands = (0..<units).map { number in
                let method = methods[number % methods.count]
                return #"{"\#(method.rawValue)":\#(Self.command(method, number))}"#
            }
            return #"{"commands":[\#(commands.joined(separator: ","))]}"#
        }
    }

    @Test func broadcast() throws {
        try expectLinearWork("broadcast", "broadcast") { units in
            let topics = (0..<units).map { #""chat:\#($0)""# }
            return #"{"channels":[\#(topics.joined(separator: ","))],"data":1}"#
        }
    }

    @Test func disconnectThatSparesMany() throws {
        try expectLinearWork("disconnect", "disconnect") { units in
            let spared = (0..<units).map { #""c\#($0)""# }
            return #"{"user":"u","whitelist":[\#(spared.joined(separator: ","))]}"#
        }
    }
}
