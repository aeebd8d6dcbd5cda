import Yams

/// Reads YAML nodes into sections, and records the origin and the problems of each key.
///
/// Reading continues after a problem, so that all problems are reported at once.
package struct ConfigurationReader {
    /// The origin of the nodes.
    package enum Source {
        /// A file of this name; the marks of the nodes have their positions in it.
        case file(name: String)
        case origin(ConfigurationOrigin)
    }

    package private(set) var source: Source
    package private(set) var origins: [String: ConfigurationOrigin] = [:]
    package private(set) var problems: [ConfigurationProblem] = []
    /// The moved keys, in the order in which they were read.
    package private(set) var moved: [(key: MovedKey, node: Node)] = []
    private let schema: ConfigurationSchema
    private let secrets: SecretPlaces

    /// - Parameters:
    ///   - schema: the keys to suggest in place of unknown ones.
    ///   - secrets: the sources of secrets that the nodes refer to.
    package init(
        source: Source,
        schema: ConfigurationSchema = ConfigurationSchema(),
        secrets: SecretPlaces = SecretPlaces(environment: [:])
    ) {
        self.source = source
        self.schema = schema
        self.secrets = secrets
    }

    // MARK: - Nodes

    /// Reads a mapping into `section`; keys that are missing in the mapping keep their value.
    package mutating func section<Section: ConfigurationSection>(
        _ node: Node,
        _ path: String,
        _ section: inout Section
    ) {
        if !path.isEmpty { origins[path] = origin(of: node) }
        fields(Section.fields, of: &section, node, path)
    }

    /// Like `section`, for values with these fields.
    ///
    /// - Parameter path: empty for the configuration as a whole.
    mutating func fields<Values: ConfigurationValues>(
        _ fields: [ConfigurationField<Values>],
        of values: inout Values,
        _ node: Node,
        _ path: String
    ) {
        guard case .mapping(let mapping) = node else {
            refuse(node, path, "found \(found(node)), expected a mapping of keys")
            return
        }
        for (keyNode, valueNode) in mapping {
            let key = keyNode.scalar?.string ?? found(keyNode)
            guard let field = fields.first(where: { $0.name == key }) else {
                refuse(
                    keyNode,
                    path,
                    unknownKeyMessage(key, in: path, known: fields.map(\.name))
                )
                continue
            }
            let valuePath = path.isEmpty ? key : "\(path).\(key)"
            origins[valuePath] = origin(of: valueNode)
            field.read(valueNode, valuePath, &self, &values)
        }
    }

    /// Returns the elements of a sequence; nil, with a problem, for another node or a wrong number
    /// of elements.
    package mutating func list(
        _ node: Node,
        _ path: String,
        of element: String,
        counts: ClosedRange<Int>
    ) -> [Node]? {
        let expected =
            "expected a list of \(counts.lowerBound) to \(counts.upperBound), each \(element)"
        guard case .sequence(let sequence) = node else {
            refuse(node, path, "found \(found(node)), \(expected)")
            return nil
        }
        guard counts.contains(sequence.count) else {
            refuse(node, path, "found a list of \(sequence.count), \(expected)")
            return nil
        }
        return Array(sequence)
    }

    /// Returns the value of a scalar; nil, with a problem, if `type` rejects it.
    package mutating func scalar<Value>(
        _ node: Node,
        _ path: String,
        _ type: ScalarType<Value>
    ) -> Value? {
        let text: ScalarText
        if let scalar = node.scalar {
            let isPlain = scalar.style == .plain || scalar.style == .any
            text = ScalarText(text: scalar.string, isPlain: isPlain)
        } else if case .mapping(let mapping) = node, type.acceptsReference {
            guard let found = referred(mapping, node, path, type) else { return nil }
            text = ScalarText(text: found, isPlain: false)
        } else {
            refuse(node, path, "found \(found(node)), expected \(type.expectation)")
            return nil
        }
        if let value = type.read(text) { return value }
        let shown = type.isSecret && !text.isNull ? "a text that is none" : found(node)
        let reason = type.problem(text).map { " (\($0))" } ?? ""
        refuse(node, path, "found \(shown), expected \(type.expectation)\(reason)")
        return nil
    }

    /// Returns the text that a mapping refers to; nil, with a problem, if there is none.
    private mutating func referred<Value>(
        _ mapping: Node.Mapping,
        _ node: Node,
        _ path: String,
        _ type: ScalarType<Value>
    ) -> String? {
        let key = mapping.first?.key.scalar?.string ?? ""
        let value = mapping.first?.value.scalar?.string ?? ""
        guard mapping.count == 1, let reference = SecretReference(key: key, value: value),
            type.isSecret || key == "credential"
        else {
            let expected = type.isSecret ? SecretReference.documentation : "`{credential: NAME}`"
            // The message does not repeat the mapping: it may be a secret with missing quotes.
            refuse(node, path, "found a mapping, expected \(type.expectation), or \(expected)")
            return nil
        }
        do {
            guard case .credential(let name) = reference, !type.isSecret else {
                let text = try secrets.text(of: reference)
                origins[path] = .secret(reference)
                return text
            }
            return try secrets.path(ofCredential: name)
        } catch {
            refuse(node, path, "\(error)")
            return nil
        }
    }

    /// Reads the value of an environment variable for the key at `path`.
    package mutating func variable<Value>(
        _ name: String,
        _ text: String,
        _ path: String,
        _ type: ScalarType<Value>
    ) -> Value? {
        let origin = ConfigurationOrigin.environment(variable: name)
        source = .origin(origin)
        origins[path] = origin
        return scalar(Node(text, .implicit, .doubleQuoted), path, type)
    }

    /// Records a moved key; its value is read with `readMoved`.
    package mutating func noteMoved(_ node: Node, from former: String, to path: String) {
        moved.append((MovedKey(former: former, path: path, origin: origin(of: node)), node))
    }

    /// Reads the moved keys as their current keys. Call this after all other keys are read.
    package mutating func readMoved(into configuration: inout Configuration) {
        for (key, node) in moved {
            guard origins[key.path] == nil else {
                refuse(
                    node,
                    key.former,
                    "found \(key.former) and \(key.path), expected only \(key.path)"
                )
                continue
            }
            // Each section around the value gets the position of the former key.
            let tree = key.path.split(separator: ".").reversed().reduce(node) { inner, name in
                Node.mapping(
                    Node.Mapping([(Node(String(name)), inner)], .implicit, .any, node.mark)
                )
            }
            fields(schema.fields, of: &configuration, tree, "")
        }
    }

    package mutating func refuse(_ node: Node, _ path: String, _ message: String) {
        let subject = path.isEmpty ? "" : "\(path): "
        problems.append(
            ConfigurationProblem(
                location: origin(of: node).description,
                message: subject + message
            )
        )
    }

    // MARK: - Texts

    private func origin(of node: Node) -> ConfigurationOrigin {
        switch source {
        case .origin(let origin): return origin
        case .file(let name):
            return .file(name: name, line: node.mark?.line ?? 1, column: node.mark?.column ?? 1)
        }
    }

    func found(_ node: Node) -> String {
        switch node {
        case .mapping: return "a mapping"
        case .sequence: return "a list"
        case .alias: return "an alias"
        case .scalar(let scalar):
            let isPlain = scalar.style == .plain || scalar.style == .any
            if ScalarText(text: scalar.string, isPlain: isPlain).isNull { return "nothing" }
            // The text in the file, up to a maximum length; quotes distinguish a text from a
            // number.
            let text = scalar.string.prefix(80)
            return isPlain ? String(text) : text.debugDescription
        }
    }

    private func unknownKeyMessage(_ key: String, in path: String, known: [String]) -> String {
        let elsewhere = schema.keys.map(\.path).filter { $0.hasSuffix(".\(key)") }
        let start = "unknown key \"\(key.prefix(80))\""
        if let nearest = NearestName.find(key, among: known) {
            return "\(start), did you mean \"\(nearest)\"?"
        }
        if elsewhere.count == 1 {
            return "\(start), did you mean \"\(elsewhere[0])\"?"
        }
        return "\(start), expected one of \(known.joined(separator: ", "))"
    }
}
