import CommandKit
import NewsApp

extension DomainEntry {
    package static let news = DomainEntry(
        NewsDomain.self,
        commands: [NewsCommand.self],
        exampleTopic: "news:global"
    )
}
