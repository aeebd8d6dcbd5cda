/// The effect on the hub's answers when a feed has no fresh data.
package enum FeedRole: Sendable, Hashable {
    /// The feed is the only source of an input of its own name.
    case required
    /// The feed is one of several sources of an input. The feeds of one group are needed together;
    /// another group with fresh data replaces the whole group. The first source of an input is
    /// the one whose loss is a problem even while another has fresh data; sources that are equal
    /// have none.
    case alternative(input: String, group: String, isFirst: Bool = false)
    /// The feed enters no answer that a client depends on.
    case informative
}

extension HealthBoard.Line {
    /// The input that the feed is a source of; nil for a feed that enters no answer.
    package var input: String? {
        switch role {
        case .required: name
        case .alternative(let input, _, _): input
        case .informative: nil
        }
    }

    fileprivate var group: String {
        switch role {
        case .required, .informative: name
        case .alternative(_, let group, _): group
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

    /// Returns the stale feeds that are the first source of an input for which another group of
    /// feeds is fresh, in the order of the lines.
    package func replacedFirstSources(now: Timestamp) -> [HealthBoard.Line] {
        let lacking = Set(withoutFreshInput(now: now).map(\.name))
        return filter { line in
            guard case .alternative(_, _, isFirst: true) = line.role else { return false }
            return line.isStale(now: now) && !lacking.contains(line.name)
        }
    }
}

private struct InputGroup: Hashable {
    var input: String?
    var group: String
}
