import Alerts
import JSONText
import PubSub
import Store

/// An event of an alert, with the tags of the publication that it quotes if that is one of a feed.
package struct AlertTold: Sendable, Equatable {
    package var topic: Topic
    package var event: Event
    package var tags: [String: String] = [:]
}

extension AlertBoards {
    /// What is to be committed together: events, and the rows of what changed.
    package struct Outcome: Sendable, Equatable {
        package var events: [AlertTold] = []
        package var alerts: [AlertRow] = []
        package var state: [StateRow] = []
        package var transitions = AlertTransitionCounts()
        /// Publications that were not evaluated.
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

/// What evaluations have changed, on the way to their outcome.
struct AlertChanges {
    var events: [AlertTold] = []
    /// By subject and rule, the last state.
    var states: [String: [String: AlertState?]] = [:]
    /// Subjects whose fields are to be written.
    var fields: Set<String> = []
    var transitions = AlertTransitionCounts()
    var passedOver: [AlertCounts.PassedOver: Int] = [:]
}

extension Publication {
    /// The object whose members rules look at: a CloudEvent's data, or the payload itself; nil for what is no object.
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
