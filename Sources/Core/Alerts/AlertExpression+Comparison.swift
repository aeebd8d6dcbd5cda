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

        /// - Parameter order: of the two sides, see `AlertValue.order`.
        fileprivate func holds(order: Int) -> Bool {
            switch self {
            case .equal: order == 0
            case .notEqual: order != 0
            case .atMost: order <= 0
            case .atLeast: order >= 0
            case .less: order < 0
            case .greater: order > 0
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
            if case (.text(let left), .text(let right)) = (left, right) {
                return comparator.isEquality && comparator.holds(left, right)
            }
            return numericOrder(left, right).map { comparator.holds(order: $0) } ?? false
        }

        /// The order of two values that are not both texts; nil if one is a text and not a number.
        private func numericOrder(_ left: AlertValue, _ right: AlertValue) -> Int? {
            guard let left = left.asNumber, let right = right.asNumber else { return nil }
            return left.order(right)
        }

        func result(_ fields: [String: AlertValue]) -> Result {
            for operand in [left, right] where operand.value(fields) == nil {
                return .impossible(reason: "\(operand) is missing")
            }
            guard let left = left.value(fields), let right = right.value(fields) else {
                return .impossible(reason: "a value is missing")
            }
            if case (.text(let left), .text(let right)) = (left, right) {
                guard comparator.isEquality else {
                    return .impossible(reason: "texts have no order")
                }
                return comparator.holds(left, right) ? .holds : .fails
            }
            guard let order = numericOrder(left, right) else {
                return .impossible(reason: "a number and a text")
            }
            return comparator.holds(order: order) ? .holds : .fails
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
        case .literal(.number), .literal(.integer): 0
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
