import AllDomains
import Repository

extension ConfigurationSchema {
    /// The keys of a hub with every domain.
    static let whole = ConfigurationSchema(allDomains.configurations)
}

/// docs/reference/configuration.md, generated from the fields.
enum ConfigurationReference {
    static let path = repositoryRoot + "/docs/reference/configuration.md"
    static let command = "make reference"

    static var text: String {
        let keys = ConfigurationSchema.whole.keys
        let sections = sectionNames(keys)
        let tables = sections.map { name in
            table(name, keys.filter { section(of: $0.path) == name })
        }
        return ([introduction, reloads(keys, sections)] + tables).joined(separator: "\n")
    }

    private static let introduction = """
        # Configuration reference

        This page lists every key with its type and limits, its default, whether a reload applies it, and its meaning.
        [CONFIGURATION.md](../CONFIGURATION.md) describes the file, the layers, the reload, and each section as a whole.

        The page is generated from the fields in the code. After a change there, run `\(command)`.

        A key with the default `required` must be given where its section or element is. A key with the default `none`
        has no value unless it is given.

        """

    private static func reloads(_ keys: [ConfigurationKey], _ sections: [String]) -> String {
        var text = """
            ## Keys that a reload applies

            Changes of all other keys need a restart.


            """
        for section in sections {
            let names = keys.filter { $0.reload == .live && self.section(of: $0.path) == section }
            guard !names.isEmpty else { continue }
            text += "- " + names.map { "`\($0.path)`" }.joined(separator: ", ") + "\n"
        }
        let fixed = ConfigurationSchema.whole.optionalSections.filter { $0.reload == .restart }
        let names = fixed.map { "`\($0.path)`" }.joined(separator: ", ")
        return text + "\nAdding or removing one of these sections needs a restart: \(names).\n"
    }

    private static func table(_ section: String, _ keys: [ConfigurationKey]) -> String {
        let title = section.isEmpty ? "The process" : "`\(section)`"
        let rows = keys.map { key in
            let reload = key.reload == .live ? "reload" : "restart"
            let cells = [
                "`\(key.path)`", key.type, "`\(key.defaultText)`", reload, key.meaning,
            ]
            return "| " + cells.joined(separator: " | ") + " |\n"
        }
        return """
            ## \(title)

            | key | type | default | change applies with | meaning |
            | --- | --- | --- | --- | --- |
            \(rows.joined())
            """
    }

    /// In the order of the keys; keys outside of any section are in the one without a name.
    private static func sectionNames(_ keys: [ConfigurationKey]) -> [String] {
        keys.map { section(of: $0.path) }.reduce(into: []) { names, name in
            if !names.contains(name) { names.append(name) }
        }
    }

    /// `limits` for `limits.memory`, `namespaces` for `namespaces[].name`.
    private static func section(of path: String) -> String {
        guard path.contains(".") else { return "" }
        return String(path.prefix { $0 != "." && $0 != "[" })
    }
}
