/// Returns the rest of each source's day for a user, in the given order.
///
/// - Parameter resetsAt: when the next day begins.
package func budgetJSON(
    _ budgets: [(source: String, budget: UserBudget)],
    resetsAt: Timestamp
) -> [UInt8] {
    var json = JSONWriter()
    json.object { json in
        json.field("resetsAt", resetsAt, .iso8601Seconds)
        json.array("sources") { json in
            for (source, budget) in budgets {
                json.object { json in
                    json.field("source", source)
                    json.field("questionsLeft", budget.questionsLeft)
                    json.part("requests", budget.requests)
                    json.part("tokens", budget.tokens)
                }
            }
        }
    }
    return json.bytes
}

extension JSONWriter {
    fileprivate mutating func part(_ key: String, _ part: UserBudget.Part?) {
        guard let part else { return null(key) }
        object(key) { json in
            json.field("share", part.share)
            json.field("taken", part.taken)
            json.field("left", part.left)
        }
    }

    fileprivate mutating func field(_ key: String, _ number: Int?) {
        if let number { field(key, number) } else { null(key) }
    }
}
