/// The lists of other nodes that are not complete yet.
struct PartialLists: Sendable {
    private struct List {
        var nextIndex = 0
        var changes: [LifecycleChange] = []
    }

    private var lists: [String: List] = [:]

    /// Adds a part. Returns the whole list with its last part; nil before, and if a part is missing.
    mutating func add(
        _ part: [LifecycleChange],
        index: Int,
        _ isLast: Bool,
        of process: String
    ) -> [LifecycleChange]? {
        // A list that begins again replaces one that was not sent to its end.
        var list = index == 0 ? List() : lists[process] ?? List()
        lists[process] = nil
        guard list.nextIndex == index else { return nil }
        list.nextIndex += 1
        list.changes += part
        if isLast { return list.changes }
        lists[process] = list
        return nil
    }

    mutating func drop(_ process: String) { lists[process] = nil }
}
