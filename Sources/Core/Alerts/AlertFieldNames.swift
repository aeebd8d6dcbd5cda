/// The fields that rules name, and the objects on the way to them: everything else need not be decoded.
package struct AlertFieldNames: Sendable, Equatable {
    private var names: Set<String>
    /// Of `slope.direction`: `slope`.
    private var parents: Set<String> = []

    package init(_ names: some Sequence<String>) {
        self.names = Set(names)
        for name in self.names {
            for (index, character) in zip(name.indices, name) where character == "." {
                parents.insert(String(name[..<index]))
            }
        }
    }

    package var count: Int { names.count }

    package func contains(_ name: String) -> Bool { names.contains(name) }

    /// Whether the member of this path is named, or may have a member that is.
    func leads(to name: String) -> Bool { names.contains(name) || parents.contains(name) }
}
