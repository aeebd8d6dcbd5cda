import Timekeeping

/// The effect on the hub's answers when a feed has no fresh data.
package enum FeedRole: Sendable, Hashable {
    /// The feed is the only source of an input of its own name.
    case required
    /// The feed is one of several sources of an input. The feeds of one group are needed together;
    /// another group with fresh data replaces the whole group.
    case alternative(input: String, group: String)
    /// The feed enters no answer that a client depends on.
    case informative
}

extension HealthBoard.Line {
    /// The input that the feed is a source of; nil for a feed that enters no answer.
    package var input: String? {
        switch role {
        case .required: name
        case .alternative(let input, _): input
        case .informative: nil
        }
    }

    fileprivate var group: String {
        switch role {
        case .required, .informative: name
        case .alternative(_, let group): group
        }
    }
}

extension [HealthBoard.Line] {
    /// Returns the stale feeds of inputs for which no group of feeds is fresh, in the order of the
    /// lines.
    package func withoutFreshInput(now: Timestamp) -> [HealthBoard.Line] {
        let stale = filter { $0.isStale(now: now) }
        let staleGroups = Set(stale.map { InputGroup(input: $0.input, group: $0.group) })
        let freshInputs = Set(
            map { InputGroup(input: $0.input, group: $0.group) }
                .filter { !staleGroups.contains($0) }
                .map(\.input)
        )
        return stale.filter { $0.input != nil && !freshInputs.contains($0.input) }
    }
}

private struct InputGroup: Hashable {
    var input: String?
    var group: String
}
