extension AsyncStream where Element: Sendable {
    /// The next `count` elements; fewer when the stream ends.
    package func next(_ count: Int) async -> [Element] {
        var elements: [Element] = []
        for await element in self {
            elements.append(element)
            if elements.count == count { break }
        }
        return elements
    }

    /// The first element from here on that `isWanted`; nil when the stream ends before it.
    package func first(where isWanted: (Element) -> Bool) async -> Element? {
        for await element in self where isWanted(element) { return element }
        return nil
    }
}
