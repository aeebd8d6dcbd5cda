import ClientWire
import Expectations

@Suite("Client protocol: the subscriber's side", .timeLimit(.minutes(10)))
struct CentrifugeSubscriberTests {
    private let tromso = Topic(trusted: "aurora:tromso")
    private let alerts = Topic(trusted: "aurora:tromso:alerts")

    private func lines(_ frame: [UInt8]) -> [String] {
        String(decoding: frame, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    private func receive(
        _ subscriber: inout CentrifugeSubscriber,
        _ frame: String
    ) throws -> CentrifugeSubscriber.Received {
        try subscriber.receive(Array(frame.utf8)[...])
    }

    private func publication(
        _ topic: Topic,
        _ offset: UInt64,
        _ payload: String
    ) -> CentrifugeSubscriber.Event {
        .publication(topic, offset: offset, payload: Array(payload.utf8))
    }

    /// Subscribed to `aurora:tromso` at offset 3 of epoch e.
    private func subscribed() throws -> CentrifugeSubscriber {
        var subscriber = CentrifugeSubscriber(topics: [tromso])
        let reply = #"{"id":2,"subscribe":{"recoverable":true,"epoch":"e","offset":3}}"#
        try expectEqual(receive(&subscriber, reply).events, [.subscribed(tromso)])
        return subscriber
    }

    @Test
    func firstFrameConnectsAndSubscribesToEverything() {
        let subscriber = CentrifugeSubscriber(topics: [tromso, alerts])
        expectEqual(
            lines(subscriber.start()),
            [
                #"{"id":1,"connect":{"name":"varde"}}"#,
                #"{"id":2,"subscribe":{"channel":"aurora:tromso"}}"#,
                #"{"id":3,"subscribe":{"channel":"aurora:tromso:alerts"}}"#,
            ]
        )
    }

    @Test
    func repliesOfOneFrameAreToldInOrder() throws {
        var subscriber = CentrifugeSubscriber(topics: [tromso, alerts])
        let frame = """
            {"id":1,"connect":{"client":"c1","version":"1"}}
            {"id":2,"subscribe":{"epoch":"e","offset":0}}
            {"id":3,"error":{"code":103,"message":"permission denied"}}
            """
        try expectEqual(
            receive(&subscriber, frame).events,
            [
                .connected(client: "c1"), .subscribed(tromso),
                .refused(alerts, code: 103, message: "permission denied"),
            ]
        )
    }

    @Test
    func pingIsAnsweredInKind() throws {
        var subscriber = CentrifugeSubscriber(topics: [tromso])
        let received = try receive(&subscriber, "{}")
        expectEqual(received.reply, Array("{}".utf8))
        expect(received.events.isEmpty)
    }

    @Test
    func publicationKeepsItsTextAndMovesThePosition() throws {
        var subscriber = try subscribed()
        let push = #"{"push":{"channel":"aurora:tromso","pub":{"data":{"a": 1.50},"offset":4}}}"#
        try expectEqual(
            receive(&subscriber, push).events,
            [publication(tromso, 4, #"{"a": 1.50}"#)]
        )
        expectEqual(
            lines(subscriber.start())[1],
            #"{"id":2,"subscribe":{"channel":"aurora:tromso","recover":true,"epoch":"e","offset":4}}"#
        )
    }

    @Test
    func offsetThatWasToldIsNotToldAgain() throws {
        var subscriber = try subscribed()
        for offset in 1...3 {
            let push =
                #"{"push":{"channel":"aurora:tromso","pub":{"data":1,"offset":\#(offset)}}}"#
            try expect(receive(&subscriber, push).events.isEmpty)
        }
    }

    @Test
    func missedPublicationsAreToldBeforeTheSubscriptionIsLive() throws {
        var subscriber = try subscribed()
        let reply = """
            {"id":2,"subscribe":{"epoch":"e","offset":3,"was_recovering":true,"recovered":true,\
            "publications":[{"data":1,"offset":3},{"data":2,"offset":4},{"data":3,"offset":5}]}}
            """
        try expectEqual(
            receive(&subscriber, reply).events,
            [
                publication(tromso, 4, "2"), publication(tromso, 5, "3"), .subscribed(tromso),
            ]
        )
        expect(lines(subscriber.start())[1].contains(#""epoch":"e","offset":5"#))
    }

    @Test
    func whatCannotBeRecoveredIsToldAsAGap() throws {
        var subscriber = try subscribed()
        let reply = """
            {"id":2,"subscribe":{"epoch":"e","offset":8,"was_recovering":true,"recovered":false,\
            "publications":[{"data":9,"offset":9}]}}
            """
        try expectEqual(
            receive(&subscriber, reply).events,
            [
                .gap(tromso), publication(tromso, 9, "9"), .subscribed(tromso),
            ]
        )
    }

    @Test
    func anotherEpochBeginsAnewWithoutTakingOldOffsetsForSeen() throws {
        var subscriber = try subscribed()
        let reply = #"{"id":2,"subscribe":{"epoch":"f","offset":1,"recovered":false}}"#
        try expectEqual(receive(&subscriber, reply).events, [.gap(tromso), .subscribed(tromso)])
        let push = #"{"push":{"channel":"aurora:tromso","pub":{"data":2,"offset":2}}}"#
        try expectEqual(receive(&subscriber, push).events, [publication(tromso, 2, "2")])
    }

    @Test
    func endsThatTheServerTellsAreTold() throws {
        var subscriber = try subscribed()
        let unsubscribe = """
            {"push":{"channel":"aurora:tromso","unsubscribe":{"code":2000,"reason":"server"}}}
            {"id":1,"error":{"code":101,"message":"unauthorized"}}
            """
        try expectEqual(
            receive(&subscriber, unsubscribe).events,
            [
                .refused(tromso, code: 2000, message: "server"),
                .rejected(code: 101, message: "unauthorized"),
            ]
        )
    }

    @Test
    func whatIsNotAskedForIsPassedOver() throws {
        var subscriber = try subscribed()
        let frame = """
            {"push":{"channel":"other","pub":{"data":1,"offset":1}}}
            {"push":{"channel":"aurora:tromso","join":{"info":{"client":"x"}}}}
            {"id":77,"subscribe":{"epoch":"e","offset":1}}
            {"id":0,"error":{"code":1,"message":""}}
            """
        let events = try receive(&subscriber, frame).events
        expectEqual(events, [.rejected(code: 1, message: "")])
    }

    @Test(arguments: ["{", "[]", "hello", #"{"push":1}"#, #"{"id":2,"subscribe":[]}"#])
    func frameThatIsNotOfTheProtocolIsAnError(frame: String) throws {
        var subscriber = try subscribed()
        #expect(throws: JSONError.self) { try receive(&subscriber, frame) }
    }
}
