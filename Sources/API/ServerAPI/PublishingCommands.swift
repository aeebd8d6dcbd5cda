import ClientWire

/// The publishing commands of a batch, collected to be committed together.
package struct PublishingCommands {
    private struct Command {
        /// The index in the batch.
        var index: Int
        var isBroadcast: Bool
        var publicationCount: Int
    }

    private var commands: [Command] = []
    /// The publications of all commands, in their order; an error for each invalid topic of a
    /// broadcast.
    package private(set) var publications: [Result<NewPublication, ServerAPIError>] = []

    /// Collects a command. Returns false, without a change, for a request that does not publish.
    package mutating func take(_ request: ServerAPIRequest, at index: Int) -> Bool {
        let taken: [Result<NewPublication, ServerAPIError>]
        let isBroadcast: Bool
        switch request {
        case .publish(let publication): (taken, isBroadcast) = ([.success(publication)], false)
        case .broadcast(let broadcast): (taken, isBroadcast) = (broadcast.publications, true)
        case .subscribe, .unsubscribe, .disconnect, .refresh, .presence, .presenceStats,
            .history, .historyRemove, .historyErase, .channels, .connections, .info, .userStatuses,
            .revoke,
            .batch:
            return false
        }
        publications += taken
        commands.append(
            Command(index: index, isBroadcast: isBroadcast, publicationCount: taken.count)
        )
        return true
    }

    /// Returns the outcomes of the commands, given those of their publications.
    package func outcomes(
        _ positions: [Result<Position, ServerAPIError>]
    ) -> [(index: Int, outcome: ServerAPIReply.Outcome)] {
        precondition(positions.count == publications.count, "one position for each publication")
        var rest = positions[...]
        return commands.map { command in
            let own = rest.prefix(command.publicationCount)
            rest = rest.dropFirst(command.publicationCount)
            guard !command.isBroadcast else {
                return (command.index, .success(.broadcast(Array(own))))
            }
            return (command.index, own[own.startIndex].map { .publish($0) })
        }
    }
}
