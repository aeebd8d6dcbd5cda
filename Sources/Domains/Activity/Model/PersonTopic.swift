/// The topics of each person of the film app: `activity:{person}`, the acts of their friends, only
/// for that person, and `watching:{person}`, whether they watch a film at the moment, also for
/// their friends.
package struct PersonTopic: Equatable {
    package enum Kind: String, CaseIterable {
        case activity, watching
    }

    package let kind: Kind
    package let person: Int

    package init(_ kind: Kind, of person: Int) {
        self.kind = kind
        self.person = person
    }

    /// Nil for any other topic, also for one that writes a person's number in another way: a person has
    /// one topic of each kind.
    ///
    /// The alerts of the operator's rules for a feed, `activity:{person}:alerts`, are for the
    /// person of the feed.
    package init?(_ topic: Topic) {
        var parts = topic.name.split(separator: ":", omittingEmptySubsequences: false)
        if parts.count == 3, parts[0] == Kind.activity.rawValue, parts[2] == "alerts" {
            parts.removeLast()
        }
        guard parts.count == 2, let kind = Kind(rawValue: String(parts[0])),
            let person = Self.person(named: parts[1])
        else { return nil }
        self.init(kind, of: person)
    }

    package var topic: Topic { Topic(trusted: "\(kind.rawValue):\(person)") }

    /// The person whose number is a user's name, in decimal; nil for any other text.
    package static func person(named user: some StringProtocol) -> Int? {
        guard let person = Int(user), person > 0, "\(person)".utf8.elementsEqual(user.utf8) else {
            return nil
        }
        return person
    }
}

/// Whether two people of the film app are friends. The loops ask it before they let a reader in: it has
/// to be quick, and may be asked from any thread.
package struct FriendDirectory: Sendable {
    /// Whether all friendships are known; otherwise no answer of `areFriends` counts.
    package let isOpen: @Sendable () -> Bool
    package let areFriends: @Sendable (_ person: Int, _ other: Int) -> Bool

    package init(
        isOpen: @escaping @Sendable () -> Bool = { true },
        areFriends: @escaping @Sendable (_ person: Int, _ other: Int) -> Bool
    ) {
        self.isOpen = isOpen
        self.areFriends = areFriends
    }
}

extension Topic {
    /// The topic of the acts of a person's friends.
    package static func activity(of person: Int) -> Topic {
        PersonTopic(.activity, of: person).topic
    }

    /// Where a person is present while they watch something.
    package static func watching(of person: Int) -> Topic {
        PersonTopic(.watching, of: person).topic
    }
}
