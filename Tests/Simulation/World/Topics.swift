import Hub

/// The topics of every world.
enum Topics {
    static let all = [
        "news:a", "news:b", "brief:c", "aged:d", "feed:0", "feed:1",
    ].map { try! Topic($0) }

    /// Those to which clients may publish.
    static let open = 0..<4
    static let feeds = [4, 5]

    static let namespaces = NamespaceTable(histories: [
        "news": HistoryLimit(count: 40, age: nil),
        // So short that many who come back are too late.
        "brief": HistoryLimit(count: 3, age: nil),
        "aged": HistoryLimit(count: 40, age: .seconds(20)),
        "feed": HistoryLimit(count: 40, age: nil),
    ])

    static let rules: NamespaceRules = {
        func access(_ publish: ClientRight) -> NamespaceAccess {
            NamespaceAccess(subscribe: .anyone, publish: publish, history: .subscribers)
        }
        let access = [
            "news": access(.anyone), "brief": access(.anyone), "aged": access(.anyone),
            "feed": access(.nobody),
        ]
        return NamespaceRules(
            access: AccessRules(access),
            features: access.mapValues { _ in NamespaceRules.Features() }
        )
    }()

    static func index(_ name: String) -> Int? { all.firstIndex { $0.name == name } }

    static func limit(_ index: Int) -> HistoryLimit { namespaces.historyLimit(of: all[index])! }
}
