extension AlertExpression {
    enum Operand: Sendable, Equatable {
        case field(String)
        case literal(AlertValue)
    }

    enum Comparator: String, Sendable, CaseIterable {
        case equal = "=="
        case notEqual = "!="
        case atMost = "<="
        case atLeast = ">="
        case less = "<"
        case greater = ">"

        /// Whether texts, which have no order, can be compared by it.
        var isEquality: Bool { self == .equal || self == .notEqual }

        fileprivate func holds<Value: Equatable>(_ left: Value, _ right: Value) -> Bool {
            self == .equal ? left == right : left != right
        }

        fileprivate func holds(_ left: Double, _ right: Double) -> Bool {
            switch self {
            case .equal: left == right
            case .notEqual: left != right
            case .atMost: left <= right
            case .atLeast: left >= right
            case .less: left < right
            case .greater: left > right
            }
        }
    }

    struct Comparison: Sendable, Equatable {
        let left: Operand
        let comparator: Comparator
        let right: Operand

        enum Result: Equatable {
            case holds
            case fails
            /// Counts as false.
            case impossible(reason: String)
        }

        /// Bytes of a text that are compared in the time of one comparison of numbers.
        private static let textBytesPerUnit = 16

        /// See `AlertExpression.cost`.
        var cost: Int {
            1 + min(left.textLengthMax, right.textLengthMax) / Self.textBytesPerUnit
        }

        /// The same as `result`, without the reason.
        func holds(_ fields: [String: AlertValue]) -> Bool {
            guard let left = left.value(fields), let right = right.value(fields) else {
                return false
            }
            switch (left, right) {
            case (.number(let left), .number(let right)): return comparator.holds(left, right)
            case (.text(let left), .text(let right)):
                return comparator.isEquality && comparator.holds(left, right)
            case (.number, .text), (.text, .number): return false
            }
        }

        func result(_ fields: [String: AlertValue]) -> Result {
            for operand in [left, right] where operand.value(fields) == nil {
                return .impossible(reason: "\(operand) is missing")
            }
            switch (left.value(fields), right.value(fields)) {
            case (.number(let left), .number(let right)):
                return comparator.holds(left, right) ? .holds : .fails
            case (.text(let left), .text(let right)):
                guard comparator.isEquality else {
                    return .impossible(reason: "texts have no order")
                }
                return comparator.holds(left, right) ? .holds : .fails
            default:
                return .impossible(reason: "a number and a text")
            }
        }

        func explain(_ fields: [String: AlertValue]) -> String {
            let result = result(fields)
            var reasons: [String] = []
            for name in fieldNames {
                guard let value = Operand.field(name).value(fields) else { continue }
                reasons.append("\(name) is \(value)")
            }
            if case .impossible(let reason) = result { reasons.append(reason) }
            return "\(self) is \(result == .holds) (\(reasons.joined(separator: ", ")))"
        }

        var fieldNames: [String] {
            [left, right].compactMap { operand in
                guard case .field(let name) = operand else { return nil }
                return name
            }
        }
    }
}

extension AlertExpression.Operand: CustomStringConvertible {
    /// Nil for a field that is missing; a number that is not finite counts as missing.
    func value(_ fields: [String: AlertValue]) -> AlertValue? {
        switch self {
        case .literal(let value): return value
        case .field(let name):
            if case .number(let number) = fields[name], !number.isFinite { return nil }
            return fields[name]
        }
    }

    /// In bytes, of the text that it can be; 0 for a number.
    fileprivate var textLengthMax: Int {
        switch self {
        case .literal(.text(let text)): text.utf8.count
        case .literal(.number): 0
        case .field: AlertFields.textLengthMax
        }
    }

    var description: String {
        switch self {
        case .field(let name): name
        case .literal(let value): value.description
        }
    }
}

extension AlertExpression.Comparison: CustomStringConvertible {
    var description: String { "\(left) \(comparator.rawValue) \(right)" }
}
