import Expectations

@testable import ClientWire

@Suite("Commands, cut and damaged", .timeLimit(.minutes(10)))
struct CentrifugeCommandTests {
    private let command = Array(
        (#"{"id":2,"x":[1,{"y":null}],"subscribe":{"channel":"a\u0062","token":"","recover":true,"#
            + #""epoch":"e","offset":7,"flag":3,"data":{"a":[true,-1.5e3]}}}"#).utf8
    )

    @Test func wholeCommandIsRead() throws {
        let read = try CentrifugeCommand(json: command[...])
        expectEqual(read.id, 2)
        expectEqual(
            read.method,
            .subscribe(
                CentrifugeCommand.SubscribeFields(
                    channel: "ab",
                    recover: true,
                    offset: 7,
                    epoch: "e",
                    data: Array(#"{"a":[true,-1.5e3]}"#.utf8),
                    flags: 3
                )
            )
        )
    }

    @Test func everyCutIsRefused() {
        for length in 0..<command.count {
            #expect(throws: CommandError.self, "cut at \(length)") {
                try CentrifugeCommand(json: command[..<length])
            }
        }
    }

    /// Every byte replaced by every other: read or refused, and never anything else.
    @Test func everyDamagedByteIsReadOrRefused() {
        var refused = 0
        for index in command.indices {
            for byte in UInt8.min...UInt8.max where byte != command[index] {
                var damaged = command
                damaged[index] = byte
                do {
                    _ = try CentrifugeCommand(json: damaged[...])
                } catch {
                    refused += 1
                }
            }
        }
        expect(refused > command.count * 100)
    }

    @Test func depthOfJSONIsLimited() {
        func nested(_ depth: Int) -> ArraySlice<UInt8> {
            let open = String(repeating: "[", count: depth)
            let close = String(repeating: "]", count: depth)
            return Array(#"{"id":1,"sing":\#(open)\#(close)}"#.utf8)[...]
        }
        #expect(throws: Never.self) { try CentrifugeCommand(json: nested(60)) }
        #expect(throws: CommandError.self) { try CentrifugeCommand(json: nested(70)) }
        #expect(throws: CommandError.self) { try CentrifugeCommand(json: nested(30_000)) }
    }

    @Test(arguments: [
        (#"{"id":1.0,"rpc":{}}"#, CommandError.wrongType(field: "id")),
        (#"{"id":1e0,"rpc":{}}"#, .wrongType(field: "id")),
        (#"{"id":true,"rpc":{}}"#, .wrongType(field: "id")),
        (#"{"id":4294967296,"rpc":{}}"#, .wrongType(field: "id")),
        (#"{"id":1,"subscribe":{"channel":5}}"#, .wrongType(field: "channel")),
        (#"{"id":1,"subscribe":{"recover":"true"}}"#, .wrongType(field: "recover")),
        (#"{"id":1,"subscribe":{"offset":18446744073709551616}}"#, .wrongType(field: "offset")),
        (#"{"id":1,"unsubscribe":{"channel":[]}}"#, .wrongType(field: "channel")),
        (#"{"id":1,"connect":{"name":{}}}"#, .wrongType(field: "name")),
        (#"{"connect":{},"subscribe":{}}"#, .severalMethods),
        (#"{"rpc":{},"rpc":{}}"#, .severalMethods),
    ])
    func wrongTypeIsRefusedWithItsField(text: String, error: CommandError) {
        #expect(throws: error) { try CentrifugeCommand(json: Array(text.utf8)[...]) }
    }

    @Test(arguments: [
        #"{"id":1,"sing":{},"subscribe":{"channel":"a"}}"#,
        #"{"id":1,"subscribe":{"channel":"a"},"sing":{}}"#,
        #"{"subscribe":{"channel":"b","channel":"a"},"id":2,"id":1}"#,
    ])
    func unknownFieldsAndOrderDoNotMatter(text: String) throws {
        let command = try CentrifugeCommand(json: Array(text.utf8)[...])
        expectEqual(command.id, 1)
        expectEqual(command.method, .subscribe(.init(channel: "a")))
    }
}

@Suite("Limits of a connection", .timeLimit(.minutes(10)))
struct CentrifugeLimitsTests {
    @Test func defaultsAreTheDocumentedOnes() {
        let limits = CentrifugeLimits()
        expectEqual(limits.frameLengthMax, 512 << 10)
        expectEqual(limits.commandLengthMax, 64 << 10)
        expectEqual(limits.subscriptionsMax, 512)
        expectEqual(limits.connectDeadline, .seconds(10))
        expectEqual(limits.pingInterval, .seconds(25))
        expectEqual(limits.pongTimeout, .seconds(8))
    }

    @Test func limitsThatContradictEachOtherTrap() async {
        await #expect(processExitsWith: .failure) {
            _ = CentrifugeLimits(pingInterval: .seconds(8), pongTimeout: .seconds(8))
        }
        await #expect(processExitsWith: .failure) {
            _ = CentrifugeLimits(pingInterval: .milliseconds(2500), pongTimeout: .seconds(1))
        }
        await #expect(processExitsWith: .failure) {
            _ = CentrifugeLimits(frameLengthMax: 10, commandLengthMax: 11)
        }
    }
}
