import Configuration

/// The rate limits of connections, users and addresses. Nil means no limit.
///
/// One second's allowance may arrive at once.
package struct ClientRates: Sendable, Equatable {
    package var connectionCommands: RateLimit?
    package var connectionPublishes: RateLimit?
    package var userConnects: RateLimit?
    package var userCommands: RateLimit?
    package var userPublishes: RateLimit?
    package var addressConnects: RateLimit?
    package var addressCommands: RateLimit?
    package var addressPublishes: RateLimit?
    /// For `/auth`, by the network of the address.
    package var addressLogins: RateLimit?
    /// For all addresses together.
    package var handshakes: RateLimit?

    package init() {}
}

extension ClientRates {
    package init(_ rates: Configuration.Rates, handshakes: Int) {
        self.init()
        connectionCommands = RateLimit(perSecond: rates.connection.commands)
        connectionPublishes = RateLimit(perSecond: rates.connection.publishes)
        userConnects = RateLimit(perSecond: rates.user.connects)
        userCommands = RateLimit(perSecond: rates.user.commands)
        userPublishes = RateLimit(perSecond: rates.user.publishes)
        addressConnects = RateLimit(perSecond: rates.address.connects)
        addressCommands = RateLimit(perSecond: rates.address.commands)
        addressPublishes = RateLimit(perSecond: rates.address.publishes)
        addressLogins = RateLimit(perSecond: rates.address.logins)
        self.handshakes = RateLimit(perSecond: handshakes)
    }
}

extension RateLimit {
    /// Nil for 0, which means no limit.
    fileprivate init?(perSecond: Int) {
        guard perSecond > 0 else { return nil }
        self.init(perSecond: Double(perSecond), burst: min(perSecond, RateLimit.burstMax))
    }
}
