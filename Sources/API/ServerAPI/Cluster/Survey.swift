import Store

/// The answers to one question of this node to the others.
///
/// **States.** A survey begins when the other nodes are known; each of them is waited for until it
/// has answered or is cut off. The survey is over when no node is waited for, or at its deadline.
///
/// **Inputs.** `begin`, `take` for each part of an answer, `note` for the nodes that live, and
/// `fail` if the question could not be sent. The caller reads `isOver` after each of them and at
/// the deadline, and then `outcome`. Parts of one answer arrive in order, because the log has an order.
struct Survey {
    private enum Progress {
        /// It has sent this number of parts.
        case waiting(parts: Int)
        case answered(isCut: Bool)
        /// It is cut off or has ended. Its later answers do not count.
        case gone
    }

    private struct Asked {
        var name: String
        var progress: Progress
        var answers: [SurveyAnswer] = []

        var isWaitedFor: Bool {
            if case .waiting = progress { true } else { false }
        }
    }

    let deadline: ContinuousClock.Instant
    private var nodes: [String: Asked] = [:]
    private var hasBegun = false
    private var hasFailed = false

    init(deadline: ContinuousClock.Instant) {
        self.deadline = deadline
    }

    mutating func begin(_ others: [OtherNode]) {
        hasBegun = true
        for other in others {
            nodes[other.process] = Asked(
                name: other.name,
                progress: other.isLiving ? .waiting(parts: 0) : .gone
            )
        }
    }

    /// The question was not sent: no node answers it.
    mutating func fail() { hasFailed = true }

    /// Takes a part of an answer. A node that began after the survey may answer as well.
    mutating func take(_ part: SurveyPart) {
        var asked =
            nodes[part.process] ?? Asked(name: part.node, progress: .waiting(parts: 0))
        // One that comes twice, or behind one that was lost, is ignored.
        guard case .waiting(let count) = asked.progress, part.index == count,
            count < SurveyPart.countMax
        else { return }
        asked.answers.append(part.answer)
        asked.progress =
            part.isLast ? .answered(isCut: part.isCut) : .waiting(parts: count + 1)
        nodes[part.process] = asked
    }

    /// Takes which other nodes live. Those that began after the survey are not waited for.
    mutating func note(living: Set<String>) {
        for process in nodes.keys where !living.contains(process) {
            nodes[process]?.progress = .gone
            nodes[process]?.answers = []
        }
    }

    func isOver(at now: ContinuousClock.Instant) -> Bool {
        if hasFailed || now >= deadline { return true }
        return hasBegun && !nodes.values.contains { $0.isWaitedFor }
    }

    /// The answers so far.
    var outcome: SurveyOutcome {
        func names(_ isMeant: (Progress) -> Bool) -> [String] {
            nodes.values.filter { isMeant($0.progress) }.map(\.name).sorted()
        }
        return SurveyOutcome(
            answers: nodes.values.sorted { $0.name < $1.name }.flatMap(\.answers),
            unanswered: names { if case .waiting = $0 { true } else { false } },
            cut: names { if case .answered(isCut: true) = $0 { true } else { false } },
            gone: names { if case .gone = $0 { true } else { false } },
            isAsked: hasBegun && !hasFailed
        )
    }
}

/// The answers of other nodes, without that of this node.
package struct SurveyOutcome: Sendable, Equatable {
    /// By the nodes' names. One of several parts, or of a node that did not finish, has several.
    package var answers: [SurveyAnswer] = []
    /// Living nodes that did not answer in time, or not all.
    package var unanswered: [String] = []
    /// Those whose answers were too long.
    package var cut: [String] = []
    /// Those that are cut off, or ended meanwhile.
    package var gone: [String] = []
    /// Whether the question was sent.
    package var isAsked: Bool

    /// Whether the answers are those of all nodes that live.
    var isComplete: Bool { isAsked && unanswered.isEmpty && cut.isEmpty }

    var counts: [Topic: Int] {
        answers.reduce(into: [:]) { sum, answer in
            guard case .topics(let counts) = answer else { return }
            for (name, count) in counts {
                if let topic = try? Topic(name) { sum[topic, default: 0] += count }
            }
        }
    }
}
