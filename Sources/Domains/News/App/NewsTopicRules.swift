import Access
import Digests
import News
import PubSub
import Tokens

extension Topic {
    /// What concerns everybody.
    package static let newsGlobal = Topic(trusted: "news:global")

    package static func news(_ ticker: Ticker) -> Topic {
        Topic(trusted: "news:ticker:\(ticker.text)")
    }

    package static func news(_ category: NewsCategory) -> Topic {
        Topic(trusted: "news:category:\(category.rawValue)")
    }

    /// - Parameter user: 1 to 64 letters, digits, `_` and `-`.
    package static func news(user: String) -> Topic { Topic(trusted: "news:user:\(user)") }
}

/// Topics of the news are public but for a user's own, which are for that user alone. What alert rules tell of a topic
/// is on the topic with `:alerts` behind it, for the same readers.
package struct NewsTopicRules: TopicRules {
    package init() {}

    private enum Kind {
        case isPublic
        case user(Substring)
    }

    package func exists(_ topic: Topic) -> Bool { kind(of: topic) != nil }

    package func mayRead(_ topic: Topic, _ identity: Identity, _ isGranted: Bool) -> Bool? {
        switch kind(of: topic) {
        case nil: false
        case .isPublic: true
        case .user(let user): !identity.isAnonymous && hasSameBytes(identity.user, String(user))
        }
    }

    private func kind(of topic: Topic) -> Kind? {
        var parts = topic.name.split(separator: ":", omittingEmptySubsequences: false)
        if parts.count > 2, parts.last == "alerts" { parts.removeLast() }
        guard parts.first == "news" else { return nil }
        switch (parts.count, parts.count > 1 ? parts[1] : "") {
        case (2, "global"): return .isPublic
        // In one spelling only, so that a topic has one name.
        case (3, "ticker"): return Ticker(parts[2]).map { $0.text == parts[2] } == true ? .isPublic : nil
        case (3, "category"):
            return NewsCategory(rawValue: String(parts[2])) == nil ? nil : .isPublic
        case (3, "user"): return isUser(parts[2]) ? .user(parts[2]) : nil
        default: return nil
        }
    }

    private func isUser(_ id: Substring) -> Bool {
        (1...64).contains(id.utf8.count)
            && id.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}
