import Core
import Expectations

@Suite("Access: who may do what", .timeLimit(.minutes(10)))
struct AccessRulesTests {
    private static let owned = OwnerPattern("space:{userId}")!
    private static let staff = NamePattern("staff:*", separator: ":")!

    /// Somebody, and what is theirs: the topic `space:7` is user 7's.
    private enum Somebody: String, CaseIterable {
        case anonymous, stranger, owner, member

        var identity: Identity {
            switch self {
            case .anonymous: .anonymous
            case .stranger: Identity(user: "8", groups: ["guests", "staffing", "staff"])
            case .owner: Identity(user: "7")
            case .member: Identity(user: "9", groups: ["guests", "staff:oslo"])
            }
        }
    }

    private func rules(_ access: NamespaceAccess) -> AccessRules {
        AccessRules(["space": access])
    }

    private let topic = Topic(trusted: "space:7")

    /// One line for each right; in it what anonymous, stranger, owner and member are told.
    @Test(
        arguments: [
            (.nobody, ["nobody", "nobody", "nobody", "nobody"]),
            (.token, ["needsToken", "needsToken", "needsToken", "needsToken"]),
            (.anyone, ["allowed", "allowed", "allowed", "allowed"]),
            (.users, ["anonymous", "allowed", "allowed", "allowed"]),
            (.owner(owned), ["anonymous", "notOwner", "allowed", "notOwner"]),
            (.members([staff]), ["anonymous", "notMember", "notMember", "allowed"]),
            (.members([]), ["anonymous", "notMember", "notMember", "notMember"]),
        ] as [(SubscribeRight, [String])]
    )
    func subscribing(right: SubscribeRight, expected: [String]) {
        let rules = rules(NamespaceAccess(subscribe: right))
        for (somebody, expected) in zip(Somebody.allCases, expected) {
            let identity = somebody.identity
            let plain = rules.subscribe(to: topic, by: identity, isGranted: false)
            expectEqual(name(plain), expected, "\(somebody)")
            let granted = rules.subscribe(to: topic, by: identity, isGranted: true)
            expectEqual(name(granted), (right == .nobody ? "nobody" : "allowed"), "\(somebody)")
        }
    }

    @Test(
        arguments: [
            (.nobody, false, ["nobody", "nobody", "nobody", "nobody"]),
            (.nobody, true, ["nobody", "nobody", "nobody", "nobody"]),
            (
                .subscribers, false,
                ["notSubscribed", "notSubscribed", "notSubscribed", "notSubscribed"]
            ),
            (.subscribers, true, ["allowed", "allowed", "allowed", "allowed"]),
            (.users, false, ["anonymous", "allowed", "allowed", "allowed"]),
            (.users, true, ["anonymous", "allowed", "allowed", "allowed"]),
            (.owner(owned), false, ["anonymous", "notOwner", "allowed", "notOwner"]),
            (.owner(owned), true, ["anonymous", "notOwner", "allowed", "notOwner"]),
            (.anyone, false, ["allowed", "allowed", "allowed", "allowed"]),
            (.anyone, true, ["allowed", "allowed", "allowed", "allowed"]),
        ] as [(ClientRight, Bool, [String])]
    )
    func actingOnATopic(right: ClientRight, isSubscribed: Bool, expected: [String]) {
        for action in ClientAction.allCases {
            var access = NamespaceAccess(subscribe: .anyone)
            switch action {
            case .publish: access.publish = right
            case .presence: access.presence = right
            case .history: access.history = right
            }
            for (somebody, expected) in zip(Somebody.allCases, expected) {
                for other in ClientAction.allCases {
                    let decision = rules(access).decide(
                        other,
                        on: topic,
                        by: somebody.identity,
                        isSubscribed: isSubscribed
                    )
                    // A right to one action is none to the others.
                    let told = other == action ? expected : "nobody"
                    expectEqual(name(decision), told, "\(somebody), \(action), \(other)")
                }
            }
        }
    }

    @Test func withoutRulesNothingIsOpen() {
        let rules = rules(NamespaceAccess())
        for somebody in Somebody.allCases {
            let identity = somebody.identity
            expectEqual(rules.subscribe(to: topic, by: identity, isGranted: false), .needsToken)
            for action in ClientAction.allCases {
                let decision = rules.decide(action, on: topic, by: identity, isSubscribed: true)
                expectEqual(decision, .denied(.nobody))
            }
        }
    }

    @Test func topicOfNoNamespaceIsUnknownEvenWithAToken() {
        let rules = rules(NamespaceAccess(subscribe: .anyone, publish: .anyone))
        for name in ["spaces:7", "other", "Space:7", ":space"] {
            let topic = Topic(trusted: name)
            let identity = Somebody.owner.identity
            expectEqual(rules.subscribe(to: topic, by: identity, isGranted: true), .unknown)
            let decision = rules.decide(.publish, on: topic, by: identity, isSubscribed: true)
            expectEqual(decision, .unknown)
        }
    }

    /// U+212A, the Kelvin sign, equals K for Swift's strings.
    @Test func nameThatOnlyLooksAlikeOpensNothing() {
        let owner = rules(NamespaceAccess(subscribe: .owner(Self.owned)))
        let kim = Topic(trusted: "space:Kim")
        let alike = Identity(user: "\u{212A}im")
        expectEqual(alike.user, "Kim", "which is what the rule must not rely on")
        expectEqual(owner.subscribe(to: kim, by: alike, isGranted: false), .denied(.notOwner))
        let pattern = NamePattern("K", separator: ":")!
        let members = rules(NamespaceAccess(subscribe: .members([pattern])))
        let member = Identity(user: "1", groups: ["\u{212A}"])
        expectEqual(members.subscribe(to: kim, by: member, isGranted: false), .denied(.notMember))
    }

    private func name(_ decision: AccessDecision) -> String {
        switch decision {
        case .allowed: "allowed"
        case .unknown: "unknown"
        case .needsToken: "needsToken"
        case .undecided: "undecided"
        case .denied(.nobody): "nobody"
        case .denied(.anonymous): "anonymous"
        case .denied(.notOwner): "notOwner"
        case .denied(.notMember): "notMember"
        case .denied(.notSubscribed): "notSubscribed"
        case .denied(.alerts): "alerts"
        }
    }
}

@Suite("Access: whose topics are whose", .timeLimit(.minutes(10)))
struct OwnerPatternTests {
    @Test(
        arguments: [
            ("activity:{userId}", "7", "activity:7", true),
            ("activity:{userId}", "7", "activity:77", false),
            ("activity:{userId}", "7", "activity:7:read", false),
            ("activity:{userId}", "7", "activity:", false),
            ("activity:{userId}", "7", "activity", false),
            ("activity:{userId}", "7", "other:7", false),
            ("activity:{userId}", "", "activity:", false),
            ("activity:{userId}", "*", "activity:7", false),
            ("activity:{userId}", "7:8", "activity:7:8", false),
            ("inbox:{userId}:*", "7", "inbox:7:mail", true),
            ("inbox:{userId}:*", "7", "inbox:7:mail:new", true),
            ("inbox:{userId}:*", "7", "inbox:7:", false),
            ("inbox:{userId}:*", "7", "inbox:7", false),
            ("inbox:{userId}:*", "7", "inbox:77:mail", false),
            ("inbox:{userId}:*", "7:8", "inbox:7:8:mail", false),
            ("chat:dm:{userId}:new", "7", "chat:dm:7:new", true),
            ("chat:dm:{userId}:new", "7", "chat:dm:7:old", false),
            ("chat:dm:{userId}:new", "7", "chat:dm:7", false),
            ("chat:dm:{userId}:new", "Åse", "chat:dm:Ase:new", false),
        ]
    )
    func userOwns(pattern: String, user: String, topic: String, isOwner: Bool) throws {
        let pattern = try require(OwnerPattern(pattern))
        expectEqual(pattern.owns(user, Topic(trusted: topic)), isOwner)
    }

    @Test(arguments: [
        "", "activity", "activity:7", "activity:*", "{userId}", "{userId}:activity",
        "activity:x{userId}", "activity:{userId}x", "activity:{userid}", "a:{userId}:{userId}",
        "activity:{userId}:x*", "activity:*:{userId}", "activity::{userId}", "activity:{userId}:",
        "activity:{userId}:{group}", "activity:{userId},", "å:{userId}",
        "activity:{userId}:" + String(repeating: "x", count: 240),
    ])
    func otherTextIsNoPattern(text: String) {
        expectNil(OwnerPattern(text))
    }
}
