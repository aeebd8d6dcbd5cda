import Configuration

extension Configuration.Namespace {
    /// One that anyone may read, changed.
    package init(_ name: String, _ change: (inout Configuration.Namespace) -> Void = { _ in }) {
        self.init()
        self.name = name
        anonymousSubscribe = true
        change(&self)
    }
}
