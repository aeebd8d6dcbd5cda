import Alerts
import Foundation
import Logging
import Store

extension AlertRow {
    package init(rule: String, subject: String, alertState: AlertState?) {
        self.init(rule: rule, subject: subject, state: alertState.map(encoded))
    }

    /// Nil for bytes that no version of the hub has written.
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
    /// The values of a subject; nil for bytes that no version of the hub has written.
    package var alertFields: AlertFields? { value.flatMap { AlertFields(json: $0) } }
}

extension Logger {
    /// How many rows an entry names.
    private static let rowsNamedMax = 10

    /// Reports stored rows that cannot be read: the rules of these subjects begin without a state.
    package func warn(ofUnusableAlertRows rows: [String]) {
        guard !rows.isEmpty else { return }
        warning(
            "stored alert state not used",
            metadata: [
                "count": "\(rows.count)",
                "rows": "\(rows.prefix(Logger.rowsNamedMax).joined(separator: ", "))",
            ]
        )
    }
}
