import Foundation
import Logging

extension AlertRow {
    package init(rule: String, subject: String, alertState: AlertState?) {
        self.init(rule: rule, subject: subject, state: alertState.map(encoded))
    }

    /// The state; nil if the bytes were not written by any version of the hub.
    package var alertState: AlertState? {
        state.flatMap { try? JSONDecoder().decode(AlertState.self, from: Data($0)) }
    }
}

private func encoded(_ state: AlertState) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    // Texts and whole numbers only: encoding cannot fail.
    guard let data = try? encoder.encode(state) else { preconditionFailure("not encodable") }
    return Array(data)
}

extension StateRow {
    /// The values of a subject; nil if the bytes were not written by any version of the hub.
    package var alertFields: AlertFields? { value.flatMap { AlertFields(json: $0) } }
}

extension Logger {
    /// The maximum number of rows that a log entry names.
    private static let rowsNamedMax = 10

    /// Logs stored rows that cannot be read: the rules of these subjects start without a state.
    package func warn(ofUnusableAlertRows rows: [String]) {
        guard !rows.isEmpty else { return }
        warning(
            "stored alert state not used",
            metadata: [
                "count": .stringConvertible(rows.count),
                "rows": "\(rows.prefix(Logger.rowsNamedMax).joined(separator: ", "))",
            ]
        )
    }
}
