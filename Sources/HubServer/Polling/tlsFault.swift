/// What a failed TLS connection was about, in a few words; nil for an error of another kind.
///
/// The library's own text of it names places in its source files.
///
/// - Parameter text: the error's description.
package func tlsFault(in text: String) -> String? {
    guard let start = text.firstRange(of: "OPENSSL_internal:")?.upperBound else { return nil }
    let words = text[start...].prefix { $0.isUppercase || $0.isNumber || $0 == "_" }
    return "tls: " + words.lowercased().split(separator: "_").joined(separator: " ")
}
