import ArgumentParser
import Reactor

/// The server that a URL of the command line names.
struct Destination {
    let url: TargetURL
    let address: SocketAddress
    /// Nil for plain text.
    let tls: TLSContext?

    /// - Parameters:
    ///   - isInsecure: Accepts any certificate.
    ///   - example: What the URL should have looked like.
    init(_ text: String, isInsecure: Bool, example: String) throws {
        guard let url = TargetURL(text) else {
            throw ValidationError("'\(text)' is not an address; expected \(example)")
        }
        guard let address = SocketAddress(host: url.host, port: url.port) else {
            throw ValidationError("'\(url.host)' has no address")
        }
        self.url = url
        self.address = address
        tls =
            url.isSecure
            ? try TLSContext(clientTrusting: isInsecure ? .insecureForTests : .system) : nil
    }
}
