/// What this build calls itself; CHANGELOG.md has the same number.
package enum Version {
    package static let text = "0.1.0"
}
