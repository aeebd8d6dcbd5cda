/// Maps the name that a client requests (SNI, RFC 6066 §3) to one of a server's certificates.
///
/// A value: names in, the place of a certificate out.
struct TLSServerNames: Equatable, Sendable {
    private var exact: [String: Int] = [:]
    /// By what follows the `*`: ".example.org".
    private var wildcards: [String: Int] = [:]

    /// - Parameter namesOfCertificates: in lower case. If two certificates have one name, the
    ///   earlier one is used.
    init(_ namesOfCertificates: [[String]]) {
        for (place, names) in namesOfCertificates.enumerated() {
            for name in names {
                if name.hasPrefix("*.") {
                    let suffix = String(name.dropFirst())
                    wildcards[suffix] = wildcards[suffix] ?? place
                } else {
                    exact[name] = exact[name] ?? place
                }
            }
        }
    }

    /// The certificate for `name`; nil when none has it. A certificate with the exact name precedes
    /// one with a wildcard, and the wildcard matches one whole label, RFC 9525 §6.3.
    func place(of name: String) -> Int? {
        let name = name.lowercased()
        if let place = exact[name] { return place }
        guard let dot = name.firstIndex(of: "."), dot > name.startIndex else { return nil }
        return wildcards[String(name[dot...])]
    }
}
