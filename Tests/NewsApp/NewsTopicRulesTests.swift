import News
import PubSub
import Testing
import Tokens

@testable import NewsApp

@Suite("Topics of the news", .timeLimit(.minutes(10)))
struct NewsTopicRulesTests {
    private let rules = NewsTopicRules()

    private func topic(_ name: String) throws -> Topic { try Topic(name) }

    @Test(arguments: [
        "news:global", "news:ticker:AAPL", "news:ticker:A", "news:category:sports",
        "news:global:alerts", "news:ticker:AAPL:alerts", "news:category:general:alerts",
    ])
    func publicTopicIsReadByAll(name: String) throws {
        let topic = try topic(name)
        #expect(rules.exists(topic))
        #expect(rules.mayRead(topic, .anonymous, false) == true)
        #expect(rules.mayRead(topic, Identity(user: "kari"), false) == true)
    }

    @Test(arguments: ["news:user:kari", "news:user:kari:alerts"])
    func topicOfAUserIsReadByTheUserAlone(name: String) throws {
        let topic = try topic(name)
        #expect(rules.exists(topic))
        #expect(rules.mayRead(topic, Identity(user: "kari"), false) == true)
        for other in [.anonymous, Identity(user: "ola"), Identity(user: "Kari")] as [Identity] {
            #expect(rules.mayRead(topic, other, true) == false, "a grant opens no topic of another")
        }
    }

    @Test(arguments: [
        "news:all", "news:ticker", "news:ticker:", "news:ticker:aapl", "news:ticker:BRK.B",
        "news:ticker:AAPL:more", "news:category:none", "news:category:Sports", "news:user",
        "news:user:a.b", "news:user:a/b", "news:global:alerts:alerts", "news:alerts", "new:global",
        "news:user:" + String(repeating: "a", count: 65),
    ])
    func otherTopicDoesNotExist(name: String) throws {
        let topic = try topic(name)
        #expect(!rules.exists(topic))
        #expect(rules.mayRead(topic, Identity(user: "kari"), true) == false)
    }

    @Test func topicsThatTheDomainWritesExist() {
        let topics: [Topic] =
            [.newsGlobal, .news(Ticker("AAPL")!), .news(NewsUserID("a_B-9")!)]
            + NewsCategory.allCases.map { .news($0) }
        for topic in topics { #expect(rules.exists(topic), "\(topic)") }
    }
}
