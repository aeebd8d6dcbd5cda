// AllDomains: the domains of a hub, with their commands. One line registers a domain.

import ActivityApp
import ActivityTools
import AuroraApp
import AuroraTools
import NewsTools
import RadarTools

/// Every domain, in the order of their opening.
package let domainEntries: [DomainEntry] = [
    .aurora,
    .radar,
    DomainEntry(ActivityDomain.self, commands: [ImportCommand.self, RecommendCommand.self]),
    .news,
]

package let allDomains = domainEntries.map(\.domain)
