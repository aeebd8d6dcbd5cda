import Configuration
import ConfigurationTesting
import Expectations
import HubTesting
import LoopTesting

@testable import Loops

/// Publications as differences: a subscriber that applies them has what was published, always.
@Suite("Loop: deltas", .timeLimit(.minutes(10)))
struct LoopDeltaTests {
    private static let namespaces = [
        Configuration.Namespace("score") {
            $0.delta = true
            $0.publish = .anyone
        },
        Configuration.Namespace("plain") { $0.publish = .anyone },
    ]
    private static let delta = #","delta":"fossil""#

    /// Long, and alike from number to number, so that a difference is shorter.
    private func payload(_ number: Int) -> String {
        #"{"text":"\#(String(repeating: "northern lights ", count: 20))","number":\#(number)}"#
    }

    private func publish(_ hub: LoopFixture, _ number: Int, allowsDelta: Bool = true) {
        hub.publish([
            ClientPublication(
                topic: topic("score:a"),
                data: Array(payload(number).utf8),
                info: nil,
                allowsDelta: allowsDelta
            )
        ])
    }

    /// A subscriber that keeps the last publication and applies differences to it.
    private struct Reader {
        let client: LoopTestClient
        private var base: [UInt8]?

        init(_ hub: LoopFixture, _ fields: String = "") async throws {
            client = try hub.connect()
            try await client.connectSession()
            let reply = try await client.subscribe(2, "score:a", LoopDeltaTests.delta + fields)
            try require(reply.contains(#""delta":true"#), "\(reply)")
            base = try LoopDeltaTests.data(of: reply).last
        }

        /// The next publication, and whether it came as a difference.
        mutating func next() async throws -> (text: String, isDifference: Bool) {
            let push = try await client.receiveText()
            let data = try require(LoopDeltaTests.data(of: push).first)
            guard push.contains(#""delta":true"#) else {
                base = data
                return (String(decoding: data, as: UTF8.self), false)
            }
            let base = try require(base, "a difference from nothing")
            let whole = try FossilDelta.apply(data, to: base, lengthMax: 1 << 20)
            self.base = whole
            return (String(decoding: whole, as: UTF8.self), true)
        }
    }

    /// Of all publications in a message to a subscriber that agreed to deltas; in JSON they are texts.
    private static func data(of json: String) throws -> [[UInt8]] {
        try json.split(separator: #"{"data":"#).dropFirst().map { part in
            let bytes = Array(part.utf8)
            var end = 1
            while bytes[end] != UInt8(ascii: "\"") {
                end += bytes[end] == UInt8(ascii: "\\") ? 2 : 1
            }
            let text = try require(JSONReader.string(bytes[0...end]), "\(part)")
            return Array(text.utf8)
        }
    }

    @Test func firstPublicationIsWholeAndTheOthersAreDifferences() async throws {
        try await withLoops(namespaces: Self.namespaces) { hub in
            var reader = try await Reader(hub)
            for number in 1...4 {
                publish(hub, number)
                let (text, isDifference) = try await reader.next()
                expectEqual(text, payload(number))
                expectEqual(isDifference, (number > 1))
            }
        }
    }

    @Test func subscriberThatComesLaterBeginsWithAWholeOne() async throws {
        try await withLoops(namespaces: Self.namespaces) { hub in
            var first = try await Reader(hub)
            publish(hub, 1)
            try await expect(first.next() == (payload(1), false))
            var second = try await Reader(hub)
            publish(hub, 2)
            try await expect(first.next() == (payload(2), true))
            try await expect(second.next() == (payload(2), false))
            publish(hub, 3)
            try await expect(first.next() == (payload(3), true))
            try await expect(second.next() == (payload(3), true))
        }
    }

    @Test func subscriberThatComesBackBeginsWithWholeOnes() async throws {
        try await withLoops(namespaces: Self.namespaces) { hub in
            var stayed = try await Reader(hub)
            for number in 1...3 { publish(hub, number) }
            for number in 1...3 { try await expectEqual(stayed.next().text, payload(number)) }
            var back = try await Reader(hub, #","recover":true,"epoch":"e1","offset":1"#)
            publish(hub, 4)
            try await expect(stayed.next() == (payload(4), true))
            try await expect(back.next() == (payload(4), false))
            publish(hub, 5)
            try await expect(back.next() == (payload(5), true))
        }
    }

    @Test func whenNobodyListensTheBaseIsForgotten() async throws {
        try await withLoops(namespaces: Self.namespaces) { hub in
            var first = try await Reader(hub)
            publish(hub, 1)
            _ = try await first.next()
            _ = try await first.client.command(#"{"id":3,"unsubscribe":{"channel":"score:a"}}"#)
            publish(hub, 2)
            var second = try await Reader(hub)
            publish(hub, 3)
            try await expect(second.next() == (payload(3), false))
            publish(hub, 4)
            try await expect(second.next() == (payload(4), true))
        }
    }

    @Test func publisherMayForbidADifference() async throws {
        try await withLoops(namespaces: Self.namespaces) { hub in
            var reader = try await Reader(hub)
            for (number, allows) in [(1, true), (2, false), (3, true)] {
                publish(hub, number, allowsDelta: allows)
                let (text, isDifference) = try await reader.next()
                expectEqual(text, payload(number))
                expectEqual(isDifference, (number == 3))
            }
        }
    }

    /// One commit may hold several publications of a topic.
    @Test func differencesOfOneCommitFollowEachOther() async throws {
        try await withLoops(namespaces: Self.namespaces) { hub in
            var reader = try await Reader(hub)
            hub.publish(
                (1...5).map {
                    ClientPublication(
                        topic: topic("score:a"),
                        data: Array(payload($0).utf8),
                        info: nil,
                        allowsDelta: true
                    )
                }
            )
            for number in 1...5 {
                try await expect(reader.next() == (payload(number), number > 1))
            }
        }
    }

    @Test func whatClientsPublishComesAsADifferenceToo() async throws {
        try await withLoops(namespaces: Self.namespaces) { hub in
            var reader = try await Reader(hub)
            let writer = try hub.connect()
            try await writer.connectSession()
            for number in 1...2 {
                let command =
                    #"{"id":2,"publish":{"channel":"score:a","data":\#(payload(number))}}"#
                try await expectEqual(writer.command(command), #"{"id":2,"publish":{}}"#)
                try await expect(reader.next() == (payload(number), number > 1))
            }
        }
    }

    @Test func namespaceWithoutDeltasAgreesToNone() async throws {
        try await withLoops(namespaces: Self.namespaces) { hub in
            let client = try hub.connect()
            try await client.connectSession()
            let reply = try await client.subscribe(2, "plain:a", Self.delta)
            expect(!reply.contains(#""delta""#))
            hub.publish("plain:a", payload(1))
            try await expect(client.receiveText().contains(#""data":{"text""#))
        }
    }
}
