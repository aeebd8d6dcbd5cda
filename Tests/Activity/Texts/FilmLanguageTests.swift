import Expectations
import SeededRandom
import TasteTesting

@testable import Activity

@Suite("Texts of the film app", .timeLimit(.minutes(10)))
struct FilmLanguageTests {
    // MARK: Sentences

    /// The numbers of a sentence in the order in which texts have them; 1 as a word is left out.
    private static func numbers(_ sentence: ReasonSentence) -> [Double] {
        switch sentence {
        case .ratedSimilar(let films): films.map { tenths($0.stars.value) }
        case .ratedNearest(let film): [tenths(film.stars.value)]
        case .genreRated(_, let count, let mean), .ratedByPeople(let count, let mean):
            (count == 1 ? [] : [Double(count)]) + [tenths(mean)]
        case .ratedByFriends(let count, let mean, _): [Double(count), tenths(mean)]
        case .watchedByFriends(let count): [Double(count)]
        case .ratedNothingSimilar, .ratedNoOther, .noGenre, .genreNotRated, .ratedByNobody: []
        }
    }

    private static func names(_ sentence: ReasonSentence) -> [String] {
        switch sentence {
        case .ratedSimilar(let films): films.map(\.title)
        case .ratedNearest(let film): [film.title]
        case .genreRated(let genre, _, _), .genreNotRated(let genre): [genre]
        default: []
        }
    }

    private static func tenths(_ mean: Double) -> Double { (10 * mean).rounded() / 10 }

    /// The numbers of a text, whichever sign is before the decimals; `1 star` is one, and not `1 stars`.
    private static func numbers(in text: String) -> [Double] {
        text.matches(of: #/\d+(?:[.,]\d)?/#).compactMap {
            Double(String($0.output).replacing(",", with: "."))
        }
    }

    private static func sentences(_ random: inout SeededGenerator) -> [ReasonSentence] {
        func stars() -> HalfStars { HalfStars(halves: Int.random(in: 1...10, using: &random))! }
        func film() -> ReasonSentence.RatedFilm {
            ReasonSentence.RatedFilm(title: "Heat", stars: stars())
        }
        let count = [1, 2, 3, 12, 1250].randomElement(using: &random)!
        let mean = Double.random(in: 0.5...5, using: &random)
        return [
            .ratedSimilar([film()]), .ratedSimilar([film(), film()]), .ratedNearest(film()),
            .ratedNothingSimilar, .ratedNoOther, .noGenre, .genreNotRated("Western"),
            .genreRated("Western", count: count, mean: mean), .ratedByNobody,
            .ratedByPeople(count: count, mean: mean),
            .ratedByFriends(count: count, mean: mean, isUnanimous: false),
            .ratedByFriends(count: count, mean: mean, isUnanimous: true),
            .watchedByFriends(count),
        ]
    }

    @Test(arguments: FilmLanguage.allCases)
    func sentencesHaveTheNumbersAndNamesOfTheirData(language: FilmLanguage) {
        for seed in 1...200 {
            var random = SeededGenerator(seed: UInt64(seed))
            for sentence in Self.sentences(&random) {
                let text = language.text(sentence)
                expectEqual(
                    Self.numbers(in: text),
                    Self.numbers(sentence),
                    "\(language), seed \(seed): \(text)"
                )
                for name in Self.names(sentence) { expect(text.contains(name)) }
            }
        }
    }

    @Test(arguments: FilmLanguage.allCases)
    func differentSentencesHaveDifferentTexts(language: FilmLanguage) {
        var random = SeededGenerator(seed: 5)
        let sentences = Self.sentences(&random)
        let texts = Set(sentences.map(language.text))
        expectEqual(texts.count, sentences.count)
    }

    /// Of a world in which people rate: what explanations say, in every language.
    @Test(arguments: FilmLanguage.allCases)
    func explanationsOfAWorldHaveTheirNumbers(language: FilmLanguage) {
        let world = TasteWorld(seed: 3, people: 12, films: 20, ratingsEach: 6)
        let model = world.model
        for person in world.people {
            let taste = model.taste(of: world.ratings(of: person))
            for film in world.films {
                for factor in taste.explanation(of: film, now: tasteNow).factors {
                    var text = language.text(factor.sentence)
                    // Titles of this world have numbers of their own.
                    let names = Self.names(factor.sentence).sorted { $0.count > $1.count }
                    for name in names { text.replace(name, with: "") }
                    expectEqual(Self.numbers(in: text), Self.numbers(factor.sentence), "\(text)")
                }
            }
        }
    }

    @Test(arguments: [
        (FilmLanguage.english, 0.5, "0.5 stars"), (.english, 1, "1 star"),
        (.english, 1.04, "1 star"),
        (.english, 4.25, "4.3 stars"), (.english, 4.96, "5 stars"),
        (.norwegian, 0.5, "0,5 stjerner"), (.norwegian, 1, "1 stjerne"),
        (.norwegian, 4.25, "4,3 stjerner"), (.norwegian, 4.96, "5 stjerner"),
    ])
    func starsAreWrittenAsOneReadsThem(language: FilmLanguage, mean: Double, text: String) {
        let sentence = language.text(.ratedByPeople(count: 1, mean: mean))
        expect(sentence.hasSuffix(text), "\(sentence)")
    }

    // MARK: Accept-Language

    @Test(
        arguments: [
            (nil, .english), ("", .english), ("nb", .norwegian), ("nb-NO", .norwegian),
            ("no", .norwegian), ("nn-NO,nn;q=0.9", .norwegian), ("NB", .norwegian),
            ("de", .english), ("de, nb;q=0.3", .norwegian), ("en-GB,en;q=0.9,nb;q=0.8", .english),
            ("nb;q=0.8,en;q=0.9", .english), ("nb, en", .norwegian), ("en, nb", .english),
            ("nb;q=0", .english), ("en;q=0, nb;q=0.001", .norwegian), ("*", .english),
            ("*;q=0.5, nb", .norwegian), ("*, nb;q=0.5", .english), ("nb;q=2", .english),
            ("nb;q=x", .english), ("nb ; q=0.7 , en ; q=0.2", .norwegian), (";;,,", .english),
            ("nbx", .english), ("no;level=1;q=0.5", .norwegian),
        ] as [(String?, FilmLanguage)]
    )
    func languageIsTheOneThatTheRequestPrefers(header: String?, language: FilmLanguage) {
        expectEqual(FilmLanguage(acceptLanguage: header), language)
    }
}
