import Configuration
import Foundation

/// A JSON Schema (2020-12) of the configuration file, for editors, which complete and describe keys
/// and mark values of the wrong type.
///
/// It is generated from the keys that docs/reference/configuration.md lists. Only `check-config`
/// validates relations between keys. It also accepts keys that have moved, with a warning, which
/// are not in the schema.
struct ConfigurationJSONSchema {
    /// A mapping of the file.
    private final class Section {
        var names: [String: Entry] = [:]
        var required: [String] = []
    }

    private enum Entry {
        case value([String: Any])
        case section(Section)
        case list(Section)
    }

    private let root = Section()

    init(_ keys: [ConfigurationKey]) {
        for key in keys { add(key) }
    }

    /// The schema as JSON, in a form that is the same for each run.
    var text: String {
        get throws {
            var schema = Self.object(root)
            schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
            schema["title"] = "Configuration of Varde"
            let data = try JSONSerialization.data(
                withJSONObject: schema,
                options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            )
            return String(decoding: data, as: UTF8.self)
        }
    }

    private func add(_ key: ConfigurationKey) {
        var section = root
        let names = key.path.split(separator: ".").map(String.init)
        for name in names.dropLast() {
            let isList = name.hasSuffix("[]")
            let plain = isList ? String(name.dropLast(2)) : name
            switch section.names[plain] {
            case .section(let inner), .list(let inner): section = inner
            case .value, nil:
                let inner = Section()
                section.names[plain] = isList ? .list(inner) : .section(inner)
                section = inner
            }
        }
        guard let name = names.last else { return }
        var value = Self.schema(ofType: key.type)
        value["description"] = key.meaning
        section.names[name] = .value(value)
        if key.defaultText == "required" { section.required.append(name) }
    }

    private static func object(_ section: Section) -> [String: Any] {
        var object: [String: Any] = [
            "type": "object", "additionalProperties": false,
            "properties": section.names.mapValues { entry -> [String: Any] in
                switch entry {
                case .value(let value): value
                case .section(let inner): self.object(inner)
                case .list(let inner): ["type": "array", "items": self.object(inner)]
                }
            },
        ]
        if !section.required.isEmpty { object["required"] = section.required }
        return object
    }

    // MARK: Types

    /// - Parameter type: the type as documented, such as `integer, 1 to 9` or `list of 0 to 8:
    ///   secret, 1 to 512 bytes`.
    static func schema(ofType type: String) -> [String: Any] {
        if type.hasPrefix("list of "), let colon = type.range(of: ": ") {
            var list: [String: Any] = ["type": "array"]
            let counts = type[..<colon.lowerBound].dropFirst("list of ".count)
            if let range = bounds(String(counts)) {
                (list["minItems"], list["maxItems"]) = (Int(range.0), Int(range.1))
            }
            list["items"] = schema(ofType: String(type[colon.upperBound...]))
            return list
        }
        if type.hasPrefix("mapping of "), let to = type.range(of: " to ") {
            let values = schema(ofType: String(type[to.upperBound...]))
            return ["type": "object", "additionalProperties": values]
        }
        let mappings = mappings(in: type)
        let plain = type.components(separatedBy: ", or `{")[0]
        let parts = plain.split(separator: ",", maxSplits: 1).map {
            $0.trimmingCharacters(in: .whitespaces)
        }
        let value = scalar(parts[0], range: parts.count > 1 ? parts[1] : "")
        return mappings.isEmpty ? value : ["anyOf": [value] + mappings]
    }

    /// Returns the mappings that a type accepts instead of a text: for `{file: PATH}`, one with
    /// this key, and for `{key, tier}`, one with any of these keys.
    private static func mappings(in type: String) -> [[String: Any]] {
        type.components(separatedBy: "`{").dropFirst().compactMap { piece in
            guard let end = piece.range(of: "}`") else { return nil }
            let fields = piece[..<end.lowerBound].components(separatedBy: ", ")
            let names = fields.map { String($0.prefix { $0 != ":" }) }
            var mapping: [String: Any] = [
                "type": "object", "additionalProperties": false,
                "properties": Dictionary(
                    uniqueKeysWithValues: names.map { ($0, [:] as [String: Any]) }
                ),
            ]
            if fields[0].contains(":") { mapping["required"] = names }
            return mapping
        }
    }

    private static func scalar(_ name: String, range: String) -> [String: Any] {
        switch name {
        case "flag": return ["type": "boolean"]
        case "integer", "number":
            var schema: [String: Any] = ["type": name]
            if let (low, high) = bounds(range) {
                (schema["minimum"], schema["maximum"]) = (low, high)
            }
            return schema
        case "choice":
            let names = range.components(separatedBy: ", ")
            // YAML reads an unquoted 1.2 as a number.
            let numbers = names.compactMap(Double.init)
            return ["enum": names as [Any] + numbers as [Any]]
        case "loop count": return ["type": ["string", "integer"]]
        case "duration":
            return ["type": "string", "pattern": "^[0-9]+(ms|s|m|h|d)$"]
        case "byte count":
            return ["type": "string", "pattern": "^[0-9]+([KMG]i)?B$"]
        // YAML may read an unquoted text as a number or a flag.
        default: return ["type": ["string", "number", "boolean"]]
        }
    }

    /// Parses the numbers of `1 to 9`.
    private static func bounds(_ text: String) -> (Double, Double)? {
        let ends = text.components(separatedBy: " to ").map { Double($0) }
        guard ends.count == 2, let low = ends[0], let high = ends[1] else { return nil }
        return (low, high)
    }
}
