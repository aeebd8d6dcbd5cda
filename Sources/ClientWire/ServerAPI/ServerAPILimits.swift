/// The limits on the content of one request of the server API. The transport limits its length.
package struct ServerAPILimits: Sendable, Equatable {
    /// Channels of one broadcast.
    package let channelsMax: Int
    /// Commands of one batch.
    package let commandsMax: Int
    /// The maximum number of publications of one request, also of a batch of broadcasts. They are
    /// one commit.
    package let publicationsMax: Int
    /// Tags of one publication.
    package let tagsMax: Int
    /// Bytes of one tag, its name and its value together.
    package let tagLengthMax: Int
    /// Bytes of an idempotency key, and of a version's epoch.
    package let idempotencyKeyLengthMax: Int
    /// Bytes of the name of a user, a client, a session.
    package let nameLengthMax: Int
    /// Clients that one disconnect spares.
    package let whitelistMax: Int
    /// Connections of one list.
    package let connectionsMax: Int
    /// Users whose status one request asks for.
    package let usersMax: Int

    package init(
        channelsMax: Int = 1000,
        commandsMax: Int = 1000,
        publicationsMax: Int = 10_000,
        tagsMax: Int = 16,
        tagLengthMax: Int = 256,
        idempotencyKeyLengthMax: Int = 128,
        nameLengthMax: Int = 255,
        whitelistMax: Int = 1000,
        connectionsMax: Int = 10_000,
        usersMax: Int = 1000
    ) {
        precondition(channelsMax > 0)
        precondition(commandsMax > 0)
        precondition(publicationsMax >= channelsMax)
        precondition(publicationsMax >= commandsMax)
        precondition(tagsMax > 0)
        precondition(tagLengthMax > 0)
        precondition(idempotencyKeyLengthMax > 0)
        precondition(nameLengthMax > 0)
        precondition(whitelistMax > 0)
        precondition(connectionsMax > 0)
        precondition(usersMax > 0)
        self.channelsMax = channelsMax
        self.commandsMax = commandsMax
        self.publicationsMax = publicationsMax
        self.tagsMax = tagsMax
        self.tagLengthMax = tagLengthMax
        self.idempotencyKeyLengthMax = idempotencyKeyLengthMax
        self.nameLengthMax = nameLengthMax
        self.whitelistMax = whitelistMax
        self.connectionsMax = connectionsMax
        self.usersMax = usersMax
    }
}
