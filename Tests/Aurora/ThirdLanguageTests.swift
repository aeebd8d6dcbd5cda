import Expectations

@testable import Aurora

extension Language {
    /// Another language is this one value, here in a test; for the hub it would be in Languages.swift.
    fileprivate static let swedish = Language(
        code: "sv",
        tags: ["sv"],
        decimalSeparator: ",",
        lights: ("norrsken", "sydsken"),
        now: Now(
            headlines: headlines("nu"),
            cloudUnknown: "Molnigheten är okänd nu",
            advice: Advice(
                noData: "Försök igen om en stund.",
                tooBright: "Vänta tills himlen är mörk.",
                cloudy: "Vänta på klarare väder.",
                quiet: "Vänta på mer aktivitet.",
                faintInBrightSky: "Himlen är för ljus för ett svagt norrsken.",
                lowInClouds: "Det är mycket moln. Leta efter luckor.",
                moderateInClouds: "Leta efter luckor i molnen.",
                low: "Bara ett svagt norrsken väntas.",
                moderate: "Hitta en mörk plats och håll utkik.",
                goodInClouds: "Gå ut och leta efter luckor i molnen!",
                good: "Gå ut och titta!",
                excellent: "Gå ut nu och titta upp!",
                cloudUnknown: "Molnigheten är okänd."
            )
        ),
        tonight: Tonight(
            headlines: headlines("i kväll"),
            restOfNight: headlines("i natt"),
            neverDark: "Det blir inte mörkt nog i natt"
        ),
        summary: Summary(
            kp: { "Kp upp till \($0)." },
            unknownKp: "Kp är inte prognostiserat.",
            cloud: { "Moln som bäst \($0) %." },
            unknownCloud: "Molnigheten är okänd.",
            dark: { "Mörkt nog från \($0) till \($1)." },
            darkInPolarNight: { "Polarnatt, och mörkt nog från \($0) till \($1)." },
            darkUntil: { "Mörkt nog till \($0)." },
            darkUntilInPolarNight: { "Polarnatt, och mörkt nog till \($0)." },
            darkAllDay: "Polarnatt, och mörkt nog hela dygnet.",
            midnightSun: "Midnattssol: solen går inte ner.",
            tooBright: "Natten är för ljus."
        ),
        bestTime: BestTime(
            between: { "Mellan \($0) och \($1)" },
            fromNow: { "Från nu till \($0)" },
            none: "Inga bra timmar"
        ),
        tips: Tips(
            leaveLights: "Gå bort från gatljus",
            findGaps: "Leta efter luckor i molnen",
            dressWarmly: "Ta på ull och mössa",
            stay: "Ge det en timme",
            waitForDark: "Vänta på mörka nätter",
            waitForClearSky: "Vänta på klarare väder",
            waitForActivity: "Vänta på mer aktivitet"
        )
    )

    private static func headlines(_ time: String) -> Headlines {
        Headlines(
            tooBright: "För ljust för norrsken \(time)",
            cloudy: "Moln döljer himlen \(time)",
            quiet: "Knappt något norrsken \(time)",
            noData: "Inga färska norrskensdata",
            low: "Små chanser till norrsken \(time)",
            moderate: "Medelgoda chanser till norrsken \(time)",
            good: "Goda chanser till norrsken \(time)",
            excellent: "Mycket goda chanser till norrsken \(time)"
        )
    }
}

@Suite("A third language", .timeLimit(.minutes(10)))
struct ThirdLanguageTests {
    private let languages = Language.all + [.swedish]

    @Test(arguments: [
        ("sv", "sv"), ("sv-SE, en;q=0.8", "sv"), ("en, sv;q=0.9", "en"), ("nn, sv", "nb"),
        ("de", "en"), ("zh-Hans-CN, zh;q=0.9", "en"), ("de, nb;q=0.1", "nb"), ("de, *;q=0.5", "en"),
        ("*", "nb"), ("", "nb"), ("de;q=0", "nb"), ("sv;q=0, fr", "en"),
    ])
    func oneValueIsEnoughForAcceptLanguage(accepted: String, code: String) {
        expectEqual(Language(acceptLanguage: accepted, among: languages).code, code, "\(accepted)")
    }

    @Test func clientWithoutAnAcceptLanguageReadsTheFirst() {
        expectEqual(Language(acceptLanguage: nil, among: languages).code, "nb")
    }

    @Test func oneValueIsEnoughForEveryTextOfTonight() {
        let tonight = Sky(kp: 3, cloud: 50).tonight
        expectEqual(tonight.headline(.swedish), "Medelgoda chanser till norrsken i kväll")
        expect(
            tonight.summary(.swedish).hasPrefix("Kp upp till 3,0. Moln som bäst 50 %. Polarnatt")
        )
        expect(
            tonight.bestTime(.swedish).hasPrefix("Mellan ")
                || tonight.bestTime(.swedish).hasPrefix("Från ")
        )
        expect(tonight.tips(.swedish).contains("Leta efter luckor i molnen"))
    }

    @Test func oneValueIsEnoughForEvents() {
        let conditions = Sky(now: at("2025-12-21T20:20:00Z"), cloud: 0, ovation: 90).derivation
            .conditions
        let event = conditionsEvent(conditions, id: "id", languages: languages)
        let text = String(decoding: event.data, as: UTF8.self)
        for language in languages {
            expect(text.contains(#""\#(language.code)":"\#(conditions.headline(language))""#))
            expect(text.contains(#""\#(language.code)":"\#(conditions.recommendation(language))""#))
        }
        expect(text.contains(#""headlines":{"nb":"#))
    }

    @Test func everyLanguageHasACodeAndTagsOfItsOwn() {
        expectEqual(Set(languages.map(\.code)).count, languages.count)
        let tags = languages.flatMap(\.tags)
        expectEqual(Set(tags).count, tags.count)
        expect(languages.allSatisfy { $0.tags.contains($0.code) })
    }
}
