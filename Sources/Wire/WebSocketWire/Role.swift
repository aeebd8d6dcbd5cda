/// Which end of the connection this is: a client masks what it sends, a server does not.
package enum Role: Sendable {
    case server
    case client
}
