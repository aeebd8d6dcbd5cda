// CommandKit: the commands that domains add to the command line, and code that commands share.

import Replay

/// The registration of a domain: the domain itself, and its additions to the command line.
package struct DomainEntry: Sendable {
    package let domain: any Domain.Type
    /// Subcommands of `varde`, in the order in which its help lists them.
    package let commands: [any ParsableCommand.Type]
    /// The upstreams of the domain whose recordings `varde replay` plays; nil without any.
    package let upstream: (any RecordedUpstream.Type)?
    /// Tests alert rules on recorded data of the domain, for `varde rules test`; nil if it cannot.
    package let rehearsal: (any AlertRehearsal.Type)?
    /// The example topic in the help of commands.
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

/// A domain's command that needs the list of a hub's domains, for example because it opens the
/// store, which has the tables of all of them.
package protocol DomainCommand: AsyncParsableCommand {
    mutating func run(_ domains: [any Domain.Type]) async throws
}
