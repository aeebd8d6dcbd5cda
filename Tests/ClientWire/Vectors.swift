import Foundation
import PubSub
import Testing
import Timekeeping

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

    struct StoredPublication: Decodable {
        var topic: String?
        var offset: UInt64
        var cursor: UInt64
        var payload: String

        func publication(in topic: Topic) -> Publication {
            Publication(
                topic: self.topic.map { Topic(trusted: $0) } ?? topic,
                offset: offset,
                cursor: cursor,
                time: Timestamp(milliseconds: 0),
                payload: Array(payload.utf8)
            )
        }
    }
}

/// protocol/vectors/centrifuge.json
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

        var epoch: String
        var cursorBase: UInt64
        var namespaces: [String: Namespace]
        var topics: [StoredTopic]
    }

    struct Connect: Decodable {
        var client: String
        var version: String
        var session: String
        var node: String
    }

    struct Case: Decodable, CustomTestStringConvertible {
        var name: String
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

    static let file = Result { try Vectors.load("centrifuge.json", as: CentrifugeVectors.self) }

    /// Empty when the file can't be read; a test of its own says so.
    static var allCases: [Case] { (try? file.get().cases) ?? [] }
}
