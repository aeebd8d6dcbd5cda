// Search ignores case, accents and punctuation. Both sides are folded the same way: the titles when
// they are stored, the words when they are searched for.

/// Texts as search compares them.
package enum SearchFolding {
    /// The words of a text: small letters without accents, and digits.
    ///
    /// Letters that are more than an accent away from ASCII become the letters that people type for
    /// them: ø is o, æ is ae, ß is ss. `Schindler's` is one word and `L'Avventura` two; `E.T.` is
    /// one. The scripts without case and accents stay as they are. A text in composed characters
    /// and the same in decomposed ones have the same words, as far as Latin, Greek and Cyrillic
    /// letters go.
    package static func words(_ text: String) -> [String] {
        var words: [String] = []
        let segments = segments(of: text)
        for (index, segment) in segments.enumerated() {
            let next = index + 1 < segments.count ? segments[index + 1] : nil
            if index > 0, isOneWord(segments[index - 1], segment, next: next) {
                words[words.count - 1] += segment.text
            } else {
                words.append(segment.text)
            }
        }
        return words
    }

    /// The words with one space between them. Two genres, for example, are the same if these texts
    /// are.
    package static func folded(_ text: String) -> String {
        words(text).joined(separator: " ")
    }

    /// The words with one space between them, and each character of a script without spaces as a
    /// word.
    package static func foldedParts(_ text: String) -> String {
        words(text).flatMap { UnspacedScripts.parts(ofWord: $0) }.joined(separator: " ")
    }

    // MARK: Segments

    /// Letters and digits in a row.
    private struct Segment {
        /// Folded.
        var text = ""
        /// Before folding.
        var length = 0
        var isLetters = true
        /// The text between it and the word in front, if that is one scalar.
        var joint: Unicode.Scalar?

        mutating func append(_ scalar: Unicode.Scalar) {
            text += folded(scalar)
            length += 1
            isLetters = isLetters && scalar.properties.isAlphabetic
        }
    }

    private static func segments(of text: String) -> [Segment] {
        var segments: [Segment] = []
        var gap: [Unicode.Scalar] = []
        var isInGap = true
        for scalar in text.unicodeScalars where !isPassedOver(scalar) {
            guard isPartOfWord(scalar) else {
                gap.append(scalar)
                isInGap = true
                continue
            }
            if isInGap { segments.append(Segment(joint: gap.count == 1 ? gap[0] : nil)) }
            gap = []
            isInGap = false
            segments[segments.count - 1].append(scalar)
        }
        return segments
    }

    private static let apostrophes: Set<Unicode.Scalar> = ["'", "\u{2019}", "\u{02BC}"]
    private static let initialMarks: Set<Unicode.Scalar> = [".", "*"]

    /// The one letter behind an apostrophe that ends a word, and the letters of an abbreviation.
    private static func isOneWord(_ left: Segment, _ right: Segment, next: Segment?) -> Bool {
        guard let joint = right.joint, right.length == 1, right.isLetters else { return false }
        if apostrophes.contains(joint) {
            return !(next?.joint.map(apostrophes.contains) ?? false)
        }
        return initialMarks.contains(joint) && left.length == 1 && left.isLetters
    }

    // MARK: Scalars

    /// The accents of Unicode's first block of them, and characters without width.
    private static func isPassedOver(_ scalar: Unicode.Scalar) -> Bool {
        isAccent(scalar) || scalar.properties.isDefaultIgnorableCodePoint
    }

    private static func isAccent(_ scalar: Unicode.Scalar) -> Bool {
        ("\u{0300}"..."\u{036F}").contains(scalar)
    }

    private static func isPartOfWord(_ scalar: Unicode.Scalar) -> Bool {
        if apostrophes.contains(scalar) { return false }
        return switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
            .decimalNumber, .letterNumber, .otherNumber, .nonspacingMark, .spacingMark:
            true
        default: false
        }
    }

    private static func folded(_ scalar: Unicode.Scalar) -> String {
        if scalar.isASCII { return scalar.properties.lowercaseMapping }
        var text = ""
        for small in scalar.properties.lowercaseMapping.unicodeScalars where !isAccent(small) {
            text += plainLetters[small] ?? String(small)
        }
        return text
    }

    private static let plainLetters: [Unicode.Scalar: String] = {
        var letters: [Unicode.Scalar: String] = [:]
        for (plain, others) in table {
            for scalar in others.unicodeScalars { letters[scalar] = plain }
        }
        return letters
    }()

    /// The small letters that Unicode makes of a letter and accents, and others that are typed in ASCII.
    private static let table: [(plain: String, others: String)] = [
        ("a", "àáâãäåāăąǎǟǡǻȁȃȧḁạảấầẩẫậắằẳẵặ"),
        ("b", "ḃḅḇ"),
        ("c", "çćĉċčḉ"),
        ("d", "ďḋḍḏḑḓðđ"),
        ("e", "èéêëēĕėęěȅȇȩḕḗḙḛḝẹẻẽếềểễệ"),
        ("f", "ḟ"),
        ("g", "ĝğġģǧǵḡ"),
        ("h", "ĥȟḣḥḧḩḫẖħ"),
        ("i", "ìíîïĩīĭįǐȉȋḭḯỉịı"),
        ("j", "ĵǰ"),
        ("k", "ķǩḱḳḵ"),
        ("l", "ĺļľḷḹḻḽłŀ"),
        ("m", "ḿṁṃ"),
        ("n", "ñńņňǹṅṇṉṋŋ"),
        ("o", "òóôõöōŏőơǒǫǭȍȏȫȭȯȱṍṏṑṓọỏốồổỗộớờởỡợøǿ"),
        ("p", "ṕṗ"),
        ("r", "ŕŗřȑȓṙṛṝṟ"),
        ("s", "śŝşšșṡṣṥṧṩſẛ"),
        ("t", "ţťțṫṭṯṱẗŧ"),
        ("u", "ùúûüũūŭůűųưǔǖǘǚǜȕȗṳṵṷṹṻụủứừửữự"),
        ("v", "ṽṿ"),
        ("w", "ŵẁẃẅẇẉẘ"),
        ("x", "ẋẍ"),
        ("y", "ýÿŷȳẏẙỳỵỷỹ"),
        ("z", "źżžẑẓẕ"),
        ("ae", "æǣǽ"), ("oe", "œ"), ("ij", "ĳ"), ("ss", "ß"), ("th", "þ"), ("ʒ", "ǯ"),
        ("α", "άἀἁἂἃἄἅἆἇὰάᾀᾁᾂᾃᾄᾅᾆᾇᾰᾱᾲᾳᾴᾶᾷ"),
        ("ε", "έἐἑἒἓἔἕὲέ"),
        ("η", "ήἠἡἢἣἤἥἦἧὴήᾐᾑᾒᾓᾔᾕᾖᾗῂῃῄῆῇ"),
        ("ι", "ΐίϊἰἱἲἳἴἵἶἷὶίῐῑῒΐῖῗ"),
        ("ο", "όὀὁὂὃὄὅὸό"),
        ("ρ", "ῤῥ"),
        ("υ", "ϒϓϔΰϋύὐὑὒὓὔὕὖὗὺύῠῡῢΰῦῧ"),
        ("ω", "ώὠὡὢὣὤὥὦὧὼώᾠᾡᾢᾣᾤᾥᾦᾧῲῳῴῶῷ"),
        ("σ", "ς"),
        ("а", "ӑӓ"), ("г", "ѓ"), ("е", "ѐёӗ"), ("ж", "ӂӝ"), ("з", "ӟ"), ("и", "йѝӣӥ"), ("к", "ќ"),
        ("о", "ӧ"), ("у", "ўӯӱӳ"), ("ч", "ӵ"), ("ы", "ӹ"), ("э", "ӭ"), ("і", "ї"), ("ѵ", "ѷ"),
        ("ә", "ӛ"), ("ө", "ӫ"),
    ]
}
