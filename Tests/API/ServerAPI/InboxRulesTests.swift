import Configuration
import ConfigurationTesting
import Expectations
import Service

@testable import API
@testable import ClientWire

@Suite("Publications from SQL: the rules", .timeLimit(.minutes(10)))
struct InboxRulesTests {
    private struct OnlyOne: TopicRules {
        func exists(_ topic: Topic) -> Bool { topic.name == "domain:one" }
    }

    private static let requestBytesMax = 500
    private static let time = Timestamp(milliseconds: 1_767_225_600_000)

    private let rules = InboxRules(
        namespaces: NamespaceRules(
            [
                Configuration.Namespace("news") { $0.delta = true },
                Configuration.Namespace("bare") { $0.historySize = 0 },
                Configuration.Namespace("domain"),
            ],
            domains: ["domain": OnlyOne()],
            reserved: ["hidden"]
        ),
        requestBytesMax: requestBytesMax,
        time: time,
        change: { Change(events: $0, removedHistories: $0.map(\.topic)) }
    )

    private func verdict(_ request: String) -> InboxVerdict {
        rules.verdict(on: InboxRow(id: 1, channel: "", request: Array(request.utf8)))
    }

    private func event(_ request: String) throws -> TopicEvent {
        guard case .publish(let change) = verdict(request) else {
            throw Failure(verdict: verdict(request))
        }
        expectEqual(change.removedHistories, change.events.map(\.topic), "the change of the caller")
        return try require(change.events.first)
    }

    private struct Failure: Error {
        let verdict: InboxVerdict
    }

    @Test func rowIsPublishedAsByTheServerAPI() throws {
        let event = try event(
            """
            {"channel": "news:1", "data": {"a": [1, null]}, "idempotency_key": "k",
            "tags": {"a": "b"}, "version": 3, "version_epoch": "e", "skip_history": false,
            "delta": true}
            """
        )
        let expected = TopicEvent(
            topic: Topic(trusted: "news:1"),
            time: Self.time,
            payload: Array(#"{"a": [1, null]}"#.utf8),
            tags: ["a": "b"],
            keepsHistory: true,
            allowsDelta: true,
            idempotencyKey: "k",
            version: EventVersion(number: 3, epoch: "e"),
            source: .serverAPI
        )
        expectEqual(event, expected)
    }

    @Test func fieldsThatAreNullCountAsLeftOut() throws {
        let event = try event(
            """
            {"channel": "news:1", "data": null, "idempotency_key": null, "tags": null,
            "version": null, "version_epoch": null, "skip_history": null, "delta": null}
            """
        )
        let expected = TopicEvent(
            topic: Topic(trusted: "news:1"),
            time: Self.time,
            payload: Array("null".utf8),
            source: .serverAPI
        )
        expectEqual(event, expected)
    }

    @Test func namespaceDecidesAboutHistoryAndDeltas() throws {
        let event = try event(#"{"channel": "bare:1", "data": 1, "delta": true}"#)
        expect(!event.keepsHistory)
        expect(!event.allowsDelta)
        let skipping = try self.event(
            #"{"channel": "news:1", "data": 1, "skip_history": true}"#
        )
        expect(!skipping.keepsHistory)
    }

    @Test func topicOfADomainIsPublishedIfItExists() throws {
        try expectEqual(event(#"{"channel": "domain:one", "data": 1}"#).topic.name, "domain:one")
        let reason =
            "unknown channel: topic domain:two does not exist in namespace domain, or is not for this client"
        expectEqual(verdict(#"{"channel": "domain:two", "data": 1}"#), .refuse(reason: reason))
    }

    static let refused = [
        (
            #"{"channel": "nowhere:1", "data": 1}"#,
            ServerAPIError.unknown(namespace: "nowhere").message
        ),
        (
            #"{"channel": "hidden:1", "data": 1}"#,
            "unknown channel"
        ),
        (#"{"channel": "", "data": 1}"#, "channel: topic is empty"),
        (
            #"{"channel": "news: 1", "data": 1}"#,
            "channel: topic has the forbidden byte 0x20 at index 5"
        ),
        (#"{"channel": "news:1"}"#, "data is missing"),
        (
            #"{"channel": "news:1", "data": 1, "tags": []}"#,
            "tags: expected an object, found an array"
        ),
        (
            #"{"channel": "news:1", "data": 1, "tags": {"a": 5}}"#,
            "tags.a: expected a string, found 5"
        ),
        (
            #"{"channel": "news:1", "data": 1, "tags": {"traceparent": "x"}}"#,
            "tags.traceparent: expected a traceparent of W3C Trace Context, found 'x'"
        ),
        (
            #"{"channel": "news:1", "data": 1, "version": -1}"#,
            "version: expected a whole number from 0, found -1"
        ),
        ("[", "the content is not JSON: "),
    ]

    @Test(arguments: refused)
    func rowThatTheServerAPIRefusesIsRefused(request: String, reason: String) throws {
        guard case .refuse(let found) = verdict(request) else {
            throw Failure(verdict: verdict(request))
        }
        expect(found.hasPrefix(reason), "\(found)")
    }

    @Test func keyOverItsLimitIsRefused() {
        for length in [128, 129] {
            let key = String(repeating: "k", count: length)
            let verdict = verdict(
                #"{"channel": "news:1", "data": 1, "idempotency_key": "\#(key)"}"#
            )
            let reason = "idempotency_key: 129 bytes over limit 128"
            expectEqual((verdict == .refuse(reason: reason)), (length > 128))
        }
    }

    @Test func lengthIsBoundedAsThatOfARequest() throws {
        let request = { (length: Int) in
            let head = #"{"channel": "news:1", "data": ""#
            let tail = #""}"#
            let fill = length - head.utf8.count - tail.utf8.count
            return head + String(repeating: "a", count: fill) + tail
        }
        _ = try event(request(Self.requestBytesMax))
        expectEqual(
            verdict(request(Self.requestBytesMax + 1)),
            .refuse(reason: "publication: 501 bytes over limit 500")
        )
    }
}
