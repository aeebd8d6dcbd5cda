// AllDomains: the domains of a hub. One line registers a domain.

import ActivityApp
import AuroraApp
import DomainKit
import RadarApp

/// Every domain, in the order in which they are opened.
package let allDomains: [any Domain.Type] = [
    AuroraDomain.self,
    RadarDomain.self,
    ActivityDomain.self,
]
