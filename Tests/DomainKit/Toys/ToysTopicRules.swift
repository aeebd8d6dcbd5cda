import Service

extension Topic {
    static func toys(of owner: String) -> Topic { Topic(trusted: "\(ToysSection.key):\(owner)") }
}

/// `toys:{owner}`, and `toys:{owner}:alerts` with what rules tell of it, are for the owner alone.
struct ToysTopicRules: TopicRules {
    func exists(_ topic: Topic) -> Bool { owner(of: topic) != nil }

    func mayRead(_ topic: Topic, _ identity: Identity, _ isGranted: Bool) -> Bool? {
        owner(of: topic).map { !identity.isAnonymous && hasSameBytes(identity.user, String($0)) }
    }

    func isOwn(_ topic: Topic, of user: String) -> Bool {
        owner(of: topic).map { hasSameBytes(user, String($0)) } ?? false
    }

    private func owner(of topic: Topic) -> Substring? {
        var parts = topic.name.split(separator: ":", omittingEmptySubsequences: false)
        if parts.count == 3, parts[2] == "alerts" { parts.removeLast() }
        return parts.count == 2 && !parts[1].isEmpty ? parts[1] : nil
    }
}
