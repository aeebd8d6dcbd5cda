import ClientWire
import Expectations

/// The same rules in both encodings.
@Suite("Session, in both encodings", .timeLimit(.minutes(10)))
struct CentrifugeSessionEncodingTests {
    private static let encodings = ClientEncoding.allCases
    private static let topic = Topic(trusted: "a")

    private func connected(
        _ encoding: ClientEncoding,
        limits: CentrifugeLimits = CentrifugeLimits(),
        usesFramePings: Bool = false
    ) -> TestSession {
        let session = TestSession(
            limits: limits,
            encoding: encoding,
            usesFramePings: usesFramePings
        )
        _ = session.receive(TestCommand.connect)
        _ = session.accept()
        return session
    }

    private func inEveryOpenState(_ encoding: ClientEncoding) -> [TestSession] {
        let awaiting = TestSession(encoding: encoding)
        let authenticating = TestSession(encoding: encoding)
        _ = authenticating.receive(TestCommand.connect)
        let awaitingPong = connected(encoding)
        _ = awaitingPong.timerFired(now: 25_000)
        return [awaiting, authenticating, connected(encoding), awaitingPong]
    }

    /// What no client sends: nothing, and half a message.
    private func broken(_ encoding: ClientEncoding) -> [UInt8] {
        Array(TestCommand.rpc.frame(encoding).dropLast())
    }

    @Test(arguments: encodings, TestCommand.allCases)
    func firstCommandIsConnect(encoding: ClientEncoding, command: TestCommand) {
        let session = TestSession(encoding: encoding)
        let actions = session.receive(command)
        if command == .connect {
            expectEqual(actions, [.connect(commandID: 2, ConnectRequest())])
        } else {
            expectEqual(actions, [.disconnect(.badRequest)])
        }
    }

    @Test(arguments: encodings, TestCommand.allCases)
    func connectedSessionAsksTheCallerOrAnswers(encoding: ClientEncoding, command: TestCommand) {
        let session = connected(encoding)
        let expected = command.error.map { errorReply(2, $0, encoding) } ?? command.action()
        expectEqual(session.receive(command), (expected.map { [$0] } ?? []))
    }

    @Test(arguments: encodings, TestCommand.allCases)
    func sessionAwaitingAPongTakesEveryCommandAsOne(
        encoding: ClientEncoding,
        command: TestCommand
    ) {
        let session = connected(encoding)
        _ = session.timerFired(now: 25_000)
        let expected = command.error.map { errorReply(2, $0, encoding) } ?? command.action()
        expectEqual(session.receive(command, now: 26_000), (expected.map { [$0] } ?? []))
        expectEqual(session.deadline, (command == .connect ? nil : 50_000))
    }

    @Test(arguments: encodings, TestCommand.allCases)
    func commandThatComesAlongWaits(encoding: ClientEncoding, command: TestCommand) {
        let session = TestSession(encoding: encoding)
        let frame = encoding.join([
            TestCommand.connect.frame(encoding, id: 1), command.frame(encoding),
        ])
        expectEqual(session.receive(frame), [.connect(commandID: 1, ConnectRequest())])
        let expected = command.error.map { errorReply(2, $0, encoding) } ?? command.action()
        expectEqual(session.accept().dropFirst(), (expected.map { [$0] } ?? []))
    }

    @Test(arguments: encodings, TestCommand.allCases)
    func commandThatCameAlongIsRefusedWithTheClient(
        encoding: ClientEncoding,
        command: TestCommand
    ) {
        let session = TestSession(encoding: encoding)
        _ = session.receive(TestCommand.connect.frame(encoding, id: 1))
        expect(session.receive(command).isEmpty)
        let actions = session.refuse(.permissionDenied)
        let hasAnID = command != .pong && command != .send
        let refusals = hasAnID ? [1, 2] : [1] as [UInt32]
        expectEqual(actions, refusals.map { errorReply($0, .permissionDenied, encoding) })
        expectEqual(session.deadline, 10_000, "it may try again")
    }

    @Test(arguments: encodings, TestCommand.allCases)
    func closedSessionDoesNothing(encoding: ClientEncoding, command: TestCommand) {
        let session = connected(encoding)
        session.close()
        expect(session.receive(command).isEmpty)
        session.receivePong()
        expectNil(session.deadline)
    }

    @Test(arguments: encodings)
    func brokenMessageEndsTheSession(encoding: ClientEncoding) {
        for (index, session) in inEveryOpenState(encoding).enumerated() {
            let actions = session.receive(broken(encoding))
            if index == 1 {
                // It waits like a whole one, and nothing that follows makes it whole.
                expect(actions.isEmpty)
                let rest = Array(TestCommand.rpc.frame(encoding).suffix(1))
                expect(session.receive(rest).isEmpty)
                expectEqual(session.accept().dropFirst(), [.disconnect(.badRequest)])
            } else {
                expectEqual(actions, [.disconnect(.badRequest)], "state \(index)")
            }
        }
    }

    @Test(arguments: encodings)
    func emptyFrameEndsTheSession(encoding: ClientEncoding) {
        for session in inEveryOpenState(encoding) {
            expectEqual(session.receive([] as [UInt8]), [.disconnect(.badRequest)])
        }
    }

    @Test(arguments: encodings)
    func commandAtTheLimitIsReadAndOneOverIsNot(encoding: ClientEncoding) {
        let command = TestCommand.subRefresh.frame(encoding)
        // In Protobuf the length of a command does not count the byte that says it.
        let length = command.count - (encoding == .protobuf ? 1 : 0)
        let exact = connected(encoding, limits: CentrifugeLimits(commandLengthMax: length))
        expectEqual(exact.receive(command), [TestCommand.subRefresh.action()])
        let tight = connected(encoding, limits: CentrifugeLimits(commandLengthMax: length - 1))
        expectEqual(tight.receive(command), [.disconnect(.badRequest)])
    }

    @Test(arguments: encodings)
    func frameAtTheLimitIsReadAndOneOverIsNot(encoding: ClientEncoding) {
        let frame = encoding.join(
            [[UInt8]](repeating: TestCommand.unknown.frame(encoding), count: 40)
        )
        let reply = errorReply(2, .methodNotFound, encoding)
        func limits(_ length: Int) -> CentrifugeLimits {
            CentrifugeLimits(frameLengthMax: length, commandLengthMax: 64)
        }
        let exact = connected(encoding, limits: limits(frame.count))
        expectEqual(exact.receive(frame), [SessionAction](repeating: reply, count: 40))
        let tight = connected(encoding, limits: limits(frame.count - 1))
        expectEqual(tight.receive(frame), [.disconnect(.badRequest)])
    }

    @Test(arguments: encodings)
    func whatWaitsIsAtMostOneFrame(encoding: ClientEncoding) {
        let frame = TestCommand.subscribe.frame(encoding)
        let two = encoding.join([frame, frame])
        let limits = CentrifugeLimits(frameLengthMax: two.count, commandLengthMax: frame.count)
        let session = TestSession(limits: limits, encoding: encoding)
        _ = session.receive(TestCommand.connect)
        expect(session.receive(frame).isEmpty)
        expect(session.receive(frame).isEmpty)
        expectEqual(session.receive(TestCommand.pong), [.disconnect(.badRequest)])
    }

    @Test(arguments: encodings)
    func pingIsAnEmptyMessage(encoding: ClientEncoding) {
        let session = connected(encoding)
        let ping: [UInt8] = encoding == .json ? Array("{}".utf8) : [0]
        expectEqual(session.timerFired(now: 25_000), [.reply(ping)])
        expect(session.receive(TestCommand.pong, now: 26_000).isEmpty)
        expectEqual(session.deadline, 50_000)
        expectEqual(session.timerFired(now: 50_000), [.reply(ping)])
        expectEqual(session.timerFired(now: 58_000), [.disconnect(.noPong)])
    }

    @Test(arguments: encodings)
    func pingInAFrameIsAnsweredByAPongFrameOrByAnything(encoding: ClientEncoding) {
        let session = connected(encoding, usesFramePings: true)
        expectEqual(session.timerFired(now: 25_000), [.ping])
        session.receivePong()
        expectEqual(session.deadline, 50_000)
        expectEqual(session.timerFired(now: 50_000), [.ping])
        expect(session.receive(TestCommand.pong, now: 51_000).isEmpty)
        expectEqual(session.deadline, 75_000)
        expectEqual(session.timerFired(now: 75_000), [.ping])
        expectEqual(session.timerFired(now: 83_000), [.disconnect(.noPong)])
    }

    @Test(arguments: encodings)
    func pongFrameThatNobodyAskedForChangesNothing(encoding: ClientEncoding) {
        for session in inEveryOpenState(encoding).prefix(3) {
            let deadline = session.deadline
            session.receivePong()
            expectEqual(session.deadline, deadline)
        }
    }

    @Test(arguments: encodings, ProtocolError.all)
    func everyAnswerMayBeAnError(encoding: ClientEncoding, error: ProtocolError) {
        let session = connected(encoding)
        let expected = errorReply(9, error, encoding)
        let answers: [[UInt8]] = [
            session.answerPublish(.failure(error)),
            session.answerPresence(.failure(error)),
            session.answerPresenceStats(.failure(error)),
            session.answerHistory(.failure(error)),
            session.answerRPC(.failure(error)),
            session.answerRefresh(.failure(error), now: 0),
            session.answerSubRefresh(Self.topic, .failure(error), now: 0),
        ]
        for answer in answers { expectEqual(.reply(answer), expected) }
    }
}
