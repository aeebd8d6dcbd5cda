import Aurora
import Foundation
import HubTesting
import LoopTesting
import Store

@testable import AuroraApp

/// An aurora pipeline, what has come out of it, and the rows that a store would hold.
struct PipelineRun {
    private(set) var pipeline: AuroraPipeline
    private(set) var outputs: [AuroraPipeline.Output] = []
    private(set) var stateRows: [String: StateRow] = [:]
    private(set) var alertRows: [String: AlertRow] = [:]
    private var serial = 0

    init(places: [Place] = [.tromso], rules: [AlertRule] = [.auroraExcellent]) {
        pipeline = AuroraPipeline(places: places, rules: rules)
    }

    /// Takes an input in. Ids count, so that two runs over the same inputs give the same.
    @discardableResult
    mutating func take(_ payload: AuroraPayload?, at now: Timestamp) -> AuroraPipeline.Output {
        let output = pipeline.take(payload, now: now) {
            serial += 1
            return "id-\(serial)"
        }
        for row in output.state { stateRows[row.key] = row }
        for row in output.alerts { alertRows["\(row.rule)/\(row.subject)"] = row }
        outputs.append(output)
        return output
    }

    /// Puts a pipeline in the place of this one that knows the rows and nothing else.
    ///
    /// - Returns: the keys of the rows that it did not want.
    @discardableResult
    mutating func restart(
        places: [Place] = [.tromso],
        rules: [AlertRule] = [.auroraExcellent]
    ) -> [String] {
        pipeline = AuroraPipeline(places: places, rules: rules)
        return pipeline.restore(
            state: stateRows.values.sorted { $0.key < $1.key },
            alerts: alertRows.values.sorted { ($0.rule, $0.subject) < ($1.rule, $1.subject) }
        )
    }

    var events: [AuroraPipeline.PublishedEvent] { outputs.flatMap(\.events) }

    func events(on topic: Topic) -> [Event] {
        events.filter { $0.topic == topic }.map(\.event)
    }

    var level: Level? { pipeline.derivations[Place.tromso.id]?.conditions.level }
}

extension Event {
    /// A member of the data, as it is written there.
    func dataMember(_ key: String) -> ArraySlice<UInt8>? {
        let fields = try? JSONReader.fields(of: data[...])
        return fields?.first { $0.key == key }?.value
    }

    /// A text among the members of the data.
    func dataText(_ key: String) -> String? {
        dataMember(key).flatMap { JSONReader.string($0) }
    }
}

extension Array where Element: Equatable {
    /// Without what repeats its predecessor.
    var withoutRepetition: [Element] {
        var kept: [Element] = []
        for element in self where element != kept.last { kept.append(element) }
        return kept
    }
}
