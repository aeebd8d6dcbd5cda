import Hub

/// The topics of every world.
enum Topics {
    static let all = [
        "news:a", "news:b", "brief:c", "aged:d", "feed:0", "feed:1",
    ].map { try! Topic($0) }

    /// Those to which clients may publish.
    static let open = 0..<4
    static let feeds = [4, 5]

    private static let histories = [
        "news": HistoryLimit(count: 40, age: nil),
        // So short that many who come back are too late.
        "brief": HistoryLimit(count: 3, age: nil),
        "aged": HistoryLimit(count: 40, age: .seconds(20)),
        "feed": HistoryLimit(count: 40, age: nil),
    ]

    static let namespaces = NamespaceTable(histories: histories)

    /// Of worlds in which subscribers are reported.
    static let attendedNamespaces = NamespaceTable(
        histories.mapValues { NamespaceSettings(history: $0, attendance: .topics) }
    )

    /// The namespaces about which an application decides, in worlds that have one.
    static let askedAboutPublications = "news"
    static let askedAboutSubscriptions = "aged"

    static let rules = rules { _ in NamespaceRules.Features() }

    static let rulesWithHooks = rules { namespace in
        var features = NamespaceRules.Features()
        switch namespace {
        case askedAboutPublications: features.hooks.publish = ApplicationModel.name
        case askedAboutSubscriptions: features.hooks.subscribe = ApplicationModel.name
        default: break
        }
        return features
    }

    private static func rules(
        _ features: (String) -> NamespaceRules.Features
    ) -> NamespaceRules {
        func access(_ publish: ClientRight) -> NamespaceAccess {
            NamespaceAccess(subscribe: .anyone, publish: publish, history: .subscribers)
        }
        let access = [
            "news": access(.anyone), "brief": access(.anyone), "aged": access(.anyone),
            "feed": access(.nobody),
        ]
        return NamespaceRules(
            access: AccessRules(access),
            features: Dictionary(uniqueKeysWithValues: access.keys.map { ($0, features($0)) })
        )
    }

    static func index(_ name: String) -> Int? { all.firstIndex { $0.name == name } }

    static func limit(_ index: Int) -> HistoryLimit { namespaces.historyLimit(of: all[index])! }
}
