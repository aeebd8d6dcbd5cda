import ClientWire
import PubSub

/// Commands that publish, collected until they are committed together.
package struct PublishingCommands {
    private struct Command {
        /// In the batch.
        var index: Int
        var isBroadcast: Bool
        var publicationCount: Int
    }

    private var commands: [Command] = []
    /// Of all commands, in their order; an error where a broadcast names what is no topic.
    package private(set) var publications: [Result<NewPublication, ServerAPIError>] = []

    /// False for a request that does not publish, which is left alone.
    package mutating func take(_ request: ServerAPIRequest, at index: Int) -> Bool {
        let taken: [Result<NewPublication, ServerAPIError>]
        let isBroadcast: Bool
        switch request {
        case .publish(let publication): (taken, isBroadcast) = ([.success(publication)], false)
        case .broadcast(let broadcast): (taken, isBroadcast) = (broadcast.publications, true)
        case .subscribe, .unsubscribe, .disconnect, .refresh, .presence, .presenceStats,
            .history, .historyRemove, .historyErase, .channels, .info, .revoke, .batch:
            return false
        }
        publications += taken
        commands.append(
            Command(index: index, isBroadcast: isBroadcast, publicationCount: taken.count)
        )
        return true
    }

    /// What came of the commands, from what came of their publications.
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
