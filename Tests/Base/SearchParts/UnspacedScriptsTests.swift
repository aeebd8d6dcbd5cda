import Base
import Expectations

@Suite("Parts of texts without spaces", .timeLimit(.minutes(10)))
struct UnspacedScriptsTests {
    @Test(arguments: [
        ("原子力発電", "原 子 力 発 電"), ("iPhone発売", "iPhone 発 売"), ("第5回G7会議", "第 5 回 G7 会 議"),
        ("ดอก", "ด อ ก"), ("ロイター", "ロ イ タ ー"), ("央行, 利率。", "央 行 , 利 率 。"),
        ("力 力\n力", "力 力\n力"), ("𠮷野家", "𠮷 野 家"), ("ﾆｭｰｽ", "ﾆ ｭ ｰ ｽ"),
    ])
    func eachCharacterIsAWord(text: String, expected: String) {
        expectEqual(UnspacedScripts.spaced(text), expected)
        expect(expected.unicodeScalars.count <= 2 * text.unicodeScalars.count)
    }

    @Test(arguments: ["", "Fed raises rates", "Café", "Центральный банк", "한국은행 금리", "“—”", "😀"])
    func textOfOtherScriptsHasNone(text: String) {
        expectNil(UnspacedScripts.spaced(text))
    }

    @Test func partsOfAWordAreItsCharactersAndWhatIsBetweenThem() {
        expectEqual(UnspacedScripts.parts(ofWord: "iPhone15発売"), ["iPhone15", "発", "売"])
        expectEqual(UnspacedScripts.parts(ofWord: "rates"), ["rates"])
        expectEqual(UnspacedScripts.parts(ofWord: ""), [])
    }

    @Test func characterClassListsTheRanges() {
        let text = UnspacedScripts.characterClass
        expect(text.hasPrefix(#"\U00000e00-\U00000eff"#))
        expect(text.hasSuffix(#"\U00020000-\U0003ffff"#))
    }
}
