/// How much of a topic's past is kept: at most `count` publications, none older than `age`.
package struct HistoryLimit: Sendable, Equatable {
    /// 0 keeps nothing: subscribers of such a topic can't recover.
    package let count: Int
    /// Nil for no limit of age.
    package let age: Duration?

    package init(count: Int, age: Duration?) {
        precondition(count >= 0)
        if let age { precondition(age > .zero) }
        self.count = count
        self.age = age
    }

    package static let none = HistoryLimit(count: 0, age: nil)
}
