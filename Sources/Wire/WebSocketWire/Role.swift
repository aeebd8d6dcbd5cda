/// The end of the connection: a client masks the frames that it sends, a server does not.
package enum Role: Sendable {
    case server
    case client
}
