import Alerts
import Foundation
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
