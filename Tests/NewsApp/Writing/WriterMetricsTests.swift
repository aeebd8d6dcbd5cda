import Duties
import Expectations
import HubTesting

@testable import News
@testable import NewsApp

@Suite("Metrics of written texts", .timeLimit(.minutes(10)))
struct WriterMetricsTests {
    private func count(
        _ kind: WritingKind,
        _ result: WriterCounts.Result,
        in metrics: DomainMetrics
    ) async throws -> Double? {
        try await metrics.registry.exposition().value(
            "hub_news_texts_total",
            ["kind": kind.rawValue, "result": result.rawValue]
        )
    }

    @Test func requestsAreCountedByKindAndResult() async throws {
        try await WriterHub.run { hub in
            let metrics = DomainMetrics()
            let writer = try await hub.writer(metrics: metrics) { $0.dailyRequests = 4 }
            let answers: [(WriterCounts.Result, () -> Void)] = [
                (.written, { hub.set(WriterHub.summary()) }),
                (.dropped, { hub.set(WriterHub.summary("It earned 13 percent more.")) }),
                (.none, { hub.set(WriterHub.refusal) }),
                (.failed, { hub.set(WriterHub.error(400, "invalid_request_error")) }),
                // The fifth request is over the budget.
                (.later, {}),
            ]
            for (result, answer) in answers {
                answer()
                try await expectEqual(count(.summary, result, in: metrics), 0)
                let article = try await hub.article(result.rawValue)
                _ = await writer.summary(of: article)
                try await expectEqual(count(.summary, result, in: metrics), 1)
                try await expectEqual(count(.explanation, result, in: metrics), 0)
            }
        }
    }
}
