// CommandKit: what a domain adds to the command line, and what its commands share.

import ArgumentParser
import DomainKit
import Replay

/// What registers a domain: the domain itself, and what it adds to the command line.
package struct DomainEntry: Sendable {
    package let domain: any Domain.Type
    /// Subcommands of `varde`, in the order in which its help lists them.
    package let commands: [any ParsableCommand.Type]
    /// The upstreams of the domain, of which `varde replay` plays recordings; nil without any.
    package let upstream: (any RecordedUpstream.Type)?
    /// How `varde rules test` tries alert rules on recorded data of the domain; nil if it cannot.
    package let rehearsal: (any AlertRehearsal.Type)?
    /// A topic that the help of commands gives as an example.
    package let exampleTopic: String?

    package init(
        _ domain: any Domain.Type,
        commands: [any ParsableCommand.Type] = [],
        upstream: (any RecordedUpstream.Type)? = nil,
        rehearsal: (any AlertRehearsal.Type)? = nil,
        exampleTopic: String? = nil
    ) {
        self.domain = domain
        self.commands = commands
        self.upstream = upstream
        self.rehearsal = rehearsal
        self.exampleTopic = exampleTopic
    }
}

/// A domain's command that needs to know which domains a hub has, for example because it opens the store,
/// which has the tables of all of them.
package protocol DomainCommand: AsyncParsableCommand {
    mutating func run(_ domains: [any Domain.Type]) async throws
}
