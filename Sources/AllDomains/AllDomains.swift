// AllDomains: the domains of a hub, with their commands. One line registers a domain.

import ActivityApp
import ActivityCommands
import AuroraApp
import AuroraCommands
import CommandKit
import DomainKit
import NewsCommands
import RadarCommands

/// Every domain, in the order of their opening.
package let domainEntries: [DomainEntry] = [
    .aurora,
    .radar,
    DomainEntry(ActivityDomain.self, commands: [ImportCommand.self, RecommendCommand.self]),
    .news,
]

package let allDomains = domainEntries.map(\.domain)
