import ClientWire
import Dispatch
import Expectations
import HubTesting
import LoopTesting
import Service

@testable import Loops

@Suite("Loop: the client protocol", .timeLimit(.minutes(10)))
struct LoopSubscriberTests {
    // MARK: Subscriptions

    @Test func clientIsLetIn() async throws {
        try await withLoops { hub in
            let client = try hub.connect()
            try await client.upgrade()
            let reply = try await client.command(#"{"id":1,"connect":{"name":"test"}}"#)
            expect(reply.hasPrefix(#"{"id":1,"connect":{"client":""#))
            expect(reply.contains(#""version":"\#(Version.text)","ping":3600,"pong":true"#))
            expect(reply.hasSuffix(#","node":"varde"}}"#))
        }
    }

    @Test func subscriberGetsWhatIsPublished() async throws {
        try await withLoops { hub in
            hub.publish("news:a", "0")
            let client = try hub.connect()
            try await client.connectSession()
            let reply = try await client.command(#"{"id":2,"subscribe":{"channel":"news:a"}}"#)
            expectEqual(reply, subscribed(2, offset: 1))
            hub.publish("news:b", #""not asked for""#)
            hub.publish("news:a", #"{"n":1}"#, #"{"n":2}"#)
            let firstText = try await client.receiveText()
            expectEqual(firstText, pushed("news:a", #"{"n":1}"#, 2))
            let secondText = try await client.receiveText()
            expectEqual(secondText, pushed("news:a", #"{"n":2}"#, 3))
        }
    }

    @Test func returningSubscriberMissesNothing() async throws {
        try await withLoops { hub in
            let first = try hub.connect()
            try await first.connectSession()
            _ = try await first.command(#"{"id":2,"subscribe":{"channel":"news:a"}}"#)
            hub.publish("news:a", "1", "2")
            _ = try await first.receiveText()
            let firstText = try await first.receiveText()
            expectEqual(firstText, pushed("news:a", "2", 2))
            await first.reset()
            hub.publish("news:a", "3", "4", "5")

            let second = try hub.connect()
            try await second.connectSession()
            let reply = try await second.command(
                #"{"id":2,"subscribe":{"channel":"news:a","recover":true,"epoch":"e1","offset":2}}"#
            )
            let missed = (3...5).map { #"{"data":\#($0),"offset":\#($0)}"# }.joined(separator: ",")
            expectEqual(reply, subscribed(2, offset: 2, recovered: true, missed: missed))
            hub.publish("news:a", "6")
            let secondText = try await second.receiveText()
            expectEqual(secondText, pushed("news:a", "6", 6))
        }
    }

    /// Publications go on while the client leaves and comes back, again and again.
    @Test func subscriberThatReconnectsInAStreamOfPublicationsSeesEachOnce() async throws {
        let count = 300
        try await withLoops { hub in
            let publisher = Task.detached {
                for number in 1...count {
                    hub.publish("news:a", "\(number)")
                    await Task.yield()
                }
            }
            var offset = 0
            while offset < count {
                let client = try hub.connect()
                try await client.connectSession()
                try await client.sendText(
                    #"{"id":2,"subscribe":{"channel":"news:a","recover":true,"epoch":"e1","#
                        + #""offset":\#(offset)}}"#
                )
                let reply = try await client.receiveText()
                try require(reply.contains(#""recovered":true"#), "after \(offset): \(reply)")
                var offsets = offsetsOfPublications(in: reply)
                // A few live ones, then away without a word.
                if (offsets.last ?? offset) < count - 5 {
                    for _ in 0..<5 {
                        offsets += offsetsOfPublications(in: try await client.receiveText())
                    }
                }
                try require(offsets == Array(offset + 1..<offset + 1 + offsets.count))
                offset += offsets.count
                await client.reset()
                await Task.yield()
            }
            await publisher.value
            expectEqual(offset, count)
        }
    }

    @Test func subscriberThatStayedAwayTooLongIsToldTheGap() async throws {
        try await withLoops { hub in
            hub.publish("brief:a", "1", "2", "3", "4")
            let client = try hub.connect()
            try await client.connectSession()
            let reply = try await client.command(
                #"{"id":2,"subscribe":{"channel":"brief:a","recover":true,"epoch":"e1","offset":1}}"#
            )
            let left = #"{"data":3,"offset":3},{"data":4,"offset":4}"#
            expectEqual(reply, subscribed(2, offset: 2, recovered: false, missed: left))
        }
    }

    @Test(arguments: [("nowhere:a", 102), ("closed:a", 103)])
    func topicThatMayNotBeReadIsRefused(topic: String, code: Int) async throws {
        try await withLoops { hub in
            let client = try hub.connect()
            try await client.connectSession()
            let reply = try await client.command(
                #"{"id":2,"subscribe":{"channel":"\#(topic)"}}"#
            )
            expect(reply.hasPrefix(#"{"id":2,"error":{"code":\#(code),"#))
            await expectEqual(hub.loops[0].subscriptionCount, 0)
        }
    }

    @Test func secondSubscriptionToOneTopicIsRefused() async throws {
        try await withLoops { hub in
            let client = try hub.connect()
            try await client.connectSession()
            _ = try await client.command(#"{"id":2,"subscribe":{"channel":"news:a"}}"#)
            let reply = try await client.command(#"{"id":3,"subscribe":{"channel":"news:a"}}"#)
            expect(reply.hasPrefix(#"{"id":3,"error":{"code":105,"#))
            hub.publish("news:a", "1")
            hub.publish("news:a", "2")
            let firstText = try await client.receiveText()
            expectEqual(firstText, pushed("news:a", "1", 1))
            let secondText = try await client.receiveText()
            expectEqual(secondText, pushed("news:a", "2", 2))
        }
    }

    @Test func endedSubscriptionGetsNothingMore() async throws {
        try await withLoops { hub in
            let client = try hub.connect()
            try await client.connectSession()
            _ = try await client.command(#"{"id":2,"subscribe":{"channel":"news:a"}}"#)
            _ = try await client.command(#"{"id":3,"subscribe":{"channel":"news:b"}}"#)
            let reply = try await client.command(#"{"id":4,"unsubscribe":{"channel":"news:a"}}"#)
            expectEqual(reply, #"{"id":4,"unsubscribe":{}}"#)
            hub.publish("news:a", "1")
            hub.publish("news:b", "2")
            let text = try await client.receiveText()
            expectEqual(text, pushed("news:b", "2", 1))
        }
    }

    // MARK: Several loops

    @Test func subscribersOnBothLoopsGetEverythingInOrder() async throws {
        try await withLoops(loops: 2) { hub in
            let clients = try await subscribersOnEveryLoop(of: hub)
            let publisher = Task.detached {
                for batch in 0..<40 {
                    hub.publish("news:a", (1...5).map { "\(batch * 5 + $0)" })
                    await Task.yield()
                }
            }
            for client in clients {
                for number in 1...200 {
                    let text = try await client.receiveText()
                    try require(text == pushed("news:a", "\(number)", number))
                }
            }
            await publisher.value
        }
    }

    /// What a client has seen on one loop, every loop knows.
    @Test func positionFromOneLoopIsGoodOnEveryOther() async throws {
        try await withLoops(loops: 2) { hub in
            var clients = try await subscribersOnEveryLoop(of: hub)
            for number in 1...30 {
                hub.publish("news:a", "\(number)")
                let next = try hub.connect()
                let leaving = clients.removeFirst()
                let text = try await leaving.receiveText()
                expectEqual(text, pushed("news:a", "\(number)", number))
                await leaving.reset()
                for client in clients { _ = try await client.receiveText() }
                try await next.connectSession()
                let reply = try await next.command(
                    #"{"id":2,"subscribe":{"channel":"news:a","recover":true,"epoch":"e1","#
                        + #""offset":\#(number)}}"#
                )
                try require(reply == subscribed(2, offset: number, recovered: true))
                clients.append(next)
            }
        }
    }

    /// A publication and the subscription of one who has seen it elsewhere reach the loop in one turn.
    @Test func publicationsAreTakenInBeforeInput() async throws {
        try await withLoops { hub in
            let client = try hub.connect()
            try await client.connectSession()
            let isHeld = LoopSignal()
            let mayGoOn = DispatchSemaphore(value: 0)
            let hold = Task.detached {
                await hub.loops[0].hold {
                    isHeld.send()
                    mayGoOn.wait()
                }
            }
            await isHeld.wait()
            hub.publish("news:a", "1")
            try await client.sendText(
                #"{"id":2,"subscribe":{"channel":"news:a","recover":true,"epoch":"e1","offset":1}}"#
            )
            mayGoOn.signal()
            let reply = try await client.receiveText()
            expectEqual(reply, subscribed(2, offset: 1, recovered: true))
            await hold.value
        }
    }
}

// MARK: - Support

/// Clients with a subscription to `news:a`, at least one on each loop.
private func subscribersOnEveryLoop(of hub: LoopFixture) async throws -> [LoopTestClient] {
    var clients: [LoopTestClient] = []
    // The kernel deals connections out by a hash; 64 on one side are as good as impossible.
    while clients.count < 64 {
        let client = try hub.connect()
        try await client.connectSession()
        let offset = try await client.command(#"{"id":2,"subscribe":{"channel":"news:a"}}"#)
        expectEqual(offset, subscribed(2, offset: 0))
        clients.append(client)
        var counts: [Int] = []
        for loop in hub.loops { counts.append(await loop.subscriptionCount) }
        if counts.allSatisfy({ $0 > 0 }) { return clients }
    }
    throw LoopTestClient.Failure.unexpected("one loop gets all connections")
}

func pushed(_ topic: String, _ payload: String, _ offset: Int) -> String {
    #"{"push":{"channel":"\#(topic)","pub":{"data":\#(payload),"offset":\#(offset)}}}"#
}

func subscribed(
    _ id: Int,
    offset: Int,
    recovered: Bool? = nil,
    missed: String = ""
) -> String {
    let publications = missed.isEmpty ? "" : #","publications":[\#(missed)]"#
    return #"{"id":\#(id),"subscribe":{"recoverable":true,"positioned":true,"epoch":"e1","#
        + #""offset":\#(offset),"was_recovering":\#(recovered != nil),"#
        + #""recovered":\#(recovered ?? false)\#(publications)}}"#
}

/// The offsets of the publications in a reply or a push; each stands behind its number as data.
private func offsetsOfPublications(in text: String) -> [Int] {
    text.split(separator: #"{"data":"#).dropFirst().compactMap {
        Int($0.prefix { $0.isNumber })
    }
}
