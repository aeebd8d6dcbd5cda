import Aurora
import DomainKit
import Foundation

/// From the upstreams' data to the subscribers' publications: state, conditions, alerts, and the
/// rows that keep them.
///
/// A value: `AuroraService` copies it, lets it take an input, commits the output, and keeps the
/// copy only if the commit succeeded. So memory and store never disagree.
package struct AuroraPipeline: Sendable {
    /// The name of its rows in the store's domain state.
    package static let domain = "aurora"

    package let places: [Place]
    /// Whether every upstream that is due at the start has answered or failed once. Until then
    /// nothing is published: the first one or two products do not describe the sky, and the data of
    /// a hub that was down for hours are too old. An alert would be cleared, and raised once more a
    /// second later.
    package var isSettled: Bool
    /// Where the levels begin.
    private let bounds: LevelBounds
    package private(set) var state = AuroraState()
    package private(set) var derivations: [String: Derivation] = [:]
    /// The last published conditions, by place.
    private var published: [String: Conditions] = [:]
    private var alerts: AlertBoards
    /// The rules for a topic at this moment.
    private let rules: @Sendable (Topic) -> [AlertRule]
    /// The oval of each hemisphere that has a place, made once for each grid.
    private var shapes: [OvalShape.Hemisphere: OvalShape] = [:]
    /// The map as last published.
    private var publishedOval: [UInt8] = []

    /// The changes of one input. Commit it as a whole.
    package struct Output: Sendable, Equatable {
        package var events: [PublishedEvent] = []
        package var state: [StateRow] = []
        package var alerts: [AlertRow] = []
        package var transitions = AlertTransitionCounts()

        package var isEmpty: Bool { events.isEmpty && state.isEmpty && alerts.isEmpty }
    }

    package struct PublishedEvent: Sendable, Equatable {
        package var topic: Topic
        package var event: Event
        /// For the list of alerts; nil for conditions, and for alerts of users' own rules.
        package var alert: AlertRecord?
    }

    package init(
        places: [Place],
        bounds: LevelBounds = .standard,
        isSettled: Bool = true,
        rules: @escaping @Sendable (Topic) -> [AlertRule]
    ) {
        self.places = places
        self.bounds = bounds
        self.isSettled = isSettled
        self.rules = rules
        alerts = AlertBoards(AuroraAlertSubjects(places: places))
        for place in places { alerts.open(place.id) }
    }

    /// With rules that are always the same.
    package init(
        places: [Place],
        bounds: LevelBounds = .standard,
        rules: [AlertRule],
        isSettled: Bool = true
    ) {
        self.init(places: places, bounds: bounds, isSettled: isSettled) { topic in
            rules.filter { $0.applies(to: topic) }
        }
    }

    /// Nil until conditions of the place have been published.
    package func outlook(of place: Place) -> Outlook? {
        guard isKnown(place.id), let derivation = derivations[place.id] else { return nil }
        return Outlook(derivation, state: state, bounds: bounds)
    }

    // MARK: Restoring

    /// Restores the stored state. Rows of another version and of places that are no longer
    /// configured are skipped; their keys are returned for the log. Alerts of removed rules are
    /// cleared by the next input.
    package mutating func restore(state rows: [StateRow], alerts alertRows: [AlertRow]) -> [String]
    {
        var refused: [String] = []
        for row in rows {
            guard let value = row.value else { continue }
            if row.key == AuroraPipeline.ovalKey {
                publishedOval = value
            } else if let id = row.key.wholeSuffix(after: AuroraPipeline.publishedPrefix) {
                if !restorePublished(id, value) { refused.append(row.key) }
            } else if let part = AuroraStatePart(name: row.key), isConfigured(part) {
                do throws(PartError) { try state.restore(part, bytes: value) } catch {
                    refused.append(row.key)
                }
            } else {
                refused.append(row.key)
            }
        }
        makeShapes()
        refused += alerts.restore(alerts: alertRows)
        return refused
    }

    private func isConfigured(_ part: AuroraStatePart) -> Bool {
        guard case .weather(let id) = part else { return true }
        return places.contains { $0.id == id }
    }

    private mutating func restorePublished(_ id: String, _ value: [UInt8]) -> Bool {
        guard let place = places.first(where: { $0.id == id }),
            var conditions = try? JSONDecoder().decode(Conditions.self, from: Data(value))
        else { return false }
        conditions.place = place
        published[id] = conditions
        return true
    }

    private static let publishedPrefix = "published:"
    private static let ovalKey = "published_oval"

    // MARK: Inputs

    /// Takes a payload in, or with nil lets only time pass.
    ///
    /// - Parameter newID: makes a fresh id for each event and alert.
    package mutating func take(
        _ payload: AuroraPayload?,
        now: Timestamp,
        newID: () -> String
    ) -> Output {
        var output = Output()
        if let payload, state.apply(payload, now: now) {
            output.state.append(
                StateRow(
                    domain: AuroraPipeline.domain,
                    key: payload.part.name,
                    value: state.encodedPart(payload.part)
                )
            )
            if case .ovation = payload { makeShapes() }
        }
        for place in places { derive(place, now: now, newID: newID, &output) }
        publishOval(now: now, newID: newID, &output)
        return output
    }

    // MARK: The oval

    private mutating func makeShapes() {
        shapes = [:]
        guard let grid = state.ovation else { return }
        for hemisphere in Set(places.map(\.hemisphere)) {
            shapes[hemisphere] = OvalShape(grid, hemisphere)
        }
    }

    /// Nil until there is a grid. A grid that is too old stays until a newer one comes, also after a restart.
    package func ovalMap(of place: Place) -> OvalMap? {
        guard isSettled || isKnown(place.id), let derivation = derivations[place.id],
            let shape = shapes[place.hemisphere]
        else { return nil }
        return OvalMap(shape, derivation)
    }

    /// Publishes the map of the first place, which is also the default. A map that is too old has
    /// no event: only its age changes.
    private mutating func publishOval(
        now: Timestamp,
        newID: () -> String,
        _ output: inout Output
    ) {
        guard isSettled, let place = places.first, let map = ovalMap(of: place),
            map.staleAge == nil
        else { return }
        let data = map.json()
        guard data != publishedOval else { return }
        publishedOval = data
        output.events.append(
            PublishedEvent(
                topic: auroraOvalTopic,
                event: OvalMap.event(data: data, id: newID(), time: now)
            )
        )
        output.state.append(
            StateRow(domain: AuroraPipeline.domain, key: AuroraPipeline.ovalKey, value: data)
        )
    }

    private mutating func derive(
        _ place: Place,
        now: Timestamp,
        newID: () -> String,
        _ output: inout Output
    ) {
        // The published level holds until another is published.
        let derivedLevel = isSettled ? derivations[place.id]?.conditions.level : nil
        let previousLevel = derivedLevel ?? published[place.id]?.level
        let derivation = deriveConditions(
            place: place,
            state: state,
            now: now,
            previous: derivations[place.id]?.explanation,
            previousLevel: previousLevel,
            bounds: bounds
        )
        derivations[place.id] = derivation
        // Until the activity is known there is nothing to publish: a score of 0 would be a claim.
        // After a first publication, the loss of the activity is also published.
        // So also by day and under clouds, which make it certain that nothing can be seen.
        let isKnown = derivation.explanation.score.activity != nil
        guard isSettled, isKnown || published[place.id] != nil else { return }
        publish(derivation.conditions, newID: newID, &output)
        evaluateAlerts(derivation, now: now, newID: newID, &output)
    }

    private mutating func publish(
        _ conditions: Conditions,
        newID: () -> String,
        _ output: inout Output
    ) {
        let place = conditions.place
        guard conditionsChanged(published[place.id], conditions) else { return }
        published[place.id] = conditions
        output.events.append(
            PublishedEvent(
                topic: auroraTopic(place),
                event: conditionsEvent(conditions, id: newID())
            )
        )
        output.state.append(
            StateRow(
                domain: AuroraPipeline.domain,
                key: AuroraPipeline.publishedPrefix + place.id,
                value: encoded(conditions)
            )
        )
    }

    private mutating func evaluateAlerts(
        _ derivation: Derivation,
        now: Timestamp,
        newID: () -> String,
        _ output: inout Output
    ) {
        let outcome = alerts.evaluate(
            derivation.conditions.place.id,
            values: AuroraAlertSubjects.values(of: derivation),
            headline: AlertHeadline(
                Language.all.map {
                    .init(language: $0.code, line: derivation.conditions.headline($0))
                }
            ),
            rules: rules,
            now: now,
            newID: newID
        )
        output.alerts += outcome.alerts
        output.events += outcome.events.map {
            PublishedEvent(topic: $0.topic, event: $0.event, alert: $0.record)
        }
        output.transitions += outcome.transitions
    }

    /// Whether the place's conditions can be shown: they were published, and what has been derived
    /// since rests on data.
    package func isKnown(_ place: String) -> Bool {
        guard published[place] != nil else { return false }
        guard let explanation = derivations[place]?.explanation else { return true }
        return ["ovation", "coupling", "kp"].contains { explanation.input($0)?.value != nil }
    }

    /// The time at which an alert may change without new data.
    package var nextDeadline: Timestamp? { alerts.nextDeadline }

    /// The time from which a product is needed before its turn; nil for products whose data last from
    /// one turn to the next, and before the first data.
    package func neededFrom(_ product: AuroraProduct) -> Timestamp? {
        guard product.hastenedInterval != nil else { return nil }
        // The same at all places.
        let coupling = derivations.values.first?.explanation.input("coupling")
        return coupling?.time.map { $0 + AuroraLimits.solarWindNeededAge }
    }

    package func addStandingAlerts(to standing: inout StandingAlerts) {
        alerts.addStandingAlerts(to: &standing)
    }
}

/// These types encode without a failing path: no floating-point value in them is infinite.
private func encoded(_ value: some Encodable) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    guard let data = try? encoder.encode(value) else { preconditionFailure("not encodable") }
    return Array(data)
}

extension String {
    fileprivate func wholeSuffix(after prefix: String) -> String? {
        hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
    }
}
