import Activity
import DomainKit

/// A person's feed is only for that person; whether they watch a film is also for their friends.
package struct ActivityTopicRules: TopicRules {
    package let friends: FriendDirectory

    package init(friends: FriendDirectory) {
        self.friends = friends
    }

    package func exists(_ topic: Topic) -> Bool { PersonTopic(topic) != nil }

    /// Only the watching of others needs the friendships.
    package func canDecide(about topic: Topic, _ identity: Identity) -> Bool {
        guard let topic = PersonTopic(topic), topic.kind == .watching,
            let reader = PersonTopic.person(named: identity.user), reader != topic.person
        else { return true }
        return friends.isOpen()
    }

    package func mayRead(_ topic: Topic, _ identity: Identity, _ isGranted: Bool) -> Bool? {
        guard let topic = PersonTopic(topic),
            let reader = PersonTopic.person(named: identity.user)
        else { return false }
        if reader == topic.person { return true }
        return topic.kind == .watching && friends.areFriends(topic.person, reader)
    }

    package func isOwn(_ topic: Topic, of user: String) -> Bool {
        guard let topic = PersonTopic(topic) else { return false }
        return PersonTopic.person(named: user) == topic.person
    }

    /// Only the person whose topic it is appears in it: the friends who subscribe to it do not see
    /// each other.
    package func isSeen(_ identity: Identity, in topic: Topic) -> Bool {
        guard let topic = PersonTopic(topic) else { return true }
        return PersonTopic.person(named: identity.user) == topic.person
    }
}
