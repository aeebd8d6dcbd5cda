import CommandKit
import RadarApp

extension DomainEntry {
    package static let radar = DomainEntry(RadarDomain.self, commands: [RadarCommand.self])
}
