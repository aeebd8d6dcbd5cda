extension Array {
    /// Sorted by time; elements of one time keep their order.
    func sorted(by time: (Element) -> Timestamp) -> [Element] {
        // The standard library does not guarantee a stable sort.
        enumerated().sorted {
            (time($0.element), $0.offset) < (time($1.element), $1.offset)
        }.map(\.element)
    }

    /// Sorted by time; of several elements with one time, the first stays.
    func oldestFirst(by time: (Element) -> Timestamp) -> [Element] {
        var result: [Element] = []
        result.reserveCapacity(count)
        for element in sorted(by: time) {
            if let last = result.last, time(last) == time(element) { continue }
            result.append(element)
        }
        return result
    }
}
