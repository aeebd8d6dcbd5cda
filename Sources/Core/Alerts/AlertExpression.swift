/// A condition over published values, such as `score >= 70 and level == "excellent"`.
///
///     expression  = conjunction *( "or" conjunction )
///     conjunction = term *( "and" term )
///     term        = "not" term / "(" expression ")" / comparison
///     comparison  = operand ( "==" / "!=" / "<" / "<=" / ">" / ">=" ) operand
///     operand     = name / number / text          ; at least one of the two is a name
///     name        = word *( "." word )            ; letters, digits and _, a digit not first
///     text        = DQUOTE *( any character / \" / \\ ) DQUOTE
///
/// Numbers have an order and are compared exactly, texts only compare by `==` and `!=`. A text that
/// meets a number counts as the number that its characters are. A comparison is false, `!=`
/// included, when a field is missing or not a finite number, and when a number meets another text. So
/// `not (bz < 0)` is true while `bz` is missing; `bz >= 0` is not.
package struct AlertExpression: Sendable, Hashable, CustomStringConvertible {
    /// In characters (Unicode scalars).
    package static let lengthMax = 1000
    /// The maximum nesting depth of parentheses and `not`.
    package static let depthMax = 16

    /// The text as it was parsed.
    package let description: String
    /// The fields in the condition, in the order in which they are first named.
    package let fieldNames: [String]
    /// The maximum cost of an evaluation; the unit is a comparison of two numbers.
    package let cost: Int
    private let fields: [NamedField]
    private let root: Node

    /// A field where the text names it.
    struct NamedField: Sendable {
        var name: String
        /// Counted from 1.
        var column: Int
    }

    indirect enum Node: Sendable {
        case any([Node])
        case all([Node])
        case not(Node)
        case comparison(Comparison)
    }

    /// Complexity: O(length).
    package init(_ text: String) throws(AlertExpressionError) {
        let tokens = try AlertTokens(text)
        var parser = AlertExpressionParser(tokens)
        root = try parser.parse()
        cost = root.comparisons.reduce(0) { $0 + $1.cost }
        fields = parser.fields
        description = text
        var seen: Set<String> = []
        fieldNames = fields.map(\.name).filter { seen.insert($0).inserted }
    }

    /// The first field that is not in `names`, and its column; nil if all are.
    package func firstField(notIn names: Set<String>) -> (name: String, column: Int)? {
        fields.first { !names.contains($0.name) }.map { ($0.name, $0.column) }
    }

    /// Whether the condition holds for `fields`.
    package func evaluate(_ fields: [String: AlertValue]) -> Bool {
        root.holds(fields)
    }

    /// One line for each comparison: `score >= 70 is false (score is 65)`.
    package func explain(_ fields: [String: AlertValue]) -> [String] {
        root.comparisons.map { $0.explain(fields) }
    }

    package static func == (left: AlertExpression, right: AlertExpression) -> Bool {
        left.description == right.description
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(description)
    }
}

/// Why a text is not an expression, and where.
package struct AlertExpressionError: Error, Equatable, CustomStringConvertible {
    /// Of the character at fault, counted from 1.
    package let column: Int
    package let message: String

    package var description: String { "column \(column): \(message)" }
}

extension AlertExpression.Node {
    fileprivate func holds(_ fields: [String: AlertValue]) -> Bool {
        switch self {
        case .any(let nodes): nodes.contains { $0.holds(fields) }
        case .all(let nodes): nodes.allSatisfy { $0.holds(fields) }
        case .not(let node): !node.holds(fields)
        case .comparison(let comparison): comparison.holds(fields)
        }
    }

    fileprivate var comparisons: [AlertExpression.Comparison] {
        switch self {
        case .any(let nodes), .all(let nodes): nodes.flatMap(\.comparisons)
        case .not(let node): node.comparisons
        case .comparison(let comparison): [comparison]
        }
    }
}
