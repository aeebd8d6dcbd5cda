import ClientWire
import Foundation
import Store

/// A question of a node to all others, most of them about their own connections.
package enum SurveyQuestion: Sendable, Equatable, Codable {
    /// The matching topics with subscribers that are not reserved.
    case channels(TopicGlob)
    /// The topics of these namespaces with subscribers.
    case namespaces(Set<String>)
    case node
    /// Which of these topics have subscribers.
    case used([Topic])
    /// Whether they have read the endpoints of webhooks again.
    case endpoints
}

/// A node's answer to a question, or a part of it.
package enum SurveyAnswer: Sendable, Equatable, Codable {
    /// The numbers of subscribers by topic, which answer `.channels` and `.namespaces`.
    case topics([String: Int])
    case node(ServerAPIResult.Node)
    case used([Topic])
    /// They are read.
    case endpoints

    package init(_ counts: [Topic: Int]) {
        self = .topics(
            Dictionary(uniqueKeysWithValues: counts.lazy.map { ($0.key.name, $0.value) })
        )
    }

    /// Of a count in an answer, besides the topic's name.
    private static let countBytes = 16

    /// Splits an answer that is too long for one message.
    ///
    /// - Parameters:
    ///   - bytesMax: of one part.
    ///   - partsMax: the rest is left out.
    func parts(bytesMax: Int, partsMax: Int) -> (parts: [SurveyAnswer], isCut: Bool) {
        guard case .topics(let counts) = self else { return ([self], false) }
        var parts: [SurveyAnswer] = []
        var (part, length): ([String: Int], Int) = ([:], 0)
        for (topic, count) in counts {
            let bytes = topic.utf8.count + Self.countBytes
            if !part.isEmpty, length + bytes > bytesMax {
                parts.append(.topics(part))
                (part, length) = ([:], 0)
                guard parts.count < partsMax else { return (parts, true) }
            }
            part[topic] = count
            length += bytes
        }
        return (parts + [.topics(part)], false)
    }
}

/// A question as it is in a note.
struct AskedQuestion: Sendable, Equatable, Codable {
    /// A node that reads the question much later does not answer it.
    static let ageMax = Duration.seconds(60)

    var question: SurveyQuestion
    var time: Timestamp

    func isTooOld(at now: Timestamp) -> Bool { now - time > Self.ageMax }
}

/// A part of a node's answer as it is in a note.
struct SurveyPart: Sendable, Equatable, Codable {
    /// The random name of the process that answers.
    var process: String
    /// The node's name.
    var node: String
    /// The parts of an answer count from 0.
    var index: Int
    var isLast: Bool
    /// Whether parts are missing, because the answer is too long.
    var isCut: Bool
    var answer: SurveyAnswer

    /// The bytes of one part, about.
    static let bytesMax = 256 << 10
    /// The parts of one answer: 8 MiB, or some 200,000 topics.
    static let countMax = 32
}

/// The kind of notes of one survey. It names the asker, so the other nodes ignore answers without
/// reading them.
struct SurveyAddress: Sendable, Equatable {
    enum Kind: String, Sendable {
        case question, answer
    }

    var kind: Kind
    /// The random name of the asking process.
    var asker: String
    var number: UInt64

    init(_ kind: Kind, asker: String, number: UInt64) {
        self.kind = kind
        self.asker = asker
        self.number = number
    }

    /// Returns nil for the kind of another note.
    init?(_ text: String) {
        let fields = text.split(separator: "/", omittingEmptySubsequences: false)
        guard fields.count == 4, fields[0] == "survey",
            let kind = Kind(rawValue: String(fields[1])), let number = UInt64(fields[3])
        else { return nil }
        self.init(kind, asker: String(fields[2]), number: number)
    }

    var text: String { "survey/\(kind.rawValue)/\(asker)/\(number)" }

    func note(_ body: some Encodable) throws -> ClusterNote {
        ClusterNote(kind: text, body: Array(try JSONEncoder().encode(body)))
    }
}

extension Decodable where Self: Sendable {
    /// Reads the body of a note.
    fileprivate init(json body: [UInt8]) throws {
        self = try JSONDecoder().decode(Self.self, from: Data(body))
    }
}

extension AskedQuestion {
    /// - Throws: `DecodingError` for a question that this version does not have.
    init(_ body: [UInt8]) throws { try self.init(json: body) }
}

extension SurveyPart {
    /// - Throws: `DecodingError` for an answer that this version does not have.
    init(_ body: [UInt8]) throws { try self.init(json: body) }
}
