/// The limits and timeouts of one Centrifuge connection.
package struct CentrifugeLimits: Sendable, Equatable {
    /// The maximum number of levels of a tag filter; a single comparison has one.
    package static let filterDepthMax = 8
    /// Comparisons and combinations of a tag filter: every publication costs that much.
    package static let filterNodesMax = 64

    /// Bytes of one frame. A client that comes back subscribes to all its topics in one frame, so
    /// it has to hold `subscriptionsMax` commands with topics of some length.
    package let frameLengthMax: Int
    /// Bytes of one command in a frame.
    package let commandLengthMax: Int
    /// Subscriptions of one connection.
    package let subscriptionsMax: Int
    /// From the opening of the connection to the answer to its connect command.
    package let connectDeadline: Duration
    /// The time between pings, in whole seconds, because the client receives it in seconds.
    package let pingInterval: Duration
    /// From a ping to a sign of life.
    package let pongTimeout: Duration
    /// From the end of the time to live of a connection or a subscription, when the client sets out to
    /// get a fresh token, to the end of the thing itself.
    package let expiryGrace: Duration

    package init(
        frameLengthMax: Int = 512 << 10,
        commandLengthMax: Int = 64 << 10,
        subscriptionsMax: Int = 512,
        connectDeadline: Duration = .seconds(10),
        pingInterval: Duration = .seconds(25),
        pongTimeout: Duration = .seconds(8),
        expiryGrace: Duration = .seconds(25)
    ) {
        precondition(commandLengthMax > 0)
        precondition(frameLengthMax >= commandLengthMax)
        precondition(frameLengthMax <= Int(Int32.max))
        precondition((1...Int(Int32.max)).contains(subscriptionsMax))
        precondition(connectDeadline > .zero)
        precondition(pingInterval >= .seconds(1))
        precondition(pingInterval <= .seconds(3600))
        precondition(pingInterval.components.attoseconds == 0)
        precondition(pongTimeout > .zero)
        precondition(pongTimeout < pingInterval)
        precondition(expiryGrace >= .zero)
        precondition(expiryGrace <= .seconds(3600))
        self.frameLengthMax = frameLengthMax
        self.commandLengthMax = commandLengthMax
        self.subscriptionsMax = subscriptionsMax
        self.connectDeadline = connectDeadline
        self.pingInterval = pingInterval
        self.pongTimeout = pongTimeout
        self.expiryGrace = expiryGrace
    }
}
