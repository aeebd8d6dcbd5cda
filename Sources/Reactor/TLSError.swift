import COpenSSL
import Glibc

/// A failure of TLS: the step that failed, and the reason from OpenSSL.
///
/// Contains no secret, neither key material nor plaintext. The text is for logs and operators; a
/// peer receives only a TLS alert.
package struct TLSError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The failure: "no shared cipher", "private key does not belong to the certificate".
    package let message: String
    /// The object of the failure: a file, or the step of the connection.
    package let context: String

    package init(_ message: String, context: String) {
        self.message = message
        self.context = context
    }

    package var description: String { "\(context): \(message)" }
}

extension TLSError {
    /// Returns an error with the reasons taken from OpenSSL's queue.
    static func taken(_ message: String, context: String) -> TLSError {
        let reason = OpenSSLErrors.take().text.map { ": \($0)" } ?? ""
        return TLSError(message + reason, context: context)
    }
}

/// The calling thread's queue of OpenSSL errors, oldest first, taken off the queue.
///
/// OpenSSL has an error queue for each thread; an entry left on it would be attributed to the next
/// call, which may belong to another connection.
struct OpenSSLErrors {
    private var codes: [UInt] = []

    /// Takes all errors off the calling thread's queue.
    static func take() -> OpenSSLErrors {
        var errors = OpenSSLErrors()
        while case let code = ERR_get_error(), code != 0 {
            errors.codes.append(code)
        }
        return errors
    }

    func contains(library: Int32, reason: Int32) -> Bool {
        codes.contains { ERR_GET_LIB($0) == library && ERR_GET_REASON($0) == reason }
    }

    func contains(library: Int32) -> Bool {
        codes.contains { ERR_GET_LIB($0) == library }
    }

    /// The distinct reasons, the root cause first; nil when the queue was empty.
    var text: String? {
        var texts: [String] = []
        for code in codes where !isPassedOn(code) {
            let text = reasonText(code)
            if !texts.contains(text) { texts.append(text) }
        }
        return texts.isEmpty ? nil : texts.joined(separator: ", ")
    }

    /// Whether the entry only reports the failure of a lower library, which an earlier entry
    /// explains: its reason is then the number of that library, and actual reasons begin at 256.
    private func isPassedOn(_ code: UInt) -> Bool {
        let reason = Int(ERR_GET_REASON(code))
        return err_is_system_error(code) == 0 && reason & ERR_RFLAG_COMMON != 0
            && reason & ~ERR_RFLAG_COMMON < 256 && codes.count > 1
    }

    private func reasonText(_ code: UInt) -> String {
        if err_is_system_error(code) != 0 {
            return String(cString: strerror(ERR_GET_REASON(code)))
        }
        guard let reason = ERR_reason_error_string(code) else { return "OpenSSL error \(code)" }
        return String(cString: reason)
    }
}
