// AllDomains: the domains and doors of a hub, with their commands. One line registers each of them.

import ActivityApp
import ActivityTools
import AuroraApp
import AuroraTools
import Hooks
import Lifecycle
import NewsTools
import RadarTools

/// Every domain and door, in the order of their opening.
package let domainEntries: [DomainEntry] = [
    .aurora,
    .radar,
    DomainEntry(ActivityDomain.self, commands: [ImportCommand.self, RecommendCommand.self]),
    .news,
    DomainEntry(HooksDoor.self, commands: [HooksCommand.self]),
    DomainEntry(LifecycleDoor.self),
]

package let allDomains = domainEntries.map(\.domain)
