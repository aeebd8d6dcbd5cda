/// The limits of a topic's history: at most `count` publications, none older than `age`, and no
/// more than `bytes` of them unless the newest one by itself is larger.
package struct HistoryLimit: Sendable, Equatable {
    /// 0 keeps nothing: subscribers of such a topic can't recover.
    package let count: Int
    /// Nil for no limit of age.
    package let age: Duration?
    /// As `Publication.wireLength` counts them.
    package let bytes: Int

    package init(count: Int, age: Duration?, bytes: Int = .max) {
        precondition(count >= 0)
        precondition(bytes > 0)
        if let age { precondition(age > .zero) }
        self.count = count
        self.age = age
        self.bytes = bytes
    }

    package static let none = HistoryLimit(count: 0, age: nil)
}
