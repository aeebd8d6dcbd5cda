// AuroraTools: the recorded upstreams of the aurora domain, and alert rules that are tried on them.

import AuroraApp
import CommandKit

extension DomainEntry {
    package static let aurora = DomainEntry(
        AuroraDomain.self,
        commands: [AuroraCommand.self],
        upstream: AuroraRecordings.self,
        rehearsal: AuroraRehearsal.self,
        exampleTopic: "aurora:tromso"
    )
}
