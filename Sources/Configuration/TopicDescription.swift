/// The topics of one form, for readers of a description of the hub's channels.
package struct TopicDescription: Sendable, Equatable {
    /// A topic with parameters in braces: `aurora:{place}`.
    package let address: String
    /// One sentence.
    package let meaning: String
    /// The name of the file in protocol/schemas with the schema of a publication, without its
    /// extension; nil if publications are any JSON.
    package let schema: String?
    /// A sentence about the clients that may read them; nil if the namespace decides.
    package let readers: String?

    package init(
        _ address: String,
        _ meaning: String,
        _ schema: String?,
        readers: String? = nil
    ) {
        self.address = address
        self.meaning = meaning
        self.schema = schema
        self.readers = readers
    }

    package var namespace: String { String(address.prefix { $0 != ":" }) }

    /// The names of the parameters, in order.
    package var parameters: [String] {
        address.split(separator: "{").dropFirst().map { String($0.prefix { $0 != "}" }) }
    }
}
