/// The version of this build. `make lint` compares it with the newest version of CHANGELOG.md.
package enum Version {
    package static let text = "0.2.0"

    /// Of outgoing requests.
    package static let userAgent = "varde/\(text)"
}
