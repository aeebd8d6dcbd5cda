import ClientWire
import Expectations
import Foundation

/// protocol/vectors/cloudevents.json. Cursors are texts there, as they are in the events.
struct CloudEventsVectors: Decodable {
    struct Event: Decodable, CustomTestStringConvertible {
        var name: String?
        var topic: String
        var offset: UInt64
        var cursor: String
        var time: Int64?
        var payload: String
        var byClient: Bool?
        var message: String?

        var testDescription: String { name ?? topic }

        /// - Parameter now: its time, where it has none.
        func publication(now: Int64) -> Publication {
            Publication(
                topic: Topic(trusted: topic),
                offset: offset,
                cursor: UInt64(cursor)!,
                time: Timestamp(milliseconds: time ?? now),
                payload: Array(payload.utf8),
                info: byClient == true ? ClientInfo(user: "", client: "c") : nil
            )
        }
    }

    struct Opened: Decodable {
        var topics: [String]
        var cursor: String
        var message: String
    }

    struct Recovery: Decodable {
        var name: String
        var since: String
        var publications: [Event]
        var gap: EventStreamVectors.Gap?
        var messages: [String]
    }

    struct Unsubscribed: Decodable {
        var topic: String
        var code: UInt32
        var cursor: String
        var message: String
    }

    var epoch: String
    var reader: String
    var now: Int64
    var publications: [Event]
    var opened: Opened
    var recoveries: [Recovery]
    var unsubscribed: Unsubscribed

    static let file = Result { try Vectors.load("cloudevents.json", as: CloudEventsVectors.self) }

    /// Empty when the file can't be read; a test of its own says so.
    static var allPublications: [Event] { (try? file.get().publications) ?? [] }
}

@Suite("CloudEvents", .timeLimit(.minutes(10)))
struct CloudEventsTests {
    @Test func fileCanBeRead() throws {
        try expect(CloudEventsVectors.file.get().publications.count >= 8)
    }

    @Test(arguments: CloudEventsVectors.allPublications)
    func publicationIsAsWritten(vector: CloudEventsVectors.Event) throws {
        let file = try CloudEventsVectors.file.get()
        var bytes = Array("before".utf8)
        CloudEventsEncoder.appendPublication(
            vector.publication(now: file.now),
            epoch: file.epoch,
            to: &bytes
        )
        expectEqual(text(bytes), "before" + (vector.message ?? ""))
    }

    @Test func readerWithoutACursorIsToldWhereItStands() throws {
        let file = try CloudEventsVectors.file.get()
        let message = CloudEventsEncoder.opened(
            reader: file.reader,
            topics: file.opened.topics.map { Topic(trusted: $0) },
            cursor: UInt64(file.opened.cursor)!,
            now: Timestamp(milliseconds: file.now)
        )
        expectEqual(text(message), file.opened.message)
    }

    @Test func readerIsToldTheEndOfASubscription() throws {
        let file = try CloudEventsVectors.file.get()
        let code = try require(UnsubscribeCode.all.first { $0.code == file.unsubscribed.code })
        let message = CloudEventsEncoder.unsubscribed(
            Topic(trusted: file.unsubscribed.topic),
            code,
            reader: file.reader,
            cursor: UInt64(file.unsubscribed.cursor)!,
            now: Timestamp(milliseconds: file.now)
        )
        expectEqual(text(message), file.unsubscribed.message)
    }

    @Test func recoveriesAreAsWritten() throws {
        let file = try CloudEventsVectors.file.get()
        for vector in file.recoveries {
            let messages = CloudEventsEncoder.recovery(
                StreamRecovery(
                    publications: vector.publications.map { $0.publication(now: file.now) },
                    gaps: vector.gap.map { [$0.gap] } ?? []
                ),
                since: UInt64(vector.since)!,
                reader: file.reader,
                now: Timestamp(milliseconds: file.now),
                epoch: { _ in file.epoch }
            )
            expectEqual(messages.map(text), vector.messages, "\(vector.name)")
        }
    }

    /// CloudEvents 1.0.2 §3: which attributes an event must have, and what their names may be.
    @Test func everyMessageIsACloudEvent() throws {
        let file = try CloudEventsVectors.file.get()
        let messages =
            file.publications.compactMap(\.message)
            + [file.opened.message, file.unsubscribed.message] + file.recoveries.flatMap(\.messages)
        for message in messages {
            let event = try require(
                JSONSerialization.jsonObject(with: Data(message.utf8)) as? [String: Any],
                "\(message)"
            )
            expectEqual(event["specversion"] as? String, "1.0")
            for name in ["id", "source", "type"] {
                expectEqual((event[name] as? String)?.isEmpty, false, "\(name) of \(message)")
            }
            for name in event.keys {
                expect(name.wholeMatch(of: /[a-z0-9]+/) != nil, "\(name)")
            }
            // An Integer of CloudEvents has 32 bits; cursors and offsets are texts.
            for name in event.keys where name.hasPrefix("hub") {
                expect(event[name] is String, "\(name)")
            }
        }
    }

    @Test func identifiersAreEachGivenOnce() throws {
        let file = try CloudEventsVectors.file.get()
        let identifiers = try file.publications.compactMap(\.message).map {
            let event = try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
            return "\(event?["source"] ?? "") \(event?["id"] ?? "")"
        }
        expectEqual(Set(identifiers).count, identifiers.count)
    }
}
