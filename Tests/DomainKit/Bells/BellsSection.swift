import Configuration

/// The section of the configuration that switches the door on: a list of bells.
struct BellsSection: DomainListSection {
    static let key = "bells"
    static let counts = 0...16
    static var identity: (name: String, value: KeyPath<Bell, String>) { ("name", \.name) }

    var items: [Bell] = []

    struct Bell: ConfigurationSection {
        var name = ""
        var topic = ""

        static var fields: [ConfigurationField<Bell>] {
            [
                .scalar(
                    "name",
                    \.name,
                    .name(allowing: "-", example: "front"),
                    isRequired: true,
                    reload: .restart,
                    meaning: "Names the bell in the path `/bells/{name}`."
                ),
                .scalar(
                    "topic",
                    \.topic,
                    .text("topic", lengthMax: 200, example: "house:hall"),
                    isRequired: true,
                    reload: .restart,
                    meaning: "Where its rings are published."
                ),
            ]
        }
    }

    func contradictions(in configuration: Configuration) -> [(path: String, message: String)] {
        let served = Set(configuration.namespaces.map(\.name))
        return items.enumerated().compactMap { index, bell in
            let namespace = bell.topic.prefix { $0 != ":" }
            if served.contains(String(namespace)) { return nil }
            return (
                "bells[\(index)].topic",
                "found \(bell.topic), expected a topic of a namespace in namespaces"
            )
        }
    }
}
