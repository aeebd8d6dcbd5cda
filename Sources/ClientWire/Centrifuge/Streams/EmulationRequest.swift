/// Commands of a client whose connection is a response: `{"session":…,"node":…,"data":…}`.
///
/// Source: protocol/README.md, Without a WebSocket.
package struct EmulationRequest: Equatable, Sendable {
    /// Of the connect reply.
    package let session: String
    /// Of the connect reply; empty where the client does not send it.
    package let node: String
    /// Commands, as a WebSocket message has them.
    package let data: [UInt8]

    /// Nil for content that is not such a request.
    package init?(_ content: [UInt8]) {
        guard String(validating: content, as: UTF8.self) != nil,
            let fields = try? JSONReader.fields(of: content[...])
        else { return nil }
        func text(_ name: String) -> String? {
            fields.last { $0.key == name }.flatMap { JSONReader.string($0.value) }
        }
        guard let session = text("session"), !session.isEmpty, let data = text("data"),
            !data.isEmpty
        else { return nil }
        self.session = session
        self.node = text("node") ?? ""
        self.data = Array(data.utf8)
    }
}
