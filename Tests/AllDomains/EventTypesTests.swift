import AllDomains
import Expectations
import Foundation
import Repository

@Suite("Types of the domains' events", .timeLimit(.minutes(10)))
struct EventTypesTests {
    /// In both directions: what webhooks may name is what the domain's page describes.
    @Test func everyListedTypeIsDescribedAndEveryDescribedTypeIsListed() throws {
        for domain in allDomains {
            let manifest = domain.manifest
            let page = try String(
                contentsOfFile: "\(repositoryRoot)/protocol/\(manifest.name).md",
                encoding: .utf8
            )
            let isDoor = domain is any Door.Type
            expect(isDoor || !manifest.eventTypes.isEmpty, "\(manifest.name)")
            for type in manifest.eventTypes {
                expect(page.contains("`\(type)`"), "\(type) is not described")
                expect(type.hasPrefix(manifest.name + "."), "\(type)")
            }
            let verbs = ["updated", "created", "changed", "deleted", "removed", "published"]
            let described = page.matches(of: /`(?<type>[a-z]+\.[a-z.]+)`/).map { String($0.type) }
            for type in described
            where type.hasPrefix(manifest.name + ".") && verbs.contains(where: type.hasSuffix) {
                expect(manifest.eventTypes.contains(type), "\(type) is not listed")
            }
        }
    }
}
