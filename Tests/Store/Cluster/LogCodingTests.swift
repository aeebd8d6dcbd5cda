import Expectations
import StoreTesting

@testable import Store

@Suite("The bytes of a batch of the log", .timeLimit(.minutes(1)))
struct LogCodingTests {
    private static let info = ClientInfo(
        user: "u",
        client: "c",
        connectionInfo: Array("{}".utf8),
        topicInfo: nil
    )

    private static let records: [LogRecord] = [
        .publication(
            Publication(
                topic: radar,
                offset: 300,
                cursor: 1 << 52,
                time: Timestamp(milliseconds: -5),
                payload: [UInt8](repeating: 7, count: 200),
                tags: ["b": "ø", "a": ""],
                info: info,
                allowsDelta: true
            )
        ),
        .publication(
            Publication(topic: news, offset: 0, cursor: 1, time: startOfTests, payload: [])
        ),
        .removal(HistoryRemoval(topic: radar, throughOffset: 127, throughCursor: 128)),
        .erasure(Erasure(topic: radar, tag: "id", value: "x")),
        .forgotten(ForgottenTopic(news, throughCursor: .max)),
        .deliveries(queued: ["a", "b", "a"], erased: [1, .max, -1]),
        .deliveries(queued: [], erased: []),
        .note(ClusterNote(kind: "k", body: [0, 255])), .state(["a", "b"]), .state([]),
    ]

    @Test func everyRecordComesBack() throws {
        for record in Self.records {
            try expectEqual(LogCoding.decode(LogCoding.encode([record])), [record])
        }
        try expectEqual(LogCoding.decode(LogCoding.encode(Self.records)), Self.records)
        try expectEqual(LogCoding.decode(LogCoding.encode([])), [])
    }

    /// Either the first records, or an error: never a wrong one.
    @Test func cutBytesAreAnErrorOrEndBetweenRecords() throws {
        let bytes = LogCoding.encode(Self.records)
        var ends: Set<Int> = []
        for count in 0...Self.records.count {
            ends.insert(LogCoding.encode(Array(Self.records.prefix(count))).count)
        }
        for length in bytes.indices {
            let cut = Array(bytes.prefix(length))
            if ends.contains(length) {
                let found = try LogCoding.decode(cut)
                expectEqual(found, Array(Self.records.prefix(found.count)))
            } else {
                #expect(throws: DamagedValue.self) { try LogCoding.decode(cut) }
            }
        }
    }

    @Test func otherFormatsAndKindsAreErrors() {
        let wrong: [[UInt8]] = [
            [2], [1, 0], [1, 8], [1, 255],
            // An integer of more than 64 bits, and a length beyond the end.
            [1, 4, 1, 0x61] + [UInt8](repeating: 0xFF, count: 10),
            [1, 4, 1, 0x61] + [UInt8](repeating: 0x80, count: 9) + [2],
            [1, 4, 9, 0x61], [1, 5, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F],
            // A topic with a space, and an empty one.
            [1, 4, 1, 0x20, 0], [1, 4, 0, 0],
        ]
        for bytes in wrong {
            #expect(throws: DamagedValue.self, "\(bytes)") { try LogCoding.decode(bytes) }
        }
    }

    @Test func aFlagThatIsNeitherIsAnError() {
        var bytes = LogCoding.encode([Self.records[1]])
        expectEqual(bytes.last, 0)
        bytes[bytes.count - 1] = 2
        #expect(throws: DamagedValue.self) { try LogCoding.decode(bytes) }
    }
}
