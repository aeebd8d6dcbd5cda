import Expectations

@testable import Radar

@Suite("The sample source", .timeLimit(.minutes(10)))
struct SampleSourceTests {
    private let source = SampleSource()

    private func sample(_ topic: String, _ day: Int) -> StanceSample? {
        source.localStances(topic: topic, period: day)?.first
    }

    @Test func answerFollowsFromTopicAndDay() {
        expectEqual(sample("trams", 20_000), sample("trams", 20_000))
        expect((0..<30).contains { sample("trams", $0) != sample("trams", 0) })
    }

    @Test func nothingPassesForARealOpinion() throws {
        let opinion = try require(sample("trams", 20_000))
        expectEqual(opinion.author, "sample")
        expectEqual(opinion.model, "sample")
        expect(opinion.content.contains("invented by this hub"))
        expectEqual(source.provider, "sample")
    }

    @Test func everyStanceOccursAndConfidenceIsInItsRange() {
        let samples = (0..<300).compactMap { sample("topic \($0)", 20_000) }
        expectEqual(Set(samples.map(\.stance)), Set(Stance.allCases))
        expect(samples.allSatisfy { (0.3...0.9).contains($0.confidence) })
    }

    @Test func topicLeansMoreThanItsDays() {
        let stances = (0..<30).compactMap { sample("trams", $0)?.stance }
        expect(Set(stances).count < 3)
    }

    @Test func nothingIsSent() {
        expectNil(source.stanceRequest(topic: "trams"))
        expectNil(source.interpretationRequest(topic: "trams"))
        expectEqual(source.tokensMax, 0)
        expectEqual(
            source.stances(from: response()),
            .failure(.permanent(reason: "sample answers by itself"))
        )
    }

    @Test func othersDoNotAnswerByThemselves() {
        expectNil(anthropic.localStances(topic: "trams", period: 0))
    }
}

@Suite("Interpretation by words alone", .timeLimit(.minutes(10)))
struct LexicalInterpretationTests {
    @Test func fallbackIsMarkedAsSuch() {
        expectEqual(lexicalInterpretation(of: "trams").source, "lexical")
    }

    @Test(arguments: [
        ("four-day working week", "work"),
        ("A ban on private cars in cities", "society"),
        ("Should whaling end?", "environment"),
        ("NATO membership", "politics"),
        ("Free school meals", "education"),
        ("AI in hospitals", "health"),
        ("AI", "technology"),
        ("purple", "other"),
        ("", "other"),
        ("日本の税", "other"),
    ])
    func wordsDecideTheCategory(topic: String, category: String) {
        expectEqual(lexicalInterpretation(of: topic).category, category)
    }

    @Test func everyCategoryIsOneOfThoseThatModelsChooseFrom() {
        let topics = [
            "work", "doctor", "climate", "school", "robot", "tax", "vote", "moon", "chess",
        ]
        let categories = (topics + ["opera", "prison", "?"]).map {
            lexicalInterpretation(of: $0).category
        }
        expectEqual(Set(categories), Set(Interpretation.categories))
    }

    @Test func tagsAreTheFirstFiveWordsThatMeanSomething() {
        expectEqual(
            lexicalInterpretation(of: "The four-day WORKING week, and the week's pay a week!").tags,
            ["four-day", "working", "week", "week's", "pay"]
        )
        expectEqual(
            lexicalInterpretation(of: "one two three four five six seven").tags,
            ["two", "three", "four", "five", "six"]
        )
        expectEqual(lexicalInterpretation(of: "is it -- so?").tags, [])
    }

    @Test(arguments: [
        ("better schools", Interpretation.Sentiment.positive), ("a dangerous trend", .negative),
        ("ban harmful ads to protect children", .mixed), ("trams", .neutral),
    ])
    func wordsDecideTheSentiment(topic: String, sentiment: Interpretation.Sentiment) {
        expectEqual(lexicalInterpretation(of: topic).sentiment, sentiment)
    }

    @Test func textIsTheTopic() {
        expectEqual(lexicalInterpretation(of: "  trams in\u{0} Oslo ").text, "trams in Oslo")
    }

    @Test func tagIsBounded() {
        let long = String(repeating: "x", count: 300)
        expectEqual(lexicalInterpretation(of: long).tags.map(\.count), [40])
    }
}
