/// Splits texts into folded words.
///
/// Letters and digits in a row are a word. An apostrophe joins (`don't` is `dont`), except that a
/// possessive `'s` is dropped. Points and commas between digits belong to the number; commas are
/// dropped (`1,200.5` is `1200.5`). An ideograph or kana is a word of its own, because these
/// scripts have no spaces.
struct WordSplitter {
    /// Longer words are cut, so that a text without spaces is one short word.
    static let wordBytesMax = 48

    private var bytes: [UInt8] = []
    private var isCapitalised = false
    private var isNumber = false
    private var isSentenceStart = true
    /// The joint that may connect the scalars in front with the next ones.
    private var joint: Unicode.Scalar?
    private let countMax: Int
    private let onWord: ([UInt8], NewsWord) -> Void
    private var count = 0

    private init(countMax: Int, onWord: @escaping ([UInt8], NewsWord) -> Void) {
        self.countMax = countMax
        self.onWord = onWord
        bytes.reserveCapacity(WordSplitter.wordBytesMax)
    }

    /// The first `countMax` words of a text.
    static func words(of text: some StringProtocol, countMax: Int) -> [NewsWord] {
        var words: [NewsWord] = []
        split(text, countMax: countMax) { words.append($1) }
        return words
    }

    /// The folded words as texts, for readers.
    static func texts(of text: String) -> [String] {
        var texts: [String] = []
        split(text, countMax: .max) { bytes, _ in
            texts.append(String(decoding: bytes, as: UTF8.self))
        }
        return texts
    }

    private static func split(
        _ text: some StringProtocol,
        countMax: Int,
        onWord: ([UInt8], NewsWord) -> Void
    ) {
        guard countMax > 0 else { return }
        withoutActuallyEscaping(onWord) { onWord in
            var splitter = WordSplitter(countMax: countMax, onWord: onWord)
            for scalar in text.unicodeScalars {
                splitter.receive(scalar)
                if splitter.count >= countMax { return }
            }
            splitter.endWord()
        }
    }

    // MARK: Scalars

    private mutating func receive(_ scalar: Unicode.Scalar) {
        switch WordScalar(scalar) {
        case .letter(let isCapital):
            if isNumber, joint != nil { endWord() }
            begin(isCapital: isCapital, isDigit: false)
            append(scalar)
        case .digit:
            if !isNumber, joint != nil { endWord() }
            begin(isCapital: false, isDigit: true)
            if joint == "." { bytes.append(UInt8(ascii: ".")) }
            append(scalar)
        case .ideograph:
            endWord()
            append(scalar)
            endWord()
        case .passedOver:
            return
        case .apostrophe:
            joint = bytes.isEmpty || joint != nil ? nil : scalar
            if joint == nil { endWord() }
            return
        case .pointOrComma:
            guard isNumber, joint == nil else {
                endWord()
                isSentenceStart = isSentenceStart || scalar == "."
                return
            }
            joint = scalar
            return
        case .sentenceEnd:
            endWord()
            isSentenceStart = true
        case .separator:
            endWord()
        }
        joint = nil
    }

    private mutating func begin(isCapital: Bool, isDigit: Bool) {
        guard bytes.isEmpty else { return }
        isCapitalised = isCapital
        isNumber = isDigit
    }

    private mutating func append(_ scalar: Unicode.Scalar) {
        // A possessive is decided on when the word ends, so the apostrophe is kept until then.
        if let joint, WordScalar(joint) == .apostrophe { bytes.append(UInt8(ascii: "'")) }
        if scalar.isASCII {
            let isCapital = (0x41...0x5A).contains(scalar.value)
            bytes.append(UInt8(scalar.value) | (isCapital ? 0x20 : 0))
        } else {
            for small in scalar.properties.lowercaseMapping.unicodeScalars {
                bytes += WordScalar.withoutAccent(small)
            }
        }
    }

    private mutating func endWord() {
        defer {
            bytes.removeAll(keepingCapacity: true)
            joint = nil
            isNumber = false
            isCapitalised = false
        }
        // "The meeting ended in 1999. Shares fell": the point behind the number ends the sentence.
        let endsSentence = joint == "."
        if bytes.suffix(2) == [UInt8(ascii: "'"), UInt8(ascii: "s")] { bytes.removeLast(2) }
        bytes.removeAll { $0 == UInt8(ascii: "'") }
        if bytes.count > WordSplitter.wordBytesMax {
            bytes.removeLast(bytes.count - WordSplitter.wordBytesMax)
        }
        guard !bytes.isEmpty else { return }
        var word = NewsWord(hash: NewsWord.hash(bytes), length: bytes.count)
        word.isCapitalised = isCapitalised
        word.startsSentence = isSentenceStart
        word.isNumber = isNumber || WordLists.numbers.contains(word.hash)
        isSentenceStart = endsSentence
        count += 1
        onWord(bytes, word)
    }
}

/// The class of a scalar for `WordSplitter`.
enum WordScalar: Equatable {
    case letter(isCapital: Bool)
    case digit
    case ideograph
    /// Combining accents, and characters without width.
    case passedOver
    case apostrophe
    case pointOrComma
    case sentenceEnd
    case separator

    init(_ scalar: Unicode.Scalar) {
        self = scalar.isASCII ? WordScalar(ascii: scalar) : WordScalar(other: scalar)
    }

    private init(ascii scalar: Unicode.Scalar) {
        switch scalar {
        case "a"..."z": self = .letter(isCapital: false)
        case "A"..."Z": self = .letter(isCapital: true)
        case "0"..."9": self = .digit
        case "'": self = .apostrophe
        case ".", ",": self = .pointOrComma
        case "!", "?", ":", ";": self = .sentenceEnd
        default: self = .separator
        }
    }

    private init(other scalar: Unicode.Scalar) {
        switch scalar.value {
        case 0x2018, 0x2019, 0x02BC:
            self = .apostrophe
        case 0x0300...0x036F:
            self = .passedOver
        case 0x3040...0x30FF, 0x3400...0x9FFF, 0xF900...0xFAFF, 0x20000...0x3FFFF:
            self = .ideograph
        default:
            let properties = scalar.properties
            switch properties.generalCategory {
            case .uppercaseLetter, .titlecaseLetter: self = .letter(isCapital: true)
            case .lowercaseLetter, .modifierLetter, .otherLetter, .nonspacingMark, .spacingMark:
                self = .letter(isCapital: false)
            case .decimalNumber, .letterNumber, .otherNumber: self = .digit
            default: self = properties.isDefaultIgnorableCodePoint ? .passedOver : .separator
            }
        }
    }

    /// The small letters from U+00E0 to U+017F without their accents; `?` stands for a letter that
    /// keeps its own form.
    private static let plainLetters = Array(
        """
        aaaaaa?ceeeeiiiidnooooo?ouuuuy?y\
        aaaaaaccccccccddddeeeeeeeeeegggggggghhhhiiiiiiiiii??jjkk?lllllllllln\
        nnnnn?nnoooooo??rrrrrrssssssssttttttuuuuuuuuuuuuwwyyyzzzzzzs
        """.utf8
    )

    /// The UTF-8 of a small letter without its accent.
    static func withoutAccent(_ letter: Unicode.Scalar) -> [UInt8] {
        switch letter.value {
        case 0x0300...0x036F: return []
        case 0xDF: return Array("ss".utf8)
        case 0xE6: return Array("ae".utf8)
        case 0x153: return Array("oe".utf8)
        case 0xE0...0x17F:
            let plain = plainLetters[Int(letter.value) - 0xE0]
            if plain != UInt8(ascii: "?") { return [plain] }
        default: break
        }
        return Array(String(letter).utf8)
    }
}
