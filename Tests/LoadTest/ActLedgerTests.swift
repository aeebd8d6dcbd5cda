import Expectations
import Reactor

@testable import varde_load

@Suite("Acts: what arrived where", .timeLimit(.minutes(10)))
struct ActLedgerTests {
    /// Two friends, one who hears of nobody, and one who is not connected.
    private let seats = [
        Seat(token: "a", channel: "activity:1", hears: [1]),
        Seat(token: "b", channel: "activity:2", hears: [0]),
        Seat(token: "c", channel: "activity:3"),
        Seat(token: "d", channel: "activity:4", hears: [0, 1], listens: false),
    ]

    private func instant(_ milliseconds: Int64) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: milliseconds * 1_000_000)
    }

    @Test func actsThatArriveOnceAndInOrderAreNoProblem() {
        var ledger = ActLedger(seats: seats)
        for number in 0..<3 {
            let sent = ledger.send(by: 0, due: instant(0), isMeasured: true)
            ledger.answer(sent, at: instant(1))
            ledger.arrive(number, at: 1, now: instant(3))
        }
        expectEqual(ledger.problems, [])
        expectEqual(ledger.expected, 3)
        expectEqual(ledger.arrived, 3)
        expectEqual(ledger.afterAnswer.summary.count, 3)
    }

    @Test func whatDoesNotArriveIsLost() {
        var ledger = ActLedger(seats: seats)
        _ = ledger.send(by: 1, due: instant(0), isMeasured: true)
        expectEqual(ledger.lost, 1)
        expectEqual(ledger.problems, ["1 acts did not arrive at somebody"])
    }

    @Test func repeatedActIsADuplicateAndAnEarlierOneIsOutOfOrder() {
        var ledger = ActLedger(seats: seats)
        for _ in 0..<2 { _ = ledger.send(by: 0, due: instant(0), isMeasured: true) }
        for number in [1, 1, 0] { ledger.arrive(number, at: 1, now: instant(2)) }
        expectEqual(ledger.duplicates, 1)
        expectEqual(ledger.outOfOrder, 1)
        expectEqual(ledger.lost, 1)
    }

    @Test(arguments: [0, 2, 3])
    func actAtSomebodyWhoIsNotToHearOfItIsAStray(listener: Int) {
        var ledger = ActLedger(seats: seats)
        let sent = ledger.send(by: 0, due: instant(0), isMeasured: true)
        ledger.arrive(sent, at: listener, now: instant(1))
        expectEqual(ledger.strays, 1)
        expectEqual(ledger.arrived, 0)
    }

    @Test func actThatNobodySentIsAStray() {
        var ledger = ActLedger(seats: seats)
        ledger.arrive(0, at: 1, now: instant(1))
        expectEqual(ledger.strays, 1)
    }

    @Test func arrivalBeforeTheAnswerCountsAsNoTimeAfterIt() {
        var ledger = ActLedger(seats: seats)
        let sent = ledger.send(by: 0, due: instant(0), isMeasured: true)
        ledger.arrive(sent, at: 1, now: instant(2))
        expect(ledger.afterAnswer.isEmpty)
        ledger.answer(sent, at: instant(5))
        expectEqual(ledger.afterAnswer.summary.count, 1)
        expectEqual(ledger.afterAnswer.summary.max, 0)
        expect(ledger.latencies.summary.max >= 2_000_000)
    }

    @Test func actsOfTheWarmUpAreCheckedAndNotMeasured() {
        var ledger = ActLedger(seats: seats)
        let sent = ledger.send(by: 0, due: instant(0), isMeasured: false)
        ledger.answer(sent, at: instant(1))
        ledger.arrive(sent, at: 1, now: instant(2))
        expectEqual(ledger.arrived, 1)
        expect(ledger.latencies.isEmpty)
        expect(ledger.answers.isEmpty)
    }
}

@Suite("Acts: seats and requests", .timeLimit(.minutes(10)))
struct SeatTests {
    private func read(_ text: String) throws -> [Seat] { try Seat.read(Array(text.utf8)) }

    @Test func everyFieldIsRead() throws {
        let seats = try read(
            #"""
            {"token":"a","channel":"activity:1","hears":[1],"weight":3,"listens":false}
            {"token":"b","channel":"activity:2"}
            """#
        )
        expectEqual(
            seats,
            [
                Seat(token: "a", channel: "activity:1", hears: [1], weight: 3, listens: false),
                Seat(token: "b", channel: "activity:2"),
            ]
        )
    }

    @Test(arguments: [
        ("{}", "line 1: needs a token and a channel"),
        (#"{"token":"a","channel":"c","hears":[1]}"#, "line 1: hears 1, and there are 1 seats"),
        (#"{"token":"a","channel":"c","weight":-1}"#, "line 1: weight is not a whole number"),
        ("{\"token\":\"a\",\"channel\":\"c\"}\n[", "line 2: byte 0: an object was expected"),
    ])
    func wrongLineIsNamed(text: String, message: String) {
        let error = #expect(throws: SeatError.self) { try read(text) }
        expectEqual(error?.line, (text.contains("\n") ? 2 : 1))
        if !text.contains("\n") { expectEqual(error?.description, message) }
    }

    @Test func whoHasMoreWeightComesInMoreRounds() {
        let seats = [1, 3, 0].map { Seat(token: "t", channel: "c", weight: $0) }
        expectEqual(ActsScenario.turns(seats), [0, 1, 1, 1])
    }

    @Test func requestHasTargetTokenAndPayload() {
        let request = ActRequest(
            authority: "localhost:1",
            path: MessageTemplate(ActRequest.standardPath),
            body: MessageTemplate(ActRequest.standardBody),
            targetCount: 3
        )
        let text = String(
            decoding: request.bytes(4, token: "secret", payload: Array(#""x""#.utf8)),
            as: UTF8.self
        )
        expect(text.hasPrefix("POST /movies/2/rate HTTP/1.1\r\n"))
        expect(text.contains("Authorization: Bearer secret\r\n"))
        expect(text.hasSuffix("\r\n\r\n" + #"{"rating":5,"comment":"x","is_review":true}"#))
        expect(text.contains("Content-Length: 43\r\n"))
    }
}
