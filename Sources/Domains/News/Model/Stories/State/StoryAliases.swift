/// The ids of merged stories, each with the open story that it has become.
struct StoryAliases: Equatable, Sendable {
    private(set) var targets: [Int: Int] = [:]
    /// The same the other way round.
    private var names: [Int: [Int]] = [:]

    func target(of id: Int) -> Int? { targets[id] }

    var count: Int { targets.count }

    /// `id` was a story until now and is an alias of `target` from now on; so are its own aliases.
    /// Returns all of them.
    mutating func merge(_ id: Int, into target: Int) -> [Int] {
        let moved = (names.removeValue(forKey: id) ?? []) + [id]
        for name in moved { targets[name] = target }
        names[target, default: []] += moved
        return moved
    }

    /// Forgets the aliases of a story that has been closed. Returns them.
    mutating func close(_ target: Int) -> [Int] {
        let closed = names.removeValue(forKey: target) ?? []
        for name in closed { targets[name] = nil }
        return closed
    }

    /// Removes the lowest ids if there are more than `countMax`, and a sixteenth more than needed,
    /// because it goes through all of them. Returns the removed ones.
    mutating func trim(to countMax: Int) -> [Int] {
        guard targets.count > countMax else { return [] }
        let excess = targets.count - (countMax - countMax / 16)
        let forgotten = Array(targets.keys.sorted().prefix(excess))
        for name in forgotten {
            guard let target = targets.removeValue(forKey: name) else { continue }
            names[target]?.removeAll { $0 == name }
            if names[target]?.isEmpty == true { names[target] = nil }
        }
        return forgotten
    }
}
