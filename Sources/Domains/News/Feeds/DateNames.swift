/// The names of months in the languages of most feeds, and other words of dates.
enum DateNames {
    /// The month of a name in any of the languages, in full or shortened to three letters or more
    /// that no other month begins with; nil for other words.
    static func month(_ word: some StringProtocol) -> Int? { months[folded(word)] }

    /// `Thu`, `Thursday`, `Thu.`
    static func isEnglishWeekday(_ word: some StringProtocol) -> Bool {
        let word = folded(word)
        return word.count >= 3 && weekdays.contains { $0.hasPrefix(word) }
    }

    /// Words without a meaning of their own: `24 de noviembre`, `um 11:00 Uhr`.
    static func isFiller(_ word: some StringProtocol) -> Bool { fillers.contains(folded(word)) }

    /// Whether a word is AM (false) or PM (true).
    static func isAfternoon(_ word: some StringProtocol) -> Bool? {
        switch String(word.filter { $0 != "." }) {
        case "am": false
        case "pm": true
        default: nil
        }
    }

    private static let weekdays = [
        "monday", "tuesday", "wednesday", "thursday", "thurs", "friday", "saturday", "sunday",
    ]
    private static let fillers: Set<String> = [
        "at", "de", "del", "den", "di", "kl", "klo", "le", "of", "on", "the", "uhr", "um",
        "г", "года", "р", "року",
    ]

    /// Without accents and a dot at the end, in lower case.
    private static func folded(_ word: some StringProtocol) -> String {
        var folded = String(word.lowercased().map { letters[$0] ?? $0 })
        if folded.hasSuffix(".") { folded.removeLast() }
        return folded
    }

    private static let letters: [Character: Character] = {
        let groups: [(Character, String)] = [
            ("a", "áàâäãåăą"), ("c", "çćč"), ("d", "ď"), ("e", "éèêëěę"), ("g", "ğ"),
            ("i", "íìîïıi̇"), ("l", "łľ"), ("n", "ñńň"), ("o", "óòôöõőø"), ("r", "řŕ"),
            ("s", "śšşș"), ("t", "ťţț"), ("u", "úùûüůű"), ("y", "ýÿ"), ("z", "źżž"),
            ("α", "ά"), ("ε", "έ"), ("η", "ή"), ("ι", "ίϊΐ"), ("ο", "ό"), ("υ", "ύϋ"), ("ω", "ώ"),
        ]
        var letters: [Character: Character] = [:]
        for (letter, accented) in groups { for other in accented { letters[other] = letter } }
        return letters
    }()

    private static let months: [String: Int] = {
        var names: [String: Int] = [:]
        // 0 marks a beginning that months have in common.
        var beginnings: [String: Int] = ["mar": 3]
        for language in languages {
            for (index, forms) in language.split(separator: " ").enumerated() {
                for form in forms.split(separator: "/") {
                    let (name, month) = (folded(form), index + 1)
                    names[name] = month
                    for length in 3..<max(3, name.count) {
                        let beginning = String(name.prefix(length))
                        if beginning == "mar" { continue }
                        let known = beginnings[beginning, default: month]
                        beginnings[beginning] = known == month ? month : 0
                    }
                }
            }
        }
        return beginnings.filter { $0.value > 0 }.merging(names) { $1 }
    }()

    /// The months of each language in order, with other forms of the same month behind a slash.
    private static let languages = [
        // English, German
        "january february march april may june july august september october november december",
        """
        januar/jänner februar märz april mai juni juli august september oktober november dezember
        """,
        // French, Spanish, Italian, Portuguese, Catalan, Romanian
        "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
        """
        enero febrero marzo abril mayo junio julio agosto septiembre/setiembre octubre noviembre \
        diciembre
        """,
        """
        gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre \
        dicembre
        """,
        """
        janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro
        """,
        "gener febrer març abril maig juny juliol agost setembre octubre novembre desembre",
        """
        ianuarie februarie martie aprilie mai iunie iulie august septembrie octombrie noiembrie \
        decembrie
        """,
        // Dutch, Swedish, Danish and Norwegian, Finnish
        """
        januari februari maart/mrt april mei juni juli augustus september oktober november december
        """,
        "januari februari mars april maj juni juli augusti september oktober november december",
        """
        januar februar marts/mars april maj/mai juni juli august september oktober november \
        december/desember
        """,
        """
        tammikuu/tammikuuta helmikuu/helmikuuta maaliskuu/maaliskuuta huhtikuu/huhtikuuta \
        toukokuu/toukokuuta kesäkuu/kesäkuuta heinäkuu/heinäkuuta elokuu/elokuuta \
        syyskuu/syyskuuta lokakuu/lokakuuta marraskuu/marraskuuta joulukuu/joulukuuta
        """,
        // Polish, Czech, Slovak, Hungarian, Turkish, Indonesian
        """
        styczeń/stycznia luty/lutego marzec/marca kwiecień/kwietnia maj/maja czerwiec/czerwca \
        lipiec/lipca sierpień/sierpnia wrzesień/września październik/października \
        listopad/listopada grudzień/grudnia
        """,
        """
        leden/ledna únor/února březen/března duben/dubna květen/května červen/června/čvn \
        červenec/července/čvc srpen/srpna září říjen/října listopad/listopadu prosinec/prosince
        """,
        """
        január/januára február/februára marec/marca apríl/apríla máj/mája jún/júna júl/júla \
        august/augusta september/septembra október/októbra november/novembra december/decembra
        """,
        """
        január február március április május június július augusztus szeptember október november \
        december
        """,
        "ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık",
        "januari februari maret april mei juni juli agustus september oktober november desember",
        // Russian, Ukrainian, Bulgarian, Greek
        """
        январь/января февраль/февраля март/марта апрель/апреля май/мая июнь/июня июль/июля \
        август/августа сентябрь/сентября октябрь/октября ноябрь/ноября декабрь/декабря
        """,
        """
        січень/січня лютий/лютого березень/березня квітень/квітня травень/травня червень/червня \
        липень/липня серпень/серпня вересень/вересня жовтень/жовтня листопад/листопада \
        грудень/грудня
        """,
        "януари февруари март април май юни юли август септември октомври ноември декември",
        """
        ιανουάριος/ιανουαρίου φεβρουάριος/φεβρουαρίου μάρτιος/μαρτίου απρίλιος/απριλίου \
        μάιος/μαΐου ιούνιος/ιουνίου ιούλιος/ιουλίου αύγουστος/αυγούστου \
        σεπτέμβριος/σεπτεμβρίου οκτώβριος/οκτωβρίου νοέμβριος/νοεμβρίου δεκέμβριος/δεκεμβρίου
        """,
    ]
}
