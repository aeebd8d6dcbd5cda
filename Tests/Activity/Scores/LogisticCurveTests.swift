import Expectations

@testable import Activity

@Suite("Logistic curve", .timeLimit(.minutes(10)))
struct LogisticCurveTests {
    private let none = LogisticCurve.Figures(repeating: -.infinity)

    private func examples(_ likes: Int, of count: Int, _ figure: Double) -> [LogisticCurve.Example]
    {
        (0..<count).map { .init(figures: [1, figure, 0], isLiked: $0 < likes) }
    }

    @Test("is one half where nothing speaks for either")
    func half() {
        expectEqual(LogisticCurve([0, 0, 0]).probability([1, 2, 3]), 0.5)
    }

    @Test("goes through the shares that it was fitted to")
    func fit() {
        let curve = LogisticCurve([0, 0, 0]).fitted(
            to: examples(2000, of: 10_000, 0) + examples(9000, of: 10_000, 1),
            priorWeight: 0.001,
            least: none
        )
        expect(abs(curve.probability([1, 0, 0]) - 0.2) < 1e-5)
        expect(abs(curve.probability([1, 1, 0]) - 0.9) < 1e-5)
        expectEqual(curve.coefficients[2], 0, "a figure that is always zero says nothing")
    }

    @Test("stays what it was without examples")
    func prior() {
        let curve = LogisticCurve([-1, 0.5, 2])
        expectEqual(curve.fitted(to: [], priorWeight: 10, least: none), curve)
    }

    @Test("stays finite where all examples are alike")
    func separable() {
        let likes = examples(500, of: 500, 1)
        let curve = LogisticCurve([0, 0, 0]).fitted(to: likes, priorWeight: 10, least: none)
        let probability = curve.probability([1, 1, 0])
        expect(probability > 0.9)
        expect(probability < 1)
    }

    @Test("never falls where more evidence should lift it")
    func least() {
        let falling = examples(90, of: 100, 0) + examples(10, of: 100, 1)
        let curve = LogisticCurve([0, 1, 0]).fitted(
            to: falling,
            priorWeight: 1,
            least: [-.infinity, 0.05, 0]
        )
        expectEqual(curve.coefficients[1], 0.05)
    }
}
