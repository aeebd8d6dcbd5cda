import Expectations

@testable import ClientWire

@Suite("Recovered publications, encoded once", .timeLimit(.minutes(10)))
struct RecoveredPublicationsTests {
    private static let encodings = ClientEncoding.allCases

    private static func publication(
        _ cursor: UInt64,
        _ payload: String = "{}",
        tags: [String: String] = [:],
        info: ClientInfo? = nil
    ) -> Publication {
        Publication(
            topic: Topic(trusted: "news:a"),
            offset: cursor - 100,
            cursor: cursor,
            time: Timestamp(milliseconds: 0),
            payload: Array(payload.utf8),
            tags: tags,
            info: info
        )
    }

    /// With a line feed, tags, and somebody who published it.
    private static let publications: [Publication] = {
        let info = ClientInfo(
            user: "kari",
            client: "c",
            connectionInfo: Array("{}".utf8),
            topicInfo: nil
        )
        return [
            publication(101, "{\n}"), publication(102, #""é""#, tags: ["b": "2", "a": "1"]),
            publication(105, info: info),
        ]
    }()

    private static func acceptance(_ recovery: Recovery, usesDelta: Bool) -> SubscribeAcceptance {
        SubscribeAcceptance(
            Subscribed(
                position: Position(offset: 5, epoch: "e"),
                isRecoverable: true,
                recovery: recovery,
                since: Position(offset: 3, epoch: "e")
            ),
            timeToLiveSeconds: 7,
            data: Array("[1]".utf8),
            usesDelta: usesDelta
        )
    }

    private static func reply(_ acceptance: SubscribeAcceptance, _ encoding: ClientEncoding)
        -> [UInt8]
    {
        CentrifugeReply.subscribe(300, acceptance, wasRecovering: true, encoding)
    }

    @Test(arguments: encodings, [false, true])
    func replyIsTheSameWhoeverEncodesThem(encoding: ClientEncoding, usesDelta: Bool) throws {
        for count in 0...3 {
            let publications = Array(Self.publications.prefix(count))
            for recovery in [
                Recovery.complete(publications), .gap(available: publications, missing: 1...2),
            ] {
                var acceptance = Self.acceptance(recovery, usesDelta: usesDelta)
                let plain = Self.reply(acceptance, encoding)
                var cache = RecoveryCache()
                for _ in 1...2 {
                    acceptance.recovered = cache.recovered(
                        publications,
                        usesDelta: usesDelta,
                        encoding
                    )
                    expectEqual((acceptance.recovered == nil), (count == 0))
                    let reply = Self.reply(acceptance, encoding)
                    switch encoding {
                    case .json: expectEqual(reply, plain)
                    case .protobuf: try expectEqual(Self.message(reply), Self.message(plain))
                    }
                }
                expectEqual(cache.count, min(count, 1))
            }
        }
    }

    @Test func whatLiesBetweenTheSameCursorsIsEncodedOnceForEachForm() throws {
        var cache = RecoveryCache()
        var all: [RecoveredPublications] = []
        for publications in [
            Self.publications, Array(Self.publications.dropLast()),
            Array(Self.publications.dropFirst()), [Self.publications[0], Self.publications[2]],
        ] {
            let first = cache.recovered(publications, usesDelta: false, .json)
            let second = cache.recovered(publications, usesDelta: false, .json)
            expectEqual(second, first)
            all.append(try require(first))
        }
        expectEqual(cache.count, 4)
        expectEqual(Set(all.map(\.bytes)).count, 4)
        let forms = [(true, ClientEncoding.json), (false, .protobuf), (true, .protobuf)]
        for (usesDelta, encoding) in forms {
            _ = cache.recovered(Self.publications, usesDelta: usesDelta, encoding)
        }
        expectEqual(cache.count, 7)
    }

    @Test func oldestGoesWhenThereIsOneMoreThanMayBeKept() {
        var cache = RecoveryCache()
        let cursors = (0..<UInt64(RecoveryCache.entriesMax) + 1).map { 101 + $0 }
        for cursor in cursors.dropLast() {
            _ = cache.recovered([Self.publication(cursor)], usesDelta: false, .json)
        }
        expectEqual(cache.count, RecoveryCache.entriesMax)
        let bytes = cache.byteCount
        _ = cache.recovered([Self.publication(cursors.last!)], usesDelta: false, .json)
        expectEqual(cache.count, RecoveryCache.entriesMax)
        expectEqual(cache.byteCount, bytes)
    }

    @Test func oldestGoForTheBytesOfANewOneAndWhatIsTooLongIsNotKept() throws {
        /// Of a payload of which the encoding is as long as `length`.
        func recover(_ cursor: UInt64, _ length: Int, _ cache: inout RecoveryCache) throws {
            let around = #"[{"data":"","offset":1}]"#.utf8.count
            let payload = #"""# + String(repeating: "a", count: length - around) + #"""#
            let publication = Self.publication(cursor, payload)
            let recovered = cache.recovered([publication], usesDelta: false, .json)
            try expectEqual(require(recovered).bytes.count, length)
        }
        var cache = RecoveryCache()
        let half = RecoveryCache.bytesMax / 2
        for cursor: UInt64 in 101...102 { try recover(cursor, half, &cache) }
        expectEqual(cache.count, 2)
        try recover(103, 100, &cache)
        expectEqual(cache.count, 2)
        expectEqual(cache.byteCount, half + 100)
        try recover(104, RecoveryCache.bytesMax + 1, &cache)
        expectEqual(cache.count, 2)
        try recover(105, RecoveryCache.bytesMax, &cache)
        expectEqual(cache.count, 1)
        expectEqual(cache.byteCount, RecoveryCache.bytesMax)
    }

    /// The one message, behind its length.
    private static func message(_ bytes: [UInt8]) throws -> WireReply {
        var length = 0
        var index = 0
        while true {
            length |= Int(bytes[index] & 0x7F) << (7 * index)
            index += 1
            if bytes[index - 1] < 0x80 { break }
        }
        let message = Array(bytes[index...])
        expectEqual(message.count, length)
        return try WireReply(serializedBytes: message)
    }
}
