import Expectations
import HubTesting
import SeededRandom

@testable import Duties
@testable import Store

/// The window plans one endpoint at a time; `nextDue` over all rows at once says what it has to come to.
@Suite("Outbox window: against the order of all rows", .timeLimit(.minutes(10)))
struct OutboxWindowModelTests {
    private struct Model {
        static let names = (0..<6).map { "endpoint-\($0)" }
        static let limits = OutboxLimits(inFlightMax: 5, inFlightPerEndpointMax: 2)

        var random: SeededGenerator
        var now = Timestamp(milliseconds: 1_766_314_800_000)
        var rows: [OutboxRow] = []
        var nextID: Int64 = 1
        var paces: [String: EndpointHealth.Pace] = [:]
        var rates = EndpointRates()

        mutating func addRow() -> String {
            let name = Model.names.randomElement(using: &random) ?? ""
            let subject = [nil, "", "s", "t"].randomElement(using: &random) ?? nil
            let wait = [0, 0, 0, 3, 8].randomElement(using: &random) ?? 0
            rows.append(
                OutboxRow(
                    id: nextID,
                    endpoint: name,
                    subject: subject,
                    delivery: Delivery(now: now + .seconds(wait))
                )
            )
            nextID += 1
            return name
        }

        func stored(_ name: String) -> [StoredDelivery] {
            rows.filter { $0.endpoint == name }.map { row in
                StoredDelivery(
                    id: row.id,
                    endpoint: name,
                    messageID: "\(row.id)",
                    eventType: "a",
                    subject: row.subject,
                    body: [],
                    createdAt: row.delivery.nextAttempt ?? now,
                    status: .pending(nextAttempt: now),
                    attempts: 0,
                    statusCode: nil,
                    state: []
                )
            }
        }

        func delivery(_ row: StoredDelivery) -> Delivery {
            rows.first { $0.id == row.id }?.delivery ?? Delivery(now: now)
        }
    }

    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func whatIsTakenIsWhatTheOrderOfAllRowsSays(seed: UInt64) {
        var model = Model(random: SeededGenerator(seed: seed))
        var window = OutboxWindow(rowsPerEndpoint: 1000, limits: Model.limits)
        var rates = EndpointRates()
        for step in 1...300 {
            change(&model, &window, &rates)
            let pace = { [paces = model.paces] (name: String) in paces[name] ?? .free }
            let plan = nextDue(
                model.rows,
                now: model.now,
                limits: Model.limits,
                rates: model.rates,
                pace: pace
            )
            let taken = window.take(now: model.now, rates: &rates, pace: pace)
            expectEqual(taken.due.map(\.row.id), plan.send, "seed \(seed), step \(step)")
            model.rates = plan.rates
            for id in plan.send {
                guard let index = model.rows.firstIndex(where: { $0.id == id }) else { continue }
                model.rows[index].isInFlight = true
            }
            let isQuiet = !model.rows.contains(where: \.isInFlight)
            expect(!isQuiet || taken.wakeAt == plan.wakeAt, "seed \(seed), step \(step)")
        }
    }

    private func change(
        _ model: inout Model,
        _ window: inout OutboxWindow,
        _ rates: inout EndpointRates
    ) {
        switch Int.random(in: 0..<10, using: &model.random) {
        case 0..<4:
            let name = model.addRow()
            window.fill([name], model.stored(name), delivery: model.delivery)
        case 4..<7:
            endAttempt(&model, &window)
        case 7:
            let name = Model.names.randomElement(using: &model.random) ?? ""
            let until = model.now + .seconds(5)
            let paces: [EndpointHealth.Pace] = [.free, .trial, .wait(until: until)]
            model.paces[name] = paces.randomElement(using: &model.random) ?? .free
            window.touch(name)
        case 8:
            let row = model.rows.filter { !$0.isInFlight }.randomElement(using: &model.random)
            guard let row else { return }
            model.rows.removeAll { $0.id == row.id }
            window.withdraw(row.id, now: model.now)
        default:
            let passed = Duration.milliseconds(Int.random(in: 1...4000, using: &model.random))
            model.now = model.now + passed
            // What waited until an instant does so no longer, as a breaker does.
            for (name, pace) in model.paces {
                if case .wait(let until) = pace, until <= model.now { model.paces[name] = .trial }
            }
            let list = ["endpoint-1": 1, "endpoint-2": 2]
            model.rates.set(list)
            rates.set(list)
        }
    }

    private func endAttempt(_ model: inout Model, _ window: inout OutboxWindow) {
        let row = model.rows.filter(\.isInFlight).randomElement(using: &model.random)
        guard let row, let index = model.rows.firstIndex(where: { $0.id == row.id }) else { return }
        let isDelivered = Bool.random(using: &model.random)
        _ = model.rows[index].delivery.finish(
            .response(status: isDelivered ? 200 : 500, retryAfter: nil),
            schedule: RetrySchedule(delays: [.zero, .seconds(2), .seconds(4)], jitter: 0),
            now: model.now,
            random: 0.5
        )
        model.rows[index].isInFlight = false
        window.end(row.id, model.rows[index].delivery)
        model.rows.removeAll { $0.delivery.nextAttempt == nil }
    }
}
