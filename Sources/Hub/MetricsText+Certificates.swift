extension MetricsText {
    /// Writes the expiry time of each certificate. Of certificates for the same names, such as one
    /// with an RSA and one with an elliptic key, the first to expire counts.
    mutating func write(_ certificates: [TLSCertificate]) {
        let ends = certificates.map { ($0.names.joined(separator: " "), $0.validUntil) }
        let first = Dictionary(ends, uniquingKeysWith: min)
        gauge(
            "hub_certificate_expiry_timestamp_seconds",
            "When a TLS certificate expires, in seconds since 1970, by its host names.",
            first.sorted { $0.key < $1.key }.map {
                ([("names", $0.key)], Double($0.value.milliseconds) / 1000)
            }
        )
    }
}
