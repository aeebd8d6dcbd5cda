import ClientWire
import Configuration
import ConfigurationTesting
import Expectations
import LoopTesting
import Loops
import Service

@testable import RadarApp

@Suite("Loop: who may read a radar's topic", .timeLimit(.minutes(10)))
struct LoopRadarAccessTests {
    // MARK: Rules

    private static let rules = NamespaceRules(
        RadarFixture.namespaces,
        radars: RadarDirectory([
            "open": RadarDirectory.Entry(owner: "1", isPublic: true),
            "own": RadarDirectory.Entry(owner: "1", isPublic: false),
            "nobody": RadarDirectory.Entry(owner: "", isPublic: false),
        ])
    )

    @Test(
        arguments: [
            ("radar:open", "", .allowed), ("radar:open", "2", .allowed),
            ("radar:own", "", .unknown), ("radar:own", "2", .unknown),
            ("radar:own", "1", .allowed), ("radar:gone", "1", .unknown),
            ("radar:nobody", "", .unknown), ("radar:", "1", .unknown), ("radar", "1", .unknown),
            ("radar:open:more", "1", .unknown), ("radar-app:open", "1", .unknown),
            ("radar-app:own", "1", .unknown), ("radar-app", "1", .unknown),
            ("radars:own", "1", .unknown), ("news:a", "", .allowed),
        ] as [(String, String, AccessDecision)]
    )
    func radarDecidesAndNotItsNamespace(name: String, user: String, decision: AccessDecision) {
        let identity = Identity(user: user)
        let topic = topic(name)
        expectEqual(Self.rules.subscribe(to: topic, by: identity, isGranted: false), decision)
    }

    @Test(
        arguments: [
            ("radar:own", .allowed), ("radar:gone", .unknown), ("radar-app:open", .unknown),
        ] as [(String, AccessDecision)]
    )
    func grantOpensARadarThatThereIs(name: String, decision: AccessDecision) {
        let found = Self.rules.subscribe(to: topic(name), by: .anonymous, isGranted: true)
        expectEqual(found, decision)
    }

    @Test(arguments: [
        ("radar:own", true), ("radar:open", true), ("radar:gone", false), ("radar", false),
        ("radar-app:open", false), ("radar-app", false),
    ])
    func backendKnowsTheRadarsThatThereAre(name: String, isKnown: Bool) {
        expectEqual((Self.rules.features(of: topic(name)) != nil), isKnown)
    }

    @Test func clientsPublishNothingAboutRadars() {
        func publish(_ name: String, by user: String, isSubscribed: Bool) -> AccessDecision {
            Self.rules.decide(
                .publish,
                on: topic(name),
                by: Identity(user: user),
                isSubscribed: isSubscribed
            )
        }
        expectEqual(publish("radar:own", by: "1", isSubscribed: true), .denied(.nobody))
        expectEqual(publish("radar:open", by: "2", isSubscribed: false), .denied(.nobody))
        expectEqual(publish("radar:own", by: "2", isSubscribed: false), .unknown)
        expectEqual(publish("radar-app:open", by: "1", isSubscribed: true), .unknown)
    }

    @Test func historyIsForSubscribersOfTheRadar() {
        func history(_ name: String, isSubscribed: Bool) -> AccessDecision {
            Self.rules.decide(
                .history,
                on: topic(name),
                by: Identity(user: "2"),
                isSubscribed: isSubscribed
            )
        }
        expectEqual(history("radar:open", isSubscribed: true), .allowed)
        expectEqual(history("radar:open", isSubscribed: false), .denied(.notSubscribed))
        expectEqual(history("radar:own", isSubscribed: false), .unknown)
    }

    /// Nobody configures the reserved namespace; one who could would open nothing.
    @Test func reservedNamespaceStaysClosedWhenItIsConfigured() {
        let rules = NamespaceRules([Configuration.Namespace("radar-app")], radars: nil)
        let topic = topic("radar-app:open")
        expectEqual(rules.subscribe(to: topic, by: .anonymous, isGranted: true), .unknown)
        expectNil(rules.features(of: topic))
    }

    @Test func withoutRadarsTheNamespaceIsOneLikeAnyOther() {
        let rules = NamespaceRules(RadarFixture.namespaces, radars: nil)
        let found = rules.subscribe(to: topic("radar:x"), by: .anonymous, isGranted: false)
        expectEqual(found, .allowed)
    }

    @Test func directoryFollowsWhatBecomesOfARadar() {
        let radars = RadarDirectory()
        let rules = NamespaceRules(RadarFixture.namespaces, radars: radars)
        func decision() -> AccessDecision {
            rules.subscribe(to: topic("radar:7"), by: Identity(user: "2"), isGranted: false)
        }
        expectEqual(decision(), .unknown)
        radars.put(RadarDirectory.Entry(owner: "1", isPublic: true), id: "7")
        expectEqual(decision(), .allowed)
        radars.put(RadarDirectory.Entry(owner: "1", isPublic: false), id: "7")
        expectEqual(decision(), .unknown)
        radars.put(RadarDirectory.Entry(owner: "2", isPublic: false), id: "7")
        expectEqual(decision(), .allowed)
        expectEqual(radars.count, 1)
        radars.remove("7")
        expectEqual(decision(), .unknown)
        expectNil(radars["7"])
    }

    // MARK: Protocols

    @Test func subscribersOfTheClientProtocolAreThoseWhoMayRead() async throws {
        try await withRadars { context in
            let owner = try await context.client("1")
            let other = try await context.client("2")
            try await expect(owner.subscribe(2, "radar:own").contains(#""subscribe":"#))
            try await expect(other.subscribe(2, "radar:open").contains(#""subscribe":"#))
            for name in ["radar:own", "radar:gone", "radar-app:open", "radar-app:own"] {
                let reply = try await other.subscribe(3, name)
                expect(reply.contains(#""code":102"#), "\(name)")
            }
            let token = try context.tokens.subscription("2", "radar:own")
            let reply = try await other.subscribe(4, "radar:own", #","token":"\#(token)""#)
            expect(reply.contains(#""subscribe":"#))
            for (name, code) in [("radar:open", 103), ("radar:gone", 102), ("radar-app:open", 102)]
            {
                let publish = #"{"id":5,"publish":{"channel":"\#(name)","data":1}}"#
                try await expectEqual(other.errorCode(publish), code, "\(name)")
            }
            context.hub.publish("radar-app:open", "0")
            context.hub.publish("radar:own", "1")
            for client in [owner, other] {
                let push = try await client.receiveText()
                expectEqual(push, #"{"push":{"channel":"radar:own","pub":{"data":1,"offset":1}}}"#)
            }
        }
    }

    @Test func subscriptionsOfATokenAreMadeForRadarsThatThereAre() async throws {
        try await withRadars { context in
            let client = try context.hub.connect()
            let token = try context.tokens.connection(
                "2",
                topics: ["radar:own", "radar:gone", "radar-app:own"]
            )
            _ = try await client.connectSession(token: token)
            await expectEqual(context.hub.loops[0].subscriptionCount, 1)
            context.hub.publish("radar:own", "1")
            try await expect(client.receiveText().contains(#""channel":"radar:own""#))
        }
    }

    @Test(arguments: [
        ("radar:open", "", 200), ("radar:own", "", 404), ("radar:own", "1", 200),
        ("radar:own", "2", 404), ("radar:gone", "1", 404), ("radar-app:open", "1", 404),
    ])
    func streamsAndCloudEventsFollowTheSameRule(
        name: String,
        user: String,
        status: Int
    ) async throws {
        try await withRadars { context in
            let token = user.isEmpty ? "" : "&token=\(try context.tokens.connection(user))"
            let stream = try context.hub.connect()
            try await stream.send(httpRequest("GET", "/events?topics=\(name)\(token)"))
            try await expectEqual(stream.receiveHead().status, status)
            let reader = try context.hub.connect()
            let offer = "Sec-WebSocket-Protocol: cloudevents.json"
            try await reader.send(webSocketRequest("/events?topics=\(name)\(token)", [offer]))
            let head = try await reader.receiveHead()
            expectEqual(head.status, (status == 200 ? 101 : status))
        }
    }

    /// A public radar is for those who know its id.
    @Test func listOfTopicsNamesOnlyTheClientsOwnRadarsAndThoseThatItReads() async throws {
        try await withRadars { context in
            for name in ["radar:open", "radar:own", "radar:gone"] { context.hub.publish(name, "1") }
            let socket = try await context.socket("open")
            let list = #"{"id":2,"rpc":{"method":"hub.topics"}}"#
            let other = try await context.client("2")
            try await expect(!other.command(list).contains("radar"))
            _ = try await other.subscribe(3, "radar:open")
            let reply = try await other.command(list)
            expect(reply.contains(#""topic":"radar:open""#))
            expect(!reply.contains("own"))
            expect(!reply.contains("gone"))
            expect(!reply.contains("radar-app"))
            let owner = try await context.client("1")
            let owned = try await owner.command(list)
            expect(owned.contains(#""topic":"radar:open""#))
            expect(owned.contains(#""topic":"radar:own""#))
            let glob = try TopicGlob("*")
            let rules = NamespaceRules(RadarFixture.namespaces, radars: nil)
            let channels = await context.hub.transport.subscribedTopics {
                !rules.isReserved($0) && glob.matches($0)
            }
            let names = channels.keys.map(\.name)
            expectEqual(
                names,
                ["radar:open"],
                "that of the subscriber, and none of the app's socket"
            )
            await socket.close()
        }
    }
}
