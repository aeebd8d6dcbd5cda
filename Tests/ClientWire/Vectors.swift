import ClientWire
import Expectations
import Foundation

/// The files of protocol/vectors.
enum Vectors {
    static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    static func load<Value: Decodable>(_ name: String, as type: Value.Type) throws -> Value {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let url = root.appending(path: "protocol/vectors").appending(path: name)
        return try decoder.decode(type, from: Data(contentsOf: url))
    }

    struct Client: Decodable {
        var topic: String?
        var user: String
        var client: String
        var connectionInfo: String?
        var topicInfo: String?

        var info: ClientInfo {
            ClientInfo(
                user: user,
                client: client,
                connectionInfo: connectionInfo.map { Array($0.utf8) },
                topicInfo: topicInfo.map { Array($0.utf8) }
            )
        }
    }

    struct StoredPublication: Decodable {
        var topic: String?
        var offset: UInt64
        var cursor: UInt64
        var payload: String
        var tags: [String: String]?
        var info: Client?

        func publication(in topic: Topic) -> Publication {
            Publication(
                topic: self.topic.map { Topic(trusted: $0) } ?? topic,
                offset: offset,
                cursor: cursor,
                time: Timestamp(milliseconds: 0),
                payload: Array(payload.utf8),
                tags: tags ?? [:],
                info: info?.info
            )
        }
    }
}

/// protocol/vectors/centrifuge.json and centrifuge-protobuf.json
struct CentrifugeVectors: Decodable {
    struct Hub: Decodable {
        struct Namespace: Decodable {
            var historySize: Int
        }

        struct StoredTopic: Decodable {
            var topic: String
            var topOffset: UInt64
            var evictedCursor: UInt64
            var publications: [Vectors.StoredPublication]
        }

        struct Token: Decodable {
            var text: String
            var ttl: UInt32
        }

        var epoch: String
        var cursorBase: UInt64
        var namespaces: [String: Namespace]
        var topics: [StoredTopic]
        var clients: [Vectors.Client]
        var publishTo: [String]
        var token: Token
    }

    struct Connect: Decodable {
        var client: String
        var version: String
        var session: String
        var node: String
    }

    struct Acceptance: Decodable {
        var ttl: UInt32?
        var data: String?
        var subs: [String]?
        var framePings: Bool?
    }

    struct Subscription: Decodable {
        var ttl: UInt32?
        var data: String?
        var delta: Bool?
    }

    struct Case: Decodable, CustomTestStringConvertible {
        var name: String
        var acceptance: Acceptance?
        var subscription: Subscription?
        var client: [String]
        var server: [String]
        var close: UInt16?
        var publish: [Vectors.StoredPublication]?
        var pushes: [String]?

        var testDescription: String { name }
    }

    var connect: Connect
    var hub: Hub
    var cases: [Case]

    static let json = Result { try Vectors.load("centrifuge.json", as: CentrifugeVectors.self) }
    static let protobuf = Result {
        try Vectors.load("centrifuge-protobuf.json", as: CentrifugeVectors.self)
    }

    static func file(_ encoding: ClientEncoding) -> Result<CentrifugeVectors, any Error> {
        switch encoding {
        case .json: json
        case .protobuf: protobuf
        }
    }

    /// Empty when the file can't be read; a test of its own says so.
    static let jsonCases = (try? json.get().cases) ?? []
    static let protobufCases = (try? protobuf.get().cases) ?? []
}

/// protocol/vectors/centrifuge-pushes.json
struct PushVector: Decodable, CustomTestStringConvertible {
    var name: String
    var json: String
    var protobuf: String

    var testDescription: String { name }

    static let file = Result { try Vectors.load("centrifuge-pushes.json", as: [PushVector].self) }

    static let all = (try? file.get()) ?? []
}

extension ClientEncoding {
    /// The bytes that a text of the vectors stands for.
    func bytes(_ text: String) -> [UInt8] {
        switch self {
        case .json: Array(text.utf8)
        case .protobuf: hexBytes(text)
        }
    }

    /// How the vectors write these bytes.
    func text(_ bytes: [UInt8]) -> String {
        switch self {
        case .json: String(decoding: bytes, as: UTF8.self)
        case .protobuf: hex(bytes)
        }
    }

    /// Joins messages as a frame may hold them.
    func join(_ frames: [[UInt8]]) -> [UInt8] {
        switch self {
        case .json: Array(frames.joined(separator: [UInt8(ascii: "\n")]))
        case .protobuf: Array(frames.joined())
        }
    }
}

func text(_ bytes: [UInt8]) -> String {
    String(decoding: bytes, as: UTF8.self)
}

func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

func hexBytes(_ text: String) -> [UInt8] {
    let digits = text.compactMap(\.hexDigitValue)
    precondition(digits.count == text.count && digits.count.isMultiple(of: 2), "not hex: \(text)")
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) }
}
