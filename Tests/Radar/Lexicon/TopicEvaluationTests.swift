import Expectations
import TitleTesting

@testable import Radar

/// Measures the languages of topics that were written for it. The figures are in docs/RADAR.md.
@Suite("Topics: evaluation of languages", .timeLimit(.minutes(10)))
struct TopicEvaluationTests {
    @Test(arguments: [
        (LabelledTitles.Half.tuning, 0.83, 0.87), (.judgement, 0.84, 0.71),
    ])
    func languagesAreFound(half: LabelledTitles.Half, precision: Double, recall: Double) throws {
        var measure = LabelledMeasure()
        for (topic, labels) in try LabelledTitles(file: "topics.txt").rows(of: half) {
            let found = lexicalInterpretation(of: topic).language.map { [$0.rawValue] } ?? []
            // Nothing is to be found of a language without a word list.
            let isListed = LexicalLanguage(rawValue: labels[0]) != nil
            measure.add(topic, found: Set(found), label: isListed ? labels[0] : "-")
        }
        let report = measure.report("languages", half)
        print(report)
        expect(measure.labelled > 30)
        expect(measure.precision >= precision, "\(report)")
        expect(measure.recall >= recall, "\(report)")
    }
}
