/// An event of an alert, with the tags of the publication that it quotes if that is in a feed.
package struct AlertTold: Sendable, Equatable {
    package var topic: Topic
    package var event: Event
    package var tags: [String: String] = [:]
    /// For the list of alerts; nil for an alert of a user's own rule.
    package var record: AlertRecord?
}

extension AlertBoards {
    /// The contents of one commit: events, and the changed rows.
    package struct Outcome: Sendable, Equatable {
        package var events: [AlertTold] = []
        package var alerts: [AlertRow] = []
        package var state: [StateRow] = []
        package var transitions = AlertTransitionCounts()
        /// The numbers of publications that were not evaluated.
        package var passedOver: [AlertCounts.PassedOver: Int] = [:]

        package init(events: [AlertTold] = [], state: [StateRow] = []) {
            self.events = events
            self.state = state
        }

        package var isEmpty: Bool { events.isEmpty && alerts.isEmpty && state.isEmpty }

        package static func += (sum: inout Outcome, other: Outcome) {
            sum.events += other.events
            sum.alerts += other.alerts
            sum.state += other.state
            sum.transitions += other.transitions
            sum.passedOver.merge(other.passedOver, uniquingKeysWith: +)
        }
    }
}

/// The changes made by evaluations, from which the outcome is built.
struct AlertChanges {
    var events: [AlertTold] = []
    /// The last state by subject and rule.
    var states: [String: [String: AlertState?]] = [:]
    /// The subjects whose fields must be written.
    var fields: Set<String> = []
    var transitions = AlertTransitionCounts()
    var passedOver: [AlertCounts.PassedOver: Int] = [:]
}

extension Publication {
    /// The object whose members rules look at: a CloudEvent's data, or the payload itself; nil if
    /// it is not an object.
    var alertData: [UInt8]? {
        guard payload.first == UInt8(ascii: "{"),
            let members = try? JSONReader.fields(of: payload[...])
        else { return nil }
        let isCloudEvent = members.contains { $0.key == "specversion" }
        guard isCloudEvent, let data = members.first(where: { $0.key == "data" }) else {
            return payload
        }
        return data.value.first == UInt8(ascii: "{") ? Array(data.value) : nil
    }
}
