/// The paths below which a part of the hub has all its routes, and the form of errors about them.
package struct RoutePrefixes: Sendable {
    package let form: ErrorForm
    /// Such as `/api/radars`.
    package let paths: [String]

    package init(_ form: ErrorForm, _ paths: String...) {
        self.form = form
        self.paths = paths
    }
}
