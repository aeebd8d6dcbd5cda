// Alerts: rules as data, and the machine that turns rules and published values into one alert per
// crossing.

/// A published value that a rule can use.
package enum AlertValue: Sendable, Equatable {
    case number(Double)
    case text(String)
}

extension AlertValue: CustomStringConvertible {
    /// As it is written in an expression: `72`, `"good"`.
    package var description: String {
        switch self {
        case .text(let text):
            let escaped = text.flatMap { $0 == "\"" || $0 == "\\" ? ["\\", $0] : [$0] }
            return "\"\(String(escaped))\""
        case .number(let number):
            return Int64(exactly: number).map(String.init) ?? number.description
        }
    }
}
