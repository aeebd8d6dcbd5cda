import Aurora
import Expectations

@testable import AuroraApp

@Suite("Coming hours over the nights of the demo", .timeLimit(.minutes(10)))
struct AuroraHoursNightTests {
    /// One way through one night, at half an hour's step.
    ///
    /// In the minute before each full hour, the hour that begins has the score that is then measured, as far as
    /// the inputs have not changed meanwhile. While it is dark, tonight's best hour is never below `now`.
    @Test func hoursAndTonightAgreeWithWhatIsMeasured() async throws {
        var run = PipelineRun()
        var hours = 0
        var dark = 0
        for input in try await DemoNights.inputs.value where DemoNights.night(of: input.time) == 0 {
            run.take(input.payload, at: input.time)
            await Task.yield()
            guard input.payload == nil,
                input.time == input.time.roundedDown(to: .seconds(1800)),
                let measured = run.pipeline.derivations["tromso"],
                let outlook = run.pipeline.outlook(of: .tromso)
            else { continue }
            if outlook.nightHours.contains(where: \.isNow) {
                expect(Tonight(outlook).score >= measured.conditions.score, "\(input.time.iso8601)")
                dark += 1
            }
            guard input.time == input.time.roundedDown(to: .seconds(3600)) else { continue }
            try expectBegins(input.time, with: measured, in: run)
            hours += 1
        }
        expect(hours >= 20)
        expect(dark >= 20)
    }

    /// The same inputs a second before the hour.
    private func expectBegins(
        _ time: Timestamp,
        with measured: Derivation,
        in run: PipelineRun
    ) throws {
        let before = deriveConditions(
            place: .tromso,
            state: run.pipeline.state,
            now: time - .seconds(1),
            previousLevel: nil
        )
        let begins = try require(Outlook(before, state: run.pipeline.state).nextHours.first)
        expectEqual(begins.time, time)
        let difference = begins.factors.value - measured.explanation.score.value
        expect(abs(difference) < 0.5, "\(time.iso8601): \(difference)")
        expect(abs(begins.score - measured.conditions.score) <= 1)
    }
}
