import Expectations
import News

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
        expect(rules.exists(topic))
        expectEqual(rules.mayRead(topic, .anonymous, false), true)
        expectEqual(rules.mayRead(topic, Identity(user: "kari"), false), true)
    }

    @Test(arguments: ["news:user:kari", "news:user:kari:alerts"])
    func topicOfAUserIsReadByTheUserAlone(name: String) throws {
        let topic = try topic(name)
        expect(rules.exists(topic))
        expectEqual(rules.mayRead(topic, Identity(user: "kari"), false), true)
        for other in [.anonymous, Identity(user: "ola"), Identity(user: "Kari")] as [Identity] {
            expectEqual(
                rules.mayRead(topic, other, true),
                false,
                "a grant opens no topic of another"
            )
        }
    }

    private static let users = [
        "kari": "kari",
        "auth0|0a1b2c3d4e5f": "auth0|0a1b2c3d4e5f",
        "ann@example.com": "ann@example.com",
        "000123.9a8b7c6d.0456": "000123.9a8b7c6d.0456",
        "https://id.example.org/#me": "https%3A//id.example.org/#me",
        "a:alerts": "a%3Aalerts",
        "a,b;c\\d\"e f": "a%2Cb%3Bc%5Cd%22e%20f",
        "50%": "50%25", "%35": "%2535", "é": "%C3%A9",
        // The longest that is written out, and one more.
        String(repeating: "x", count: 238): String(repeating: "x", count: 238),
        String(repeating: "x", count: 239):
            "sha256:"
            + "d959a0932265e47f8a755175668180a24fe5cb2892b35050659b000913a85f00",
    ]

    @Test(arguments: users)
    func userOfAnIdentityProviderHasATopicThatNobodyElseReads(user: String, part: String) throws {
        let topic = try require(NewsUserID(user).map { Topic.news($0) })
        expectEqual(topic.name, "news:user:\(part)")
        let alerts = try self.topic(topic.name + ":alerts")
        for topic in [topic, alerts] {
            expect(rules.exists(topic))
            for reader in Self.users.keys {
                let isUser = reader == user
                expectEqual(rules.mayRead(topic, Identity(user: reader), true), isUser, "\(reader)")
                expectEqual(rules.isOwn(topic, of: reader), isUser, "\(reader)")
            }
        }
    }

    @Test(arguments: [
        "news:all", "news:ticker", "news:ticker:", "news:ticker:aapl", "news:ticker:BRK.B",
        "news:ticker:AAPL:more", "news:category:none", "news:category:Sports", "news:user",
        "news:user:", "news:user::alerts", "news:user:a:b", "news:user:a%", "news:user:a%2",
        "news:user:%61", "news:user:%c3%a9", "news:user:%C3", "news:user:%0A", "news:user:%+1",
        "news:user:sha256:", "news:user:sha256:a",
        "news:user:sha256:" + String(repeating: "A", count: 64),
        "news:user:a:alerts:alerts", "news:global:alerts:alerts", "news:alerts", "new:global",
        "news:user:" + String(repeating: "a", count: 239),
    ])
    func otherTopicDoesNotExist(name: String) throws {
        let topic = try topic(name)
        expect(!rules.exists(topic))
        expectEqual(rules.mayRead(topic, Identity(user: "kari"), true), false)
    }

    @Test func topicsThatTheDomainWritesExist() {
        let topics: [Topic] =
            [.newsGlobal, .news(Ticker("AAPL")!), .news(NewsUserID("a_B-9")!)]
            + NewsCategory.allCases.map { .news($0) }
        for topic in topics { expect(rules.exists(topic), "\(topic)") }
    }
}
