import COpenSSL
import Glibc

/// The files of a certificate and its key.
package struct TLSCertificateFiles: Equatable, Sendable {
    /// PEM: the server's own certificate first, then its issuers.
    package var certificate: String
    /// PEM.
    package var key: String
    /// The passphrase of the key; nil for a key that is not encrypted.
    package var keyPassword: String?

    package init(certificate: String, key: String, keyPassword: String? = nil) {
        self.certificate = certificate
        self.key = key
        self.keyPassword = keyPassword
    }
}

/// The properties of a loaded certificate.
package struct TLSCertificate: Equatable, Sendable {
    package let file: String
    /// The DNS names of the certificate, in lower case; the first label of one may be `*`.
    package let names: [String]
    package let validFrom: Timestamp
    package let validUntil: Timestamp

    /// A certificate authority's automatic renewal happens long before; a certificate this close to
    /// its end was missed.
    private static let renewalMax = Duration.seconds(14 * 86_400)

    /// Whether it should have been renewed: it expires within 14 days, and two thirds of its
    /// lifetime are over. The second condition is for certificates with a lifetime of only a few
    /// days.
    package func isRenewalDue(now: Timestamp) -> Bool {
        let rest = validUntil - now
        return rest < TLSCertificate.renewalMax && rest < (validUntil - validFrom) / 3
    }

    /// - Throws: when it is not valid at `now`.
    func checkValidity(now: Timestamp) throws(TLSError) {
        if validUntil < now {
            let end = validUntil.iso8601Seconds
            throw TLSError("the certificate expired at \(end)", context: file)
        }
        if now < validFrom {
            let start = validFrom.iso8601Seconds
            throw TLSError("the certificate is not valid before \(start)", context: file)
        }
    }
}

extension TLSCertificate {
    /// Reads `certificate`, an X509 that was loaded from `file`.
    init(_ certificate: OpaquePointer, file: String) throws(TLSError) {
        guard let validFrom = Timestamp(X509_get0_notBefore(certificate)),
            let validUntil = Timestamp(X509_get0_notAfter(certificate))
        else { throw TLSError("the certificate's dates cannot be read", context: file) }
        self.file = file
        self.validFrom = validFrom
        self.validUntil = validUntil
        names = TLSCertificate.names(of: certificate)
    }

    /// Returns the DNS names among the subject alternative names. The common name is not a host
    /// name (RFC 9525 §2), and clients ignore it.
    private static func names(of certificate: OpaquePointer) -> [String] {
        guard let found = X509_get_ext_d2i(certificate, NID_subject_alt_name, nil, nil) else {
            ERR_clear_error()
            return []
        }
        let list = OpaquePointer(found)
        defer { GENERAL_NAMES_free(list) }
        return (0..<OPENSSL_sk_num(list)).compactMap { index in
            let name = OPENSSL_sk_value(list, index)?.assumingMemoryBound(to: GENERAL_NAME.self)
            var kind: Int32 = 0
            guard let value = GENERAL_NAME_get0_value(name, &kind), kind == GEN_DNS else {
                return nil
            }
            let text = value.assumingMemoryBound(to: ASN1_STRING.self)
            let bytes = UnsafeBufferPointer(
                start: ASN1_STRING_get0_data(text),
                count: Int(ASN1_STRING_length(text))
            )
            return String(decoding: bytes, as: UTF8.self).lowercased()
        }
    }
}

extension Timestamp {
    fileprivate init?(_ time: UnsafePointer<ASN1_TIME>?) {
        var fields = tm()
        guard let time, ASN1_TIME_to_tm(time, &fields) == 1,
            let civil = CivilTime(
                year: Int(fields.tm_year) + 1900,
                month: Int(fields.tm_mon) + 1,
                day: Int(fields.tm_mday),
                hour: Int(fields.tm_hour),
                minute: Int(fields.tm_min),
                second: Int(fields.tm_sec)
            )
        else { return nil }
        self.init(civil)
    }
}
