/// Reads the grammar of `AlertExpression` by recursive descent, one function for each rule.
struct AlertExpressionParser {
    private let tokens: [AlertToken]
    private var index = 0
    private var depth = 0
    /// Every mention of a field, in the order of the text.
    private(set) var fields: [AlertExpression.NamedField] = []

    private typealias Node = AlertExpression.Node
    private typealias Operand = AlertExpression.Operand

    init(_ tokens: AlertTokens) {
        self.tokens = tokens.tokens
    }

    mutating func parse() throws(AlertExpressionError) -> AlertExpression.Node {
        let node = try expression()
        guard current.kind == .end else { throw unexpected("'and', 'or' or the end") }
        return node
    }

    private mutating func expression() throws(AlertExpressionError) -> Node {
        var nodes = [try conjunction()]
        while take(.or) { nodes.append(try conjunction()) }
        return nodes.count == 1 ? nodes[0] : .any(nodes)
    }

    private mutating func conjunction() throws(AlertExpressionError) -> Node {
        var nodes = [try term()]
        while take(.and) { nodes.append(try term()) }
        return nodes.count == 1 ? nodes[0] : .all(nodes)
    }

    private mutating func term() throws(AlertExpressionError) -> Node {
        guard current.kind == .not || current.kind == .open else { return try comparison() }
        guard depth < AlertExpression.depthMax else {
            throw AlertExpressionError(
                column: current.column,
                message: "nested deeper than \(AlertExpression.depthMax) levels"
            )
        }
        depth += 1
        defer { depth -= 1 }
        if take(.not) { return .not(try term()) }
        let column = current.column
        index += 1
        let node = try expression()
        guard take(.close) else {
            throw unexpected("'and', 'or' or ')' for the '(' in column \(column)")
        }
        return node
    }

    private mutating func comparison() throws(AlertExpressionError) -> Node {
        let first = current
        let left = try operand("a name, a number or a text")
        guard case .comparator(let comparator) = current.kind else {
            throw unexpected("a comparison after \(first.quoted)")
        }
        let comparatorToken = current
        index += 1
        let right = try operand(
            "\(comparator.isEquality ? "a name, a number or a text" : "a number or a name")"
                + " after '\(comparator.rawValue)'"
        )
        if case (.literal, .literal) = (left, right) {
            throw AlertExpressionError(
                column: first.column,
                message: "expected a name on one side of the comparison"
            )
        }
        for case .literal(.text) in [left, right] where !comparator.isEquality {
            throw AlertExpressionError(
                column: comparatorToken.column,
                message: "texts have no order; only '==' and '!=' compare them"
            )
        }
        return .comparison(.init(left: left, comparator: comparator, right: right))
    }

    private mutating func operand(_ expected: String) throws(AlertExpressionError) -> Operand {
        let operand: Operand
        switch current.kind {
        case .name(let name):
            operand = .field(name)
            fields.append(AlertExpression.NamedField(name: name, column: current.column))
        case .number(let number): operand = .literal(number)
        case .text(let text): operand = .literal(.text(text))
        case .comparator, .and, .or, .not, .open, .close, .end:
            throw unexpected(expected)
        }
        index += 1
        return operand
    }

    // MARK: Tokens

    /// The last token is `.end`, and no rule goes past it.
    private var current: AlertToken { tokens[index] }

    private mutating func take(_ kind: AlertToken.Kind) -> Bool {
        guard current.kind == kind else { return false }
        index += 1
        return true
    }

    private func unexpected(_ expected: String) -> AlertExpressionError {
        AlertExpressionError(
            column: current.column,
            message: "expected \(expected); found \(current.quoted)"
        )
    }
}
