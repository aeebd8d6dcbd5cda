import Foundation

/// A message between the nodes of a cluster about who is on them: JSON in a `ClusterNote`.
struct LifecycleMessage: Sendable, Equatable {
    enum Content: Sendable, Equatable {
        /// The leader asks each node for everyone on it.
        case wanted
        /// A part of everyone on the node. Parts count from 0; they are complete with the last one.
        case everyone([LifecycleChange], index: Int, isLast: Bool)
        case changes([LifecycleChange])
    }

    /// The names of notes that carry such a message: a report for the leader, or its question.
    static let reportKind = "lifecycle"
    static let questionKind = "lifecycle-wanted"
    /// The changes in one message.
    static let countMax = 500

    /// The random name of the process that sends it.
    var process: String
    var content: Content

    /// Those of a message with changes.
    var changes: [LifecycleChange] {
        if case .changes(let changes) = content { changes } else { [] }
    }

    /// A report as messages, each short enough.
    static func messages(
        _ report: NodeAttendance.Report,
        of process: String
    ) -> [LifecycleMessage] {
        func parts(_ changes: [LifecycleChange]) -> [[LifecycleChange]] {
            stride(from: 0, to: max(1, changes.count), by: countMax).map {
                Array(changes[$0..<min(changes.count, $0 + countMax)])
            }
        }
        switch report {
        case .changes(let changes):
            return parts(changes).map {
                LifecycleMessage(process: process, content: .changes($0))
            }
        case .everyone(let changes):
            let parts = parts(changes)
            return parts.enumerated().map { index, part in
                LifecycleMessage(
                    process: process,
                    content: .everyone(part, index: index, isLast: index == parts.count - 1)
                )
            }
        }
    }

    // MARK: Coding

    private struct Envelope: Codable {
        var process: String
        /// `wanted`, `part`, `everyone` for the last part, or `changes`.
        var content: String
        var index: Int?
        var changes: [Row]?
    }

    private struct Row: Codable {
        var kind: UInt8
        var name: String
        /// Nil for none.
        var user: String?
        var isThere: Bool
        var milliseconds: Int64
        var reason: String?

        enum CodingKeys: String, CodingKey {
            case kind = "k"
            case name = "n"
            case user = "u"
            case isThere = "i"
            case milliseconds = "t"
            case reason = "r"
        }

        init(_ change: LifecycleChange) {
            kind = change.subject.kind.rawValue
            name = change.subject.name.text
            user = change.subject.user.text.isEmpty ? nil : change.subject.user.text
            isThere = change.isThere
            milliseconds = change.time.milliseconds
            reason = change.reason?.rawValue
        }

        /// Nil for a kind that this version does not have.
        var change: LifecycleChange? {
            LifecycleKind(rawValue: kind).map {
                LifecycleChange(
                    LifecycleSubject($0, name, user: user ?? ""),
                    isThere: isThere,
                    at: Timestamp(milliseconds: milliseconds),
                    reason: reason.flatMap(DepartureReason.init(rawValue:))
                )
            }
        }
    }

    func note() throws -> ClusterNote {
        let (name, index, changes): (String, Int?, [LifecycleChange]?) =
            switch content {
            case .wanted: ("wanted", nil, nil)
            case .everyone(let part, let index, let isLast):
                (isLast ? "everyone" : "part", index, part)
            case .changes(let changes): ("changes", nil, changes)
            }
        let envelope = Envelope(
            process: process,
            content: name,
            index: index,
            changes: changes?.map(Row.init)
        )
        return ClusterNote(
            kind: content == .wanted ? Self.questionKind : Self.reportKind,
            body: Array(try JSONEncoder().encode(envelope))
        )
    }

    /// Returns nil for another note.
    ///
    /// - Throws: `DecodingError` for a message that this version cannot read.
    static func message(_ note: ClusterNote) throws -> LifecycleMessage? {
        guard [reportKind, questionKind].contains(note.kind) else { return nil }
        let envelope = try JSONDecoder().decode(Envelope.self, from: Data(note.body))
        let changes = (envelope.changes ?? []).compactMap(\.change)
        let content: Content? =
            switch envelope.content {
            case "wanted": .wanted
            case "part": .everyone(changes, index: envelope.index ?? 0, isLast: false)
            case "everyone": .everyone(changes, index: envelope.index ?? 0, isLast: true)
            case "changes": .changes(changes)
            default: nil
            }
        return content.map { LifecycleMessage(process: envelope.process, content: $0) }
    }
}
