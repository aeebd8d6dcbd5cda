/// The identity of a connection as other clients receive it: in presence, joins, leaves and
/// publications.
///
/// Immutable and shared: every publication of a client refers to it.
package final class ClientInfo: Sendable, Equatable {
    /// Empty for a client without credentials.
    package let user: String
    /// Names the connection.
    package let client: String
    /// JSON text that the connection's token gave; nil for none.
    package let connectionInfo: [UInt8]?
    /// JSON text that the subscription's token gave; nil for none.
    package let topicInfo: [UInt8]?

    package init(
        user: String,
        client: String,
        connectionInfo: [UInt8]? = nil,
        topicInfo: [UInt8]? = nil
    ) {
        self.user = user
        self.client = client
        self.connectionInfo = connectionInfo
        self.topicInfo = topicInfo
    }

    package static func == (one: ClientInfo, other: ClientInfo) -> Bool {
        one.user == other.user && one.client == other.client
            && one.connectionInfo == other.connectionInfo && one.topicInfo == other.topicInfo
    }
}
