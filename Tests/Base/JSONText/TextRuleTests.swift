import Base
import Expectations

@Suite("What a text of a request may be", .timeLimit(.minutes(10)))
struct TextRuleTests {
    private let name = TextRule(lengthMax: 20, isName: true)
    private let line = TextRule(lengthMax: 20)
    private let prose = TextRule(lengthMax: 20, isProse: true)

    /// Zero width space, joiners and marks of direction, a byte order mark, a soft hyphen, a grapheme joiner,
    /// variation selectors of both kinds, tags, fillers of Hangul, a Braille pattern without dots, a control
    /// of direction, and space between them.
    private static let invisible = [
        "", " ", "\u{200B}", "\u{200C}\u{200D}", "\u{200E}\u{200F}", "\u{FEFF}", "\u{AD}",
        "\u{34F}", "\u{FE0F}", "\u{E0100}", "\u{E0041}", "\u{115F}\u{1160}", "\u{3164}",
        "\u{FFA0}", "\u{2060}", "\u{180E}", "\u{2800}", "\u{FFF9}\u{FFFB}", "\u{202E}",
        "\u{2066}\u{2069}", "\u{200B} \u{3000}\u{200B}",
    ]

    @Test(arguments: invisible)
    func textThatShowsNothingIsEmpty(text: String) {
        for rule in [name, line, prose] {
            #expect(throws: RequestError.empty(field: "f")) { try rule.check(text, field: "f") }
        }
    }

    /// A family of emoji, a heart with a variation selector, a flag made of tags, Persian with a non-joiner,
    /// Hebrew with a mark of direction, a word with a soft hyphen, an accent alone.
    @Test(arguments: [
        "👨‍👩‍👧‍👦", "❤️", "🏴󠁧󠁢󠁳󠁣󠁴󠁿", "می\u{200C}خواهم", "שלום\u{200F}!", "ek\u{AD}sem\u{AD}pel",
        "a\u{200B}b", "\u{301}", "한", "0",
    ])
    func invisibleScalarsBesideOthersStay(text: String) throws {
        for rule in [name, line, prose] {
            let checked = try rule.check(text, field: "f")
            expectEqual(Array(checked.utf8), Array(text.utf8))
        }
    }

    @Test(
        arguments: [
            0x202A, 0x202B, 0x202C, 0x202D, 0x202E, 0x2066, 0x2067, 0x2068, 0x2069,
        ] as [UInt32]
    )
    func nameDoesNotTurnTheDirectionAround(scalar: UInt32) throws {
        let text = "ab\(Character(Unicode.Scalar(scalar)!))c"
        let error = RequestError.controlCharacter(field: "f", scalar: scalar, index: 2)
        #expect(throws: error) { try name.check(text, field: "f") }
        expectEqual(Array(try line.check(text, field: "f").utf8), Array(text.utf8))
        expectEqual(Array(try prose.check(text, field: "f").utf8), Array(text.utf8))
    }

    @Test(arguments: [0x2029, 0x202F, 0x2065, 0x206A, 0x200E, 0x61C] as [UInt32])
    func theirNeighboursDoNot(scalar: UInt32) throws {
        let text = "ab\(Character(Unicode.Scalar(scalar)!))c"
        expectEqual(Array(try name.check(text, field: "f").utf8), Array(text.utf8))
    }

    @Test func controlCharactersAreToldAndNotTakenForNothing() throws {
        let error = RequestError.controlCharacter(field: "f", scalar: 1, index: 0)
        for rule in [name, line, prose] {
            #expect(throws: error) { try rule.check("\u{1}", field: "f") }
        }
        try expectEqual(prose.check("a\n\tb", field: "f"), "a\n\tb")
        #expect(throws: RequestError.controlCharacter(field: "f", scalar: 10, index: 1)) {
            try line.check("a\nb", field: "f")
        }
    }

    @Test func lengthCountsWhatIsNotSeen() throws {
        let longest = "a" + String(repeating: "\u{200D}", count: 19)
        try expectEqual(name.check(longest, field: "f").unicodeScalars.count, 20)
        let error = RequestError.tooLong(field: "f", length: 21, unit: "characters", limit: 20)
        #expect(throws: error) { try name.check(longest + "b", field: "f") }
    }
}
