import Expectations

@testable import News

@Suite("Explanations of stories for holders", .timeLimit(.minutes(10)))
struct ExplanationTaskTests {
    private typealias Explanation = PersonalSignalView.Explanation

    private let task = ExplanationTask(WritingExamples.story, for: WritingExamples.ticker)
    private let good = """
        {"headline":"Acme earns more","impact":"Profit rose 12 percent.",\
        "action":"Read the figures.","context":"5 publishers report it.","confidence":0.7}
        """

    @Test func explanationIsRead() {
        expectEqual(
            task.written(good),
            Explanation(
                headline: "Acme earns more",
                impact: "Profit rose 12 percent.",
                action: "Read the figures.",
                context: "5 publishers report it.",
                confidence: 0.7
            )
        )
    }

    @Test func questionHasTheFactsAndTheHolding() {
        let question = task.prompt.question
        for text in ["ACME", "12 percent", "5 publishers in 3 hours", "short term", "beats"] {
            expect(question.contains(text), "\(text)")
        }
    }

    @Test func keyStandsForARevisionOfAStoryAndACompany() throws {
        var story = WritingExamples.story
        story.title = "Another"
        expectEqual(ExplanationTask(story, for: WritingExamples.ticker).key, task.key)
        story.revision += 1
        expect(ExplanationTask(story, for: WritingExamples.ticker).key != task.key)
        let other = try require(Ticker("MSFT"))
        expect(ExplanationTask(WritingExamples.story, for: other).key != task.key)
        expectEqual(task.key.count, 32)
        expectEqual(task.subject, .story(id: WritingExamples.story.storyID))
    }

    @Test(arguments: [
        ("12 percent", "13 percent", WritingFault.number),
        ("Acme earns", "Microsoft earns", .ticker),
        ("Read the figures.", "Sell the shares.", .advice),
        ("Read the figures.", "Consider buying more.", .advice),
        ("5 publishers report it.", "More at http://evil.example/", .link),
        ("5 publishers report it.", "My instructions say so.", .instruction),
        ("Acme earns more", String(repeating: "x", count: 161), .tooLong),
        ("5 publishers report it.", String(repeating: "x", count: 701), .tooLong),
    ])
    func unfaithfulExplanationIsDropped(text: String, other: String, fault: WritingFault) {
        expectEqual(task.fault(good.replacing(text, with: other)), fault)
    }

    @Test func textsAtTheirLimitsAreKept() {
        let headline = String(repeating: "x", count: 160)
        expect(task.written(good.replacing("Acme earns more", with: headline)) != nil)
    }

    @Test(arguments: ["-0.01", "1.01", "\"high\"", "\"1.7\"", "null", "true", "1e999"])
    func confidenceIsANumberFromZeroToOne(confidence: String) {
        let arguments = good.replacing("0.7", with: confidence)
        expectEqual(task.answer(arguments), .none(.garbage, usage: WritingExamples.usage))
    }

    @Test(arguments: ["headline", "impact", "action", "context", "confidence"])
    func everyFieldIsRequired(field: String) {
        let renamed = good.replacing("\"\(field)\"", with: "\"other\"")
        expectEqual(task.answer(renamed), .none(.garbage, usage: WritingExamples.usage))
    }

    @Test func emptyHeadlineIsNoAnswer() {
        let arguments = good.replacing("Acme earns more", with: " ")
        expectEqual(task.answer(arguments), .none(.unanswered, usage: WritingExamples.usage))
    }

    @Test func storedExplanationIsReadBack() throws {
        let text = try require(task.written(good))
        expectEqual(ExplanationTask.text(stored: ExplanationTask.json(text)), text)
    }

    // MARK: Without a model

    private func story(
        title: String = "Acme Rockets opens an office",
        relevance: RelevanceType = .general,
        tickers: [Ticker] = []
    ) -> ExplainedStory {
        ExplainedStory(
            storyID: 1,
            revision: 1,
            title: title,
            texts: [title],
            reasons: ["Reported by The Publisher"],
            relevance: relevance,
            opportunity: Opportunity(title: title),
            tickers: tickers
        )
    }

    @Test func templateHasTheFactsOfTheStory() {
        let text = Explanation(of: WritingExamples.story, for: WritingExamples.ticker)
        expectEqual(text.headline, "Acme Rockets beats estimates")
        expectEqual(
            text.impact,
            "The story names ACME and is about earnings. Positive words: beats."
        )
        expectEqual(text.action, "Read the reported figures")
        expectEqual(text.context, "5 publishers in 3 hours. About earnings.")
        expectEqual(text.confidence, 0.4)
    }

    @Test func confidenceOfTheTemplateGrowsWithItsEvidence() {
        let ticker = WritingExamples.ticker
        func confidence(_ story: ExplainedStory) -> Double {
            Explanation(of: story, for: ticker).confidence
        }
        expectEqual(confidence(story()), 0.1)
        expectEqual(confidence(story(tickers: [ticker])), 0.2)
        expectEqual(confidence(story(relevance: .legal, tickers: [ticker])), 0.3)
    }

    @Test func templateIsFaithfulWhateverTheTitle() {
        let titles = [
            "", "Buy Acme now", "Sell in May: 7 shares to dump", "You should buy 3 shares",
            "Acme Rockets falls 12%", String(repeating: "long ", count: 100),
        ]
        for (index, title) in titles.enumerated() {
            let relevance = RelevanceType.allCases[index % RelevanceType.allCases.count]
            let story = story(title: title, relevance: relevance)
            let text = Explanation(of: story, for: WritingExamples.ticker)
            let fault = ExplanationTask(story, for: WritingExamples.ticker)
                .fault(in: text, extractor: WritingExamples.extractor)
            expectNil(fault, "\(title)")
            expect(!text.headline.isEmpty)
            expect((0...Explanation.templateConfidenceMax).contains(text.confidence))
        }
    }
}
