import ClientWire
import Expectations

@Suite("Session: connections and subscriptions that expire", .timeLimit(.minutes(10)))
struct SessionExpiryTests {
    private static let topic = Topic(trusted: "a")
    private static let subscribed = Subscribed(
        position: Position(offset: 0, epoch: "e"),
        isRecoverable: true,
        recovery: nil
    )

    /// Without pings before the hour is over.
    private static let limits = CentrifugeLimits(pingInterval: .seconds(3600))

    private func connected(timeToLiveSeconds: UInt32?) -> TestSession {
        let session = TestSession(limits: Self.limits)
        _ = session.receive(connectCommand)
        var acceptance = ConnectAcceptance.sample
        acceptance.timeToLiveSeconds = timeToLiveSeconds
        _ = session.accept(acceptance)
        return session
    }

    private func subscribe(
        _ session: TestSession,
        _ topic: Topic = topic,
        timeToLiveSeconds: UInt32?,
        now: Int64 = 0
    ) {
        let request = SubscribeRequest(commandID: 2, topic: topic, since: nil)
        expectEqual(session.receive(subscribeCommand(2, topic.name)), [.subscribe(request)])
        let acceptance = SubscribeAcceptance(Self.subscribed, timeToLiveSeconds: timeToLiveSeconds)
        _ = session.answer(request, .success(acceptance), now: now)
    }

    private func refreshed(_ timeToLiveSeconds: UInt32?) -> Result<
        RefreshAcceptance, ProtocolError
    > {
        .success(
            RefreshAcceptance(
                clientID: "c1",
                version: "0.1.0",
                timeToLiveSeconds: timeToLiveSeconds
            )
        )
    }

    // MARK: The connection

    @Test func connectionWithoutARefreshEndsAfterItsTimeAndTheGrace() {
        let session = connected(timeToLiveSeconds: 60)
        expectEqual(session.deadline, 85_000)
        expect(session.timerFired(now: 84_999).isEmpty)
        expectEqual(session.timerFired(now: 85_000), [.disconnect(.expired)])
        expect(session.isClosed)
    }

    @Test func signsOfLifeDoNotProlongAConnection() {
        let session = connected(timeToLiveSeconds: 60)
        expect(session.receive("{}", now: 80_000).isEmpty)
        expectEqual(session.timerFired(now: 85_000), [.disconnect(.expired)])
    }

    @Test func connectionWithoutATimeToLiveDoesNotEnd() {
        expectEqual(connected(timeToLiveSeconds: nil).deadline, 3_600_000)
    }

    @Test func timeOfNothingIsASecond() {
        expectEqual(connected(timeToLiveSeconds: 0).deadline, 26_000)
    }

    @Test func largestTimeToLiveIsTaken() {
        let session = connected(timeToLiveSeconds: .max)
        expectEqual(session.deadline, 3_600_000)
        expectEqual(session.timerFired(now: 3_600_000).count, 1)
    }

    @Test func freshTokenProlongsTheConnection() {
        let session = connected(timeToLiveSeconds: 60)
        expectEqual(session.receive(#"{"id":9,"refresh":{"token":"t"}}"#).count, 1)
        let reply = session.answerRefresh(refreshed(100), now: 70_000)
        expectEqual(
            text(reply),
            #"{"id":9,"refresh":{"client":"c1","version":"0.1.0","expires":true,"ttl":100}}"#
        )
        expectEqual(session.deadline, 195_000)
        _ = session.answerRefresh(refreshed(nil), now: 71_000)
        expectEqual(session.deadline, 3_600_000)
    }

    @Test func refusedTokenProlongsNothing() {
        let session = connected(timeToLiveSeconds: 60)
        _ = session.answerRefresh(.failure(.tokenExpired), now: 70_000)
        expectEqual(session.deadline, 85_000)
    }

    @Test func hubProlongsTheConnectionWithAPush() {
        let session = connected(timeToLiveSeconds: 60)
        let push = session.refresh(timeToLiveSeconds: 10, now: 70_000)
        expectEqual(text(push), #"{"push":{"refresh":{"expires":true,"ttl":10}}}"#)
        expectEqual(session.deadline, 105_000)
        expectEqual(
            text(session.refresh(timeToLiveSeconds: nil, now: 71_000)),
            #"{"push":{"refresh":{}}}"#
        )
        expectEqual(session.deadline, 3_600_000)
    }

    @Test func connectionThatExpiresWithAPingDueIsNotPinged() {
        let session = TestSession()
        _ = session.receive(connectCommand)
        var acceptance = ConnectAcceptance.sample
        acceptance.timeToLiveSeconds = 0
        _ = session.accept(acceptance)
        expectEqual(session.timerFired(now: 30_000), [.disconnect(.expired)])
    }

    // MARK: Subscriptions

    @Test func subscriptionWithoutARefreshEnds() {
        let session = connected(timeToLiveSeconds: nil)
        subscribe(session, timeToLiveSeconds: 30, now: 1000)
        expectEqual(session.deadline, 56_000)
        expect(session.timerFired(now: 55_999).isEmpty)
        expectEqual(session.timerFired(now: 56_000), [.subscriptionExpired(Self.topic)])
        expect(!session.isClosed)
        expectEqual(session.deadline, 3_600_000, "told once")
        expectEqual(session.subscriptionCount, 1, "until the caller has ended it")
        expectEqual(
            session.unsubscribe(Self.topic, .expired),
            #"{"push":{"channel":"a","unsubscribe":{"code":2501,"#
                + #""reason":"subscription expired"}}}"#
        )
        expectEqual(session.subscriptionCount, 0)
    }

    @Test func subscriptionsEndInTheOrderOfTheirTimes() {
        let session = connected(timeToLiveSeconds: nil)
        let topics = ["b", "c", "a"].map { Topic(trusted: $0) }
        subscribe(session, topics[0], timeToLiveSeconds: 20)
        subscribe(session, topics[1], timeToLiveSeconds: 10)
        subscribe(session, topics[2], timeToLiveSeconds: 20)
        subscribe(session, Topic(trusted: "d"), timeToLiveSeconds: nil)
        expectEqual(session.deadline, 35_000)
        expectEqual(
            session.timerFired(now: 45_000),
            [
                .subscriptionExpired(topics[1]), .subscriptionExpired(topics[2]),
                .subscriptionExpired(topics[0]),
            ]
        )
        expectEqual(session.deadline, 3_600_000)
    }

    @Test func freshTokenProlongsASubscription() {
        let session = connected(timeToLiveSeconds: nil)
        subscribe(session, timeToLiveSeconds: 30)
        let reply = session.answerSubRefresh(Self.topic, .success(60), now: 40_000)
        expectEqual(text(reply), #"{"id":9,"sub_refresh":{"expires":true,"ttl":60}}"#)
        expectEqual(session.deadline, 125_000)
        let forever = session.answerSubRefresh(Self.topic, .success(nil), now: 41_000)
        expectEqual(text(forever), #"{"id":9,"sub_refresh":{}}"#)
        expectEqual(session.deadline, 3_600_000)
        _ = session.answerSubRefresh(Self.topic, .failure(.tokenExpired), now: 42_000)
        expectEqual(session.deadline, 3_600_000)
    }

    @Test func subscriptionThatIsOverDoesNotExpire() {
        let session = connected(timeToLiveSeconds: nil)
        subscribe(session, timeToLiveSeconds: 30)
        _ = session.answerUnsubscribe(3, wasSubscribed: true)
        expectEqual(session.deadline, 3_600_000)
        subscribe(session, timeToLiveSeconds: 30)
        _ = session.unsubscribe(Self.topic, .server)
        expectEqual(session.deadline, 3_600_000)
        expect(session.timerFired(now: 55_000).isEmpty)
    }

    @Test func refusedSecondSubscriptionLeavesTheTimeOfTheFirst() {
        let session = connected(timeToLiveSeconds: nil)
        subscribe(session, timeToLiveSeconds: 30)
        _ = session.receive(subscribeCommand(3))
        let request = SubscribeRequest(commandID: 3, topic: Self.topic, since: nil)
        _ = session.answer(request, .failure(.alreadySubscribed))
        expectEqual(session.subscriptionCount, 1)
        expectEqual(session.deadline, 55_000)
    }

    @Test func expiryAndPingAreDoneTogether() {
        let session = TestSession()
        _ = session.receive(connectCommand)
        _ = session.accept()
        subscribe(session, timeToLiveSeconds: 0)
        expectEqual(
            session.timerFired(now: 26_000),
            [
                .subscriptionExpired(Self.topic), .reply(Array("{}".utf8)),
            ]
        )
        expectEqual(session.deadline, 34_000)
    }

    // MARK: Subscriptions that the hub makes

    @Test func subscriptionsOfTheHubAreCounted() {
        let session = TestSession(limits: CentrifugeLimits(subscriptionsMax: 2))
        _ = session.receive(connectCommand)
        var acceptance = ConnectAcceptance.sample
        let own = ServerSubscription(topic: Self.topic, subscribed: Self.subscribed)
        acceptance.subscriptions = [own]
        _ = session.accept(acceptance)
        expectEqual(session.subscriptionCount, 1)
        let other = ServerSubscription(topic: Topic(trusted: "b"), subscribed: Self.subscribed)
        expectEqual(
            text(session.subscribe(other)),
            #"{"push":{"channel":"b","subscribe":{"recoverable":true,"positioned":true,"#
                + #""epoch":"e","offset":0}}}"#
        )
        expectEqual(session.subscriptionCount, 2)
        expectEqual(session.receive(subscribeCommand(2, "c")), [tooManySubscriptions(2)])
        _ = session.unsubscribe(Self.topic, .server)
        expectEqual(session.subscriptionCount, 1)
    }

    @Test func connectCommandTellsWhereTheClientLeftOff() {
        let session = TestSession()
        let actions = session.receive(
            #"{"id":1,"connect":{"data":[1],"subs":{"a":{"recover":true,"epoch":"e","offset":5,"#
                + #""flag":2},"b":{"epoch":"e","offset":6}}}}"#
        )
        let request = ConnectRequest(
            data: Array("[1]".utf8),
            subscriptions: [
                Self.topic: FormerSubscription(
                    since: Position(offset: 5, epoch: "e"),
                    mustRecover: true
                ),
                Topic(trusted: "b"): FormerSubscription(since: nil),
            ]
        )
        expectEqual(actions, [.connect(commandID: 1, request)])
    }

    @Test func subscribeCommandCarriesDataFilterAndWishes() {
        let session = connected(timeToLiveSeconds: nil)
        let actions = session.receive(
            #"{"id":2,"subscribe":{"channel":"a","data":{"x":1},"join_leave":true,"#
                + #""tf":{"key":"k","cmp":"eq","val":"v"}}}"# + "\n"
                + #"{"id":3,"subscribe":{"channel":"a","delta":"fossil"}}"# + "\n"
                + #"{"id":4,"subscribe":{"channel":"a","delta":"xdelta"}}"#
        )
        let first = SubscribeRequest(
            commandID: 2,
            topic: Self.topic,
            since: nil,
            data: Array(#"{"x":1}"#.utf8),
            filter: .compare(key: "k", .equal("v")),
            wantsJoinLeave: true
        )
        let second = SubscribeRequest(
            commandID: 3,
            topic: Self.topic,
            since: nil,
            wantsDelta: true
        )
        let third = SubscribeRequest(commandID: 4, topic: Self.topic, since: nil)
        expectEqual(actions, [.subscribe(first), .subscribe(second), .subscribe(third)])
    }

    @Test func refreshWithoutATokenIsABadRequest() {
        let session = connected(timeToLiveSeconds: 60)
        expectEqual(session.receive(#"{"id":2,"refresh":{}}"#), [errorReply(2, .badRequest)])
        expectEqual(
            session.receive(#"{"id":3,"sub_refresh":{"channel":"a"}}"#),
            [errorReply(3, .badRequest)]
        )
    }

    // MARK: Decisions of the caller

    @Test func callerDecidesAboutAConnectionOnceForEachTime() {
        let session = TestSession()
        _ = session.receive(#"{"id":1,"connect":{}}"#)
        _ = session.accept()
        session.decideOnConnection(at: 5000)
        expectEqual(session.deadline, 5000)
        expect(session.timerFired(now: 4999).isEmpty)
        expectEqual(session.timerFired(now: 5000), [.connectionExpired])
        expect(session.timerFired(now: 6000).isEmpty)
        expect(!session.isClosed)
        session.decideOnConnection(at: 9000)
        session.decideOnConnection(at: nil)
        expect(session.timerFired(now: 9000).isEmpty)
    }

    @Test func callerDecidesAboutASubscription() {
        let session = TestSession()
        _ = session.receive(#"{"id":1,"connect":{}}"#)
        _ = session.accept()
        let topic = Topic(trusted: "a")
        session.decideOnSubscription(to: topic, at: 5000)
        session.decideOnConnection(at: 5000)
        expectEqual(
            session.timerFired(now: 5000),
            [.connectionExpired, .subscriptionExpired(topic)]
        )
        expect(session.timerFired(now: 6000).isEmpty)
    }

    @Test func connectCommandWaitsAsLongAsTheCallerSays() {
        let session = TestSession()
        // There is none yet.
        session.extendConnect(until: 60_000)
        expectEqual(session.deadline, 10_000)
        _ = session.receive(#"{"id":1,"connect":{}}"#)
        session.extendConnect(until: 30_000)
        session.extendConnect(until: 20_000)
        expect(session.timerFired(now: 29_999).isEmpty)
        expectEqual(session.timerFired(now: 30_000), [.disconnect(.stale)])
    }
}
