import Expectations
import Foundation

@testable import Activity

@Suite("Titles and genres of catalogues", .timeLimit(.minutes(10)))
struct TitleFormTests {
    @Test(arguments: ActivityVectors.all.titles)
    private func titleIsTakenApart(_ vector: ActivityVectors.Title) {
        let form = TitleForm(vector.text)
        expectEqual(Array(form.title.utf8), Array(vector.title.utf8))
        expectEqual(form.year, vector.year)
    }

    /// An accent on a space, U+073A, makes one character with it, and is still not space.
    @Test func nothingIsLostOrDoubledAroundAnArticle() {
        let form = TitleForm("B (x) \u{73A}a,\t\u{73A}b, The  (y)")
        expectEqual(form.title, "B (x) The \u{73A}a,\t\u{73A}b  (y)")
        expectEqual(
            TitleForm("B (x) \u{73A}a, The \u{73A}(y)").title,
            "B (x) \u{73A}a, The \u{73A}(y)"
        )
    }

    @Test(arguments: [1869, 1870, 2200, 2201])
    func yearsWithoutFilmsAreAPartOfTheTitle(year: Int) {
        let isYear = (1870...2200).contains(year)
        let form = TitleForm("Room (\(year))")
        expectEqual(form.title, (isYear ? "Room" : "Room (\(year))"))
        expectEqual(form.year, (isYear ? year : nil))
    }

    @Test(arguments: ActivityVectors.all.titles)
    private func titleThatWasTakenApartStaysAsItIs(_ vector: ActivityVectors.Title) {
        // A title may be a year itself, or look like one that has to be taken apart.
        guard vector.year != nil else { return }
        expectEqual(TitleForm(vector.title).title, vector.title)
    }

    @Test(arguments: ActivityVectors.all.genres)
    private func genresAreSplit(_ vector: ActivityVectors.Genres) {
        expectEqual(genres(piped: vector.text), vector.genres)
    }
}

@Suite("Search: texts folded", .timeLimit(.minutes(10)))
struct SearchFoldingTests {
    @Test(arguments: ActivityVectors.all.words)
    private func textIsFoldedToItsWords(_ vector: ActivityVectors.Words) {
        let folded = SearchFolding.folded(vector.text)
        expectEqual(Array(folded.utf8), Array(vector.words.utf8), "\(folded)")
        expectEqual(SearchFolding.words(vector.text).joined(separator: " "), folded)
    }

    @Test(arguments: ActivityVectors.all.words)
    private func foldedTextStaysAsItIs(_ vector: ActivityVectors.Words) {
        // But for initials: what was one letter and a word on their own stays so.
        expectEqual(SearchFolding.folded(vector.words), vector.words)
    }

    /// Every letter that Unicode makes of one letter and accents: whichever way it was typed, and without
    /// them, it is the same to search.
    @Test func composedDecomposedAndPlainLettersAreTheSame() throws {
        var count = 0
        for value in [0xC0...0x24F, 0x370...0x52F, 0x1E00...0x1FFF].joined() {
            guard let scalar = Unicode.Scalar(UInt32(value)) else { continue }
            let letter = String(scalar)
            let decomposed = letter.decomposedStringWithCanonicalMapping
            let scalars = decomposed.unicodeScalars
            guard scalar.properties.isAlphabetic, scalars.count > 1,
                scalars.dropFirst().allSatisfy({ (0x300...0x36F).contains($0.value) }),
                let plain = scalars.first
            else { continue }
            let folded = SearchFolding.folded(letter)
            expectEqual(folded, SearchFolding.folded(decomposed), "\(letter)")
            expectEqual(folded, SearchFolding.folded(String(plain)), "\(letter)")
            let capital = letter.uppercased()
            // Capitals write some accents as letters beside them.
            if capital.unicodeScalars.count == 1 {
                expectEqual(folded, SearchFolding.folded(capital), "\(letter)")
            }
            expect(folded.unicodeScalars.count <= 2, "\(letter) is \(folded)")
            count += 1
        }
        expect(count > 700, "the letters were found: \(count)")
    }

    @Test func lettersOfOtherScriptsStayApart() {
        expectEqual(SearchFolding.words("か が"), ["か", "が"])
        expectEqual(SearchFolding.words("हिन्दी"), ["हिन्दी"])
        expectEqual(SearchFolding.words("한국"), ["한국"])
    }

    @Test func noScalarMakesAnEmptyWordOrOneWithSpace() {
        for value in 0...0xFFFF {
            guard let scalar = Unicode.Scalar(UInt32(value)) else { continue }
            let words = SearchFolding.words("a\(scalar)b \(scalar)")
            expect((1...3).contains(words.count), "\(value)")
            for word in words {
                let hasSpace = word.unicodeScalars.contains { $0.properties.isWhitespace }
                expect(!word.isEmpty && !hasSpace, "\(value)")
            }
        }
    }
}
