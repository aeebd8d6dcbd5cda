import ClientWire
import Expectations
import LoopTesting
import Loops
import Service

@testable import RadarApp

@Suite("Loop: topics that end", .timeLimit(.minutes(10)))
struct LoopEndingTests {
    private static func unsubscribed(_ topic: String, _ code: UnsubscribeCode) -> String {
        #"{"topic":"\#(topic)","code":\#(code.code),"reason":"\#(code.reason)"}"#
    }

    private static func event(_ topic: String, _ code: UnsubscribeCode) -> String {
        "event: unsubscribed\ndata: \(unsubscribed(topic, code))\n\n"
    }

    /// As whoever deletes a radar does it.
    private func delete(_ id: String, _ context: RadarFixture) async {
        context.radars.remove(id)
        await context.hub.transport.endRadar(id)
    }

    // MARK: Of the client protocol

    @Test func subscribersOfARemovedTopicAreToldAndKeepTheirOthers() async throws {
        try await withRadars(loops: 2) { context in
            let clients = [try await context.client("1"), try await context.client("2")]
            for client in clients {
                _ = try await client.subscribe(2, "radar:open")
                _ = try await client.subscribe(3, "news:a")
            }
            await delete("open", context)
            for client in clients {
                let push = try await client.receiveText()
                expectEqual(
                    push,
                    #"{"push":{"channel":"radar:open","unsubscribe":{"code":2001,"#
                        + #""reason":"topic removed"}}}"#
                )
                let reply = try await client.subscribe(4, "radar:open")
                expect(reply.contains(#""code":102"#))
            }
            context.hub.publish("radar:open", "1")
            context.hub.publish("news:a", "2")
            for client in clients {
                let push = try await client.receiveText()
                expect(push.contains(#""channel":"news:a","pub""#))
            }
        }
    }

    @Test func ownerOfARadarThatIsNoLongerPublicStays() async throws {
        try await withRadars { context in
            let owner = try await context.client("1")
            let other = try await context.client("2")
            for client in [owner, other] { _ = try await client.subscribe(2, "radar:open") }
            let own = try await context.socket("open", token: context.tokens.connection("1"))
            let anyones = try await context.socket("open")
            context.radars.put(RadarDirectory.Entry(owner: "1", isPublic: false), id: "open")
            await context.hub.transport.endRadar("open", .server, sparing: "1")
            try await expect(other.receiveText().contains(#""unsubscribe":{"code":2000"#))
            try await expect(anyones.receiveClose() == (1008, "force disconnect"))
            context.hub.publish("radar:open", "1")
            context.hub.publish("radar-app:open", "2")
            try await expect(owner.receiveText().contains(#""pub":{"data":1"#))
            try await expectEqual(own.receiveText(), "2")
        }
    }

    // MARK: Of readers

    @Test func socketOfARemovedRadarIsClosedForGood() async throws {
        try await withRadars(loops: 2) { context in
            let socket = try await context.socket("open")
            let other = try await context.socket("own", token: context.tokens.connection("1"))
            await delete("open", context)
            try await expect(socket.receiveClose() == (1000, "topic removed"))
            context.hub.publish("radar-app:own", "1")
            try await expectEqual(other.receiveText(), "1")
            try await expectEqual(context.handshake("open").head.status, 401)
        }
    }

    @Test func streamGoesOnWithItsOtherTopicsAndEndsAfterTheLast() async throws {
        try await withRadars { context in
            let stream = try await context.stream("radar:open,news:a")
            await delete("open", context)
            let told = try await stream.receive(through: "\n\n")
            expectEqual(told, Self.event("radar:open", .topicRemoved))
            context.hub.publish("radar:open", "1")
            context.hub.publish("news:a", "2")
            try await expect(stream.receive(through: "\n\n").hasSuffix("data: 2\n\n"))
            await context.hub.transport.end([topic("news:a")])
            let rest = try await stream.receiveAll()
            expect(rest.hasPrefix(Self.event("news:a", .topicRemoved)))
            await stream.close()
            await context.hub.loops[0].untilStreamsAreGone()
            let cause = DisconnectCause(.topicRemoved, .closed)
            await expectEqual(context.hub.loops[0].counted.disconnects, [cause: 1])
        }
    }

    @Test func readerOfCloudEventsGoesOnAndIsClosedAfterTheLastTopic() async throws {
        try await withRadars { context in
            context.hub.publish("news:a", "0")
            let reader = try await context.cloudEvents("radar:open,news:a")
            try await expect(reader.receiveText().contains("hub.opened"))
            await delete("open", context)
            let told = try await reader.receiveText()
            expect(told.contains(#""type":"hub.unsubscribed""#))
            expect(told.contains(#""hubcursor":"101""#))
            expect(told.contains(#""data":\#(Self.unsubscribed("radar:open", .topicRemoved))"#))
            context.hub.publish("news:a", "2")
            try await expect(reader.receiveText().contains(#""data":2"#))
            await context.hub.transport.end([topic("news:a")])
            try await expect(reader.receiveText().contains("hub.unsubscribed"))
            try await expect(reader.receiveClose() == (1000, "topic removed"))
            await expectEqual(context.hub.loops[0].subscriptionCount, 0)
        }
    }

    // MARK: Those who come back

    @Test func streamThatComesBackGetsWhatIsLeft() async throws {
        try await withRadars { context in
            context.hub.publish("news:a", "1", "2")
            context.radars.remove("open")
            let stream = try context.hub.connect()
            let query = "/events?topics=radar:open,news:a,radar:gone"
            try await stream.send(httpRequest("GET", query, ["Last-Event-ID: 101"]))
            try await expectEqual(stream.receiveHead().status, 200)
            try await expect(stream.receive(through: "\n\n").hasPrefix("retry: "))
            for name in ["radar:open", "radar:gone"] {
                let told = try await stream.receive(through: "\n\n")
                expectEqual(told, Self.event(name, .topicRemoved))
            }
            try await expect(stream.receive(through: "\n\n").hasSuffix("data: 2\n\n"))
            await expectEqual(context.hub.loops[0].subscriptionCount, 1)
        }
    }

    @Test func readerOfCloudEventsThatComesBackGetsWhatIsLeft() async throws {
        try await withRadars { context in
            context.hub.publish("news:a", "1", "2")
            let reader = try await context.cloudEvents("radar:gone,news:a&last_event_id=101")
            let told = try await reader.receiveText()
            expect(told.contains(#""hubcursor":"101""#))
            expect(told.contains(#""data":\#(Self.unsubscribed("radar:gone", .topicRemoved))"#))
            try await expect(reader.receiveText().contains(#""data":2"#))
        }
    }

    @Test(arguments: [
        // Nothing is left; a topic is there and not for the reader; nobody has come back.
        ("radar:gone,radar:own", "Last-Event-ID: 101", 204),
        ("news:a,radar:gone,closed:a", "Last-Event-ID: 101", 204),
        ("radar:gone&last_event_id=101", "X: y", 404), ("news:a,radar:gone", "X: y", 404),
        ("radar:gone,closed:a&last_event_id=101", "X: y", 403),
    ])
    func streamIsRefusedAsAWhole(query: String, field: String, status: Int) async throws {
        try await withRadars { context in
            let stream = try context.hub.connect()
            try await stream.send(httpRequest("GET", "/events?topics=\(query)", [field]))
            try await expectEqual(stream.receiveHead().status, status)
            await expectEqual(context.hub.loops[0].subscriptionCount, 0)
        }
    }

    // MARK: The server API

    @Test func backendEndsSubscriptionsOfEveryProtocol() async throws {
        try await withRadars { context in
            let token = "token=\(try context.tokens.connection("1"))"
            let client = try await context.client("1")
            _ = try await client.subscribe(2, "news:a")
            let stream = try await context.stream("news:a,news:b&\(token)")
            let reader = try await context.cloudEvents("news:a&\(token)")
            try await expect(reader.receiveText().contains("hub.opened"))
            let other = try await context.stream("news:a")
            let connections = ServerAPIRequest.Connections(user: "1")
            let name = topic("news:a")
            await context.hub.loops[0].perform { $0.unsubscribe(connections, from: name) }
            try await expect(client.receiveText().contains(#""unsubscribe":{"code":2000"#))
            try await expectEqual(stream.receive(through: "\n\n"), Self.event("news:a", .server))
            try await expect(reader.receiveText().contains("hub.unsubscribed"))
            try await expect(reader.receiveClose() == (1008, "force disconnect"))
            context.hub.publish("news:a", "1")
            context.hub.publish("news:b", "2")
            try await expect(stream.receive(through: "\n\n").hasSuffix("data: 2\n\n"))
            try await expect(other.receive(through: "\n\n").hasSuffix("data: 1\n\n"))
        }
    }

    @Test func backendEndsTheSocketsOfAUser() async throws {
        try await withRadars { context in
            let socket = try await context.socket("own", token: context.tokens.connection("1"))
            let anyones = try await context.socket("open")
            let request = ServerAPIRequest.Disconnect(
                connections: ServerAPIRequest.Connections(user: "1")
            )
            await context.hub.loops[0].perform { $0.disconnect(request) }
            try await expect(socket.receiveClose() == (1008, "force disconnect"))
            context.hub.publish("radar-app:open", "1")
            try await expectEqual(anyones.receiveText(), "1")
        }
    }

    @Test func reloadLeavesTheSocketsOfRadars() async throws {
        try await withRadars { context in
            let socket = try await context.socket("open")
            let update = LoopUpdate(
                settings: LoopSettings(),
                rules: NamespaceRules(RadarFixture.namespaces, radars: context.radars),
                verifier: context.tokens.verifier
            )
            await expectEqual(context.hub.loops[0].perform { $0.use(update) }, 0)
            context.hub.publish("radar-app:open", "1")
            try await expectEqual(socket.receiveText(), "1")
        }
    }

    // MARK: Watched radars

    @Test func radarsWithSubscribersOfAnyProtocolAreWatched() async throws {
        try await withRadars(loops: 2) { context in
            let transport = context.hub.transport
            context.hub.publish("radar:own", "1")
            let stream = try await context.stream("news:a")
            await expectEqual(transport.watchedRadars(), [])
            let socket = try await context.socket("open")
            await expectEqual(transport.watchedRadars(), ["open"])
            let client = try await context.client("1")
            _ = try await client.subscribe(2, "radar:own")
            _ = try await client.subscribe(3, "radar:open")
            await expectEqual(transport.watchedRadars(), ["open", "own"])
            await delete("open", context)
            _ = try await socket.receiveClose()
            await expectEqual(transport.watchedRadars(), ["own"])
            await stream.close()
        }
    }
}
