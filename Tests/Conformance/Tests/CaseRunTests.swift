import ConformanceCases
import Expectations
import Wire

/// What judges the endpoints has to notice one that does not conform.
@Suite("Conformance: the judge", .timeLimit(.minutes(10)))
struct CaseRunTests {
    /// Lets a case run against an endpoint that says `answers`, whatever it hears, and then ends
    /// the stream.
    private func judge(_ id: String, _ answers: [Frame], from role: Role = .server) -> String? {
        let conformanceCase = ConformanceCase.all.first { $0.id == id }!
        var run = CaseRun(
            conformanceCase.script(),
            delivery: conformanceCase.delivery,
            codec: RawCodec(role: .client)
        )
        var endpoint = RawCodec(role: role)
        var answers = answers[...]
        while true {
            switch run.next() {
            case .send, .expectSilence: continue
            case .receive, .receiveEnd:
                guard let answer = answers.popFirst() else {
                    run.streamEnded()
                    continue
                }
                var bytes: [UInt8] = []
                endpoint.say(answer, output: &bytes)
                run.received(bytes)
            case .done(let problem): return problem
            }
        }
    }

    private let pong = Frame(opcode: Frame.pongOpcode)

    private func close(_ code: UInt16) -> Frame {
        Frame(opcode: Frame.closeOpcode, payload: [UInt8(code >> 8), UInt8(code & 0xFF)])
    }

    @Test func rightAnswersPass() {
        expectNil(judge("2.1", [pong, close(1000)]))
        expectNil(judge("2.5", [close(1002)]))
        expectNil(judge("7.3.1", [Frame(opcode: Frame.closeOpcode)]))
    }

    @Test func pingsOfTheEndpointAreNoAnswers() {
        let ping = Frame(opcode: Frame.pingOpcode)
        expectNil(judge("2.1", [ping, pong, ping, close(1000)]))
    }

    @Test func fragmentedEchoPasses() {
        let echo = [
            Frame(opcode: Frame.textOpcode, isFinal: false, payload: Array("nord".utf8)), pong,
            Frame(opcode: Frame.continuationOpcode, payload: Array("lys".utf8)), close(1000),
        ]
        expectNil(judge("5.3", [echo[0], echo[2], echo[3]]))
        expectEqual(judge("5.3", echo), "expected text of 7 bytes, got pong of 0 bytes")
    }

    @Test func missingAnswerIsNoticed() {
        expectEqual(judge("2.1", []), "expected pong of 0 bytes, but the stream ended")
        expectEqual(judge("2.1", [close(1000)]), "expected pong of 0 bytes, got Close 1000")
    }

    @Test func otherAnswerIsNoticed() {
        let other = Frame(opcode: Frame.pongOpcode, payload: [1])
        expectEqual(judge("2.1", [other]), "expected pong of 0 bytes, got pong of 1 bytes")
    }

    @Test func answerTooManyIsNoticed() {
        expectEqual(
            judge("2.1", [pong, pong]),
            "expected answer with Close 1000, got pong of 0 bytes"
        )
    }

    @Test func otherCloseCodeIsNoticed() {
        expectEqual(judge("2.5", [close(1000)]), "expected failure with Close 1002, got Close 1000")
        expectEqual(
            judge("7.3.1", [close(1000)]),
            "expected answer with Close without a code, got Close 1000"
        )
    }

    @Test func dropWithoutACloseFrameIsNoticed() {
        expectEqual(judge("2.5", []), "expected failure with Close 1002, but the stream ended")
    }

    @Test func wordsAfterTheCloseFrameAreNoticed() {
        expectEqual(judge("2.5", [close(1002), pong]), "pong of 0 bytes after the Close frame")
    }

    @Test func maskedAnswerOfAServerIsNoticed() {
        expectEqual(
            judge("2.1", [pong], from: .client),
            "expected pong of 0 bytes, got an offence: masked"
        )
    }

    @Test(arguments: [
        (Frame(opcode: Frame.pongOpcode, reservedBits: 4), "a reserved bit is set"),
        (Frame(opcode: Frame.pongOpcode, isFinal: false), "bad control frame"),
        (Frame(opcode: 3), "opcode 3"),
        (Frame(opcode: Frame.continuationOpcode), "stray continuation"),
        (Frame(opcode: Frame.closeOpcode, payload: [3]), "half a close code"),
    ])
    func offenceOfTheEndpointIsNoticed(answer: Frame, offence: String) {
        expectEqual(judge("2.1", [answer]), "expected pong of 0 bytes, got an offence: \(offence)")
    }
}
