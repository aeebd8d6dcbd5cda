import CommandKit
import NewsApp

extension DomainEntry {
    package static let news = DomainEntry(
        NewsDomain.self,
        commands: [NewsCommand.self],
        upstream: NewsRecordings.self,
        exampleTopic: "news:global"
    )
}
