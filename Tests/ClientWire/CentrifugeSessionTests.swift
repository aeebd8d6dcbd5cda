import ClientWire
import Expectations

@Suite("Session, by state and input", .timeLimit(.minutes(10)))
struct CentrifugeSessionTests {
    private static let ping = SessionAction.reply(Array("{}".utf8))
    private static let topic = Topic(trusted: "a")
    private static let subscribed = SubscribeAcceptance(
        Subscribed(
            position: Position(offset: 0, epoch: "e"),
            isRecoverable: true,
            recovery: nil
        )
    )

    private func authenticating() -> TestSession {
        let session = TestSession()
        _ = session.receive(connectCommand)
        return session
    }

    private func connected(limits: CentrifugeLimits = CentrifugeLimits()) -> TestSession {
        let session = TestSession(limits: limits)
        _ = session.receive(connectCommand)
        _ = session.accept()
        return session
    }

    private func awaitingPong() -> TestSession {
        let session = connected()
        _ = session.timerFired(now: 25_000)
        return session
    }

    private func closed() -> TestSession {
        let session = connected()
        session.close()
        return session
    }

    // MARK: Awaiting connect

    @Test func connectCommandAsksTheCallerForADecision() {
        let session = TestSession(now: 500)
        expectEqual(session.deadline, 10_500)
        let actions = session.receive(
            #"{"id":9,"connect":{"token":"t","name":"js","version":"5"}}"#,
            now: 600
        )
        let request = ConnectRequest(token: "t", name: "js", version: "5")
        expectEqual(actions, [.connect(commandID: 9, request)])
        expectEqual(session.deadline, 10_500, "the deadline covers the answer, too")
    }

    @Test(arguments: [
        "{}", #"{"send":{}}"#, #"{"id":1,"rpc":{}}"#, #"{"id":1,"unsubscribe":{"channel":"a"}}"#,
        #"{"id":1,"sing":{}}"#, subscribeCommand(1),
    ])
    func anyOtherFirstCommandIsABadRequest(command: String) {
        let session = TestSession()
        expectEqual(session.receive(command), [.disconnect(.badRequest)])
        expect(session.isClosed)
    }

    @Test func noConnectCommandInTimeIsStale() {
        let session = TestSession()
        expect(session.timerFired(now: 9_999).isEmpty)
        expectEqual(session.timerFired(now: 10_000), [.disconnect(.stale)])
        expectNil(session.deadline)
    }

    @Test func answerWithoutAConnectCommandTraps() async {
        await #expect(processExitsWith: .failure) {
            _ = TestSession().accept()
        }
    }

    @Test func closeBeforeConnectEndsTheSession() {
        let session = TestSession()
        session.close()
        expect(session.isClosed)
    }

    // MARK: Authenticating

    @Test func acceptedClientIsConnected() {
        let session = authenticating()
        let actions = session.accept(now: 40)
        let reply =
            #"{"id":1,"connect":{"client":"c1","version":"0.1.0","ping":25,"pong":true,"#
            + #""session":"s1","node":"n1"}}"#
        expectEqual(actions, [.reply(Array(reply.utf8))])
        expectEqual(session.deadline, 25_040)
    }

    @Test func commandsWaitForTheAnswerAndAreThenCarriedOutInOrder() {
        let session = TestSession()
        let first = session.receive(connectCommand + "\n" + subscribeCommand(2, "a"))
        expectEqual(first, [.connect(commandID: 1, ConnectRequest())])
        expect(session.receive(subscribeCommand(3, "b") + "\n{}").isEmpty)
        expect(session.receive(#"{"id":4,"ping":{}}"#).isEmpty)
        expectEqual(session.subscriptionCount, 0)
        let actions = session.accept()
        expectEqual(actions.count, 4)
        let requests = [
            SubscribeRequest(commandID: 2, topic: Topic(trusted: "a"), since: nil),
            SubscribeRequest(commandID: 3, topic: Topic(trusted: "b"), since: nil),
        ]
        expectEqual(
            Array(actions.dropFirst()),
            requests.map(SessionAction.subscribe) + [
                errorReply(4, .notAvailable)
            ]
        )
    }

    @Test func refusedClientIsToldForEachCommandAndMayTryAgain() {
        let session = TestSession()
        _ = session.receive(connectCommand + "\n" + subscribeCommand(2) + "\n{}\n")
        let actions = session.refuse(.tokenExpired)
        expectEqual(actions, [errorReply(1, .tokenExpired), errorReply(2, .tokenExpired)])
        expectEqual(session.deadline, 10_000)
        expectEqual(session.subscriptionCount, 0)
        let again = session.receive(#"{"id":3,"connect":{}}"#, now: 5000)
        expectEqual(again, [.connect(commandID: 3, ConnectRequest())])
        expectEqual(session.deadline, 10_000, "trying again wins no time")
    }

    @Test func refusedClientWhoseCommandsAreBrokenIsClosed() {
        let session = TestSession()
        _ = session.receive(connectCommand + "\n{")
        let actions = session.refuse(.unauthorized)
        expectEqual(actions, [errorReply(1, .unauthorized), .disconnect(.badRequest)])
    }

    @Test func commandsThatWaitAreLimited() {
        let limits = CentrifugeLimits(frameLengthMax: 100, commandLengthMax: 60)
        let session = TestSession(limits: limits)
        _ = session.receive(connectCommand)
        let half = subscribeCommand(2, String(repeating: "a", count: 10))
        expectEqual(half.utf8.count, 49 - 4)
        expect(session.receive(half).isEmpty)
        expect(session.receive(half).isEmpty)
        expect(session.receive("{}").isEmpty)
        expect(session.receive("{}   ").isEmpty, "45 + 1 + 45 + 1 + 2 + 1 + 5 is exactly 100")
        expectEqual(session.receive("{}"), [.disconnect(.badRequest)])
    }

    @Test func noAnswerInTimeIsStaleAndALateOneDoesNothing() {
        let session = authenticating()
        expect(session.timerFired(now: 9_999).isEmpty)
        expectEqual(session.timerFired(now: 10_000), [.disconnect(.stale)])
        expect(session.accept(now: 10_001).isEmpty)
        expect(session.refuse(.unauthorized).isEmpty)
    }

    @Test func blankMessageIsABadRequestInEveryState() {
        for session in [TestSession(), authenticating(), connected(), awaitingPong()] {
            expectEqual(session.receive("\n"), [.disconnect(.badRequest)])
        }
    }

    // MARK: Connected

    @Test func secondConnectIsABadRequest() {
        for session in [connected(), awaitingPong()] {
            expectEqual(session.receive(#"{"id":2,"connect":{}}"#), [.disconnect(.badRequest)])
        }
        let session = TestSession()
        _ = session.receive(connectCommand + "\n" + connectCommand)
        expectEqual(session.accept().last, .disconnect(.badRequest))
    }

    @Test func secondAnswerTraps() async {
        await #expect(processExitsWith: .failure) {
            let session = TestSession()
            _ = session.receive(connectCommand)
            _ = session.accept()
            _ = session.accept()
        }
    }

    @Test func subscribeCommandCarriesWhatTheClientAskedFor() {
        let actions = connected().receive(
            #"{"id":2,"subscribe":{"channel":"a","token":"t","recover":true,"epoch":"e","#
                + #""offset":18446744073709551615,"flag":2}}"#
        )
        let request = SubscribeRequest(
            commandID: 2,
            topic: Self.topic,
            since: Position(offset: .max, epoch: "e"),
            mustRecover: true,
            token: "t"
        )
        expectEqual(actions, [.subscribe(request)])
    }

    @Test func positionWithoutRecoverIsNoPosition() {
        let actions = connected().receive(
            #"{"id":2,"subscribe":{"channel":"a","recover":false,"epoch":"e","offset":3}}"#
        )
        let request = SubscribeRequest(commandID: 2, topic: Self.topic, since: nil)
        expectEqual(actions, [.subscribe(request)])
    }

    @Test func subscriptionsAreCountedAndLimited() {
        let session = connected(limits: CentrifugeLimits(subscriptionsMax: 2))
        let actions = session.receive(
            [subscribeCommand(2, "a"), subscribeCommand(3, "b"), subscribeCommand(4, "c")]
                .joined(separator: "\n")
        )
        expectEqual(actions.count, 3)
        expectEqual(actions.last, tooManySubscriptions(4))
        let request = SubscribeRequest(commandID: 3, topic: Topic(trusted: "b"), since: nil)
        _ = session.answer(request, .failure(.permissionDenied))
        expectEqual(session.subscriptionCount, 1)
        expectEqual(session.receive(subscribeCommand(5, "c")).count, 1)
        expectEqual(session.subscriptionCount, 2)
        _ = session.answerUnsubscribe(6, wasSubscribed: false)
        expectEqual(session.subscriptionCount, 2)
        _ = session.answerUnsubscribe(7, wasSubscribed: true)
        expectEqual(session.subscriptionCount, 1)
        _ = session.unsubscribe(Self.topic, .server)
        expectEqual(session.subscriptionCount, 0)
    }

    @Test func unsubscribeCommandAsksTheCaller() {
        let session = connected()
        let actions = session.receive(#"{"id":2,"unsubscribe":{"channel":"a"}}"#)
        expectEqual(actions, [.unsubscribe(commandID: 2, topic: Self.topic)])
        expectEqual(
            session.answerUnsubscribe(2, wasSubscribed: false),
            #"{"id":2,"unsubscribe":{}}"#
        )
    }

    @Test func hubEndsASubscriptionWithAPush() {
        let session = connected()
        _ = session.receive(subscribeCommand(2))
        expectEqual(
            session.unsubscribe(Self.topic, .insufficientState),
            #"{"push":{"channel":"a","unsubscribe":{"code":2500,"#
                + #""reason":"insufficient state"}}}"#
        )
    }

    @Test(arguments: ProtocolError.all)
    func refusedSubscriptionIsAnsweredWithItsError(error: ProtocolError) {
        let session = connected()
        _ = session.receive(subscribeCommand(2))
        let request = SubscribeRequest(commandID: 2, topic: Self.topic, since: nil)
        expectEqual(
            errorReply(2, error),
            .reply(Array(session.answer(request, .failure(error)).utf8))
        )
        expectEqual(session.subscriptionCount, 0)
    }

    @Test func everyHubErrorHasItsCode() {
        expectEqual(ProtocolError(.unknownTopic), .unknownChannel)
        expectEqual(ProtocolError(.alreadySubscribed), .alreadySubscribed)
        expectEqual(ProtocolError(.unrecoverablePosition), .unrecoverablePosition)
        expectEqual(ProtocolError(.tooManyTopics(limit: 1)), .tooManyRequests)
    }

    // MARK: Pings

    @Test func pingIsSentEveryIntervalWhileTheClientAnswers() {
        let session = connected()
        var now: Int64 = 0
        for _ in 0..<5 {
            now += 25_000
            expectEqual(session.deadline, now)
            expect(session.timerFired(now: now - 1).isEmpty)
            expectEqual(session.timerFired(now: now), [Self.ping])
            expectEqual(session.deadline, now + 8_000)
            expect(session.receive("{}", now: now + 100).isEmpty)
        }
    }

    @Test func silenceAfterAPingIsNoPong() {
        let session = awaitingPong()
        expect(session.timerFired(now: 32_999).isEmpty)
        expectEqual(session.timerFired(now: 33_000), [.disconnect(.noPong)])
        expect(session.isClosed)
    }

    @Test func anyMessageIsASignOfLife() {
        let session = awaitingPong()
        expectEqual(session.receive(subscribeCommand(2), now: 32_999).count, 1)
        expectEqual(session.deadline, 50_000)
        expect(session.timerFired(now: 33_000).isEmpty)
    }

    @Test func pongThatNobodyAskedForDoesNotMoveThePing() {
        let session = connected()
        expect(session.receive("{}", now: 20_000).isEmpty)
        expectEqual(session.deadline, 25_000)
    }

    @Test func firstPingMaySpreadOutButNotComeLate() {
        for (firstPing, deadline) in [
            (Duration.seconds(3), Int64(3000)), (.zero, 0), (.seconds(60), 25_000),
        ] {
            let session = authenticating()
            _ = session.accept(firstPing: firstPing)
            expectEqual(session.deadline, deadline)
        }
    }

    @Test func lateTimerSendsOnePing() {
        let session = connected()
        expectEqual(session.timerFired(now: 90_000), [Self.ping])
        expectEqual(session.deadline, 98_000)
    }

    // MARK: Publishing

    @Test func publishCommandIsForTheCallerToCarryOut() {
        let session = connected()
        let actions = session.receive(#"{"id":2,"publish":{"channel":"a","data": {"n": [1]} }}"#)
        let request = PublishRequest(
            commandID: 2,
            topic: Topic(trusted: "a"),
            data: Array(#"{"n": [1]}"#.utf8)
        )
        expectEqual(actions, [.publish(request)])
    }

    @Test(
        arguments: [
            #"{"channel":"a"}"#, #"{"channel":"a","data":null}"#, #"{"data":1}"#,
            #"{"channel":"","data":1}"#,
        ]
    )
    func publishCommandWithoutTopicOrDataIsABadRequest(fields: String) {
        let actions = connected().receive(#"{"id":2,"publish":\#(fields)}"#)
        expectEqual(actions, [errorReply(2, .badRequest)])
    }

    // MARK: Limits of length

    @Test func commandAtTheLimitIsReadAndOneOverIsNot() {
        let limits = CentrifugeLimits(frameLengthMax: 200, commandLengthMax: 100)
        let room = 100 - #"{"id":2,"ping":{"data":""}}"#.utf8.count
        let exact = #"{"id":2,"ping":{"data":"\#(String(repeating: "x", count: room))"}}"#
        expectEqual(exact.utf8.count, 100)
        let actions = connected(limits: limits).receive(exact)
        expectEqual(actions, [errorReply(2, .notAvailable)])
        expectEqual(connected(limits: limits).receive(" " + exact), [.disconnect(.badRequest)])
    }

    @Test func frameAtTheLimitIsReadAndOneOverIsNot() {
        let limits = CentrifugeLimits(frameLengthMax: 100, commandLengthMax: 100)
        let exact = "{}" + String(repeating: "\n", count: 98)
        expect(connected(limits: limits).receive(exact).isEmpty)
        expectEqual(connected(limits: limits).receive(exact + "\n"), [.disconnect(.badRequest)])
    }

    @Test func frameHoldsAsManySubscriptionsAsAConnectionMayHave() {
        let session = connected()
        let commands = (0..<512).map {
            subscribeCommand($0 + 2, "radar:" + String(repeating: "\($0 % 10)", count: 249))
        }
        let actions = session.receive(commands.joined(separator: "\n"))
        expectEqual(actions.count, 512)
        expectEqual(session.subscriptionCount, 512)
    }

    // MARK: Closed

    @Test func closedSessionDoesNothing() {
        let session = closed()
        expectNil(session.deadline)
        expect(session.receive(connectCommand).isEmpty)
        expect(session.receive("").isEmpty)
        expect(session.timerFired(now: .max).isEmpty)
        expect(session.accept().isEmpty)
        session.close()
        expect(session.isClosed)
    }

    @Test func answerToACommandBeforeTheEndIsStillMade() {
        let session = connected()
        let actions = session.receive(subscribeCommand(2) + "\nbroken")
        expectEqual(actions.last, .disconnect(.badRequest))
        let request = SubscribeRequest(commandID: 2, topic: Self.topic, since: nil)
        expect(session.answer(request, .success(Self.subscribed)).hasPrefix(#"{"id":2,"#))
    }

    @Test func sessionIsSmall() {
        expect(MemoryLayout<CentrifugeSession>.size <= 80)
    }
}
