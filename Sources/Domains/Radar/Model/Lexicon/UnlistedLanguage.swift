/// A language without word lists of subjects. Its topics must not be taken for those of another
/// language.
struct UnlistedLanguage: Sendable {
    /// Its most frequent words.
    let words: Set<String>
    let letters: Set<Character>

    private init(_ words: String, letters: String) {
        self.words = Set(words.split(whereSeparator: \.isWhitespace).map(String.init))
        self.letters = Set(letters)
    }

    static let all = [dutch, italian, portuguese, polish, finnish, icelandic]

    private static let dutch = UnlistedLanguage(
        """
        de het een en van in is op te dat die voor met zijn er niet aan om ook als maar bij nog of uit
        door over naar heeft hebben ze ik je u wij we jullie hun hem haar dit deze kan kunnen moet
        moeten mag mogen wil willen wordt worden werd geen meer minder alle veel tot tegen zonder
        onder tussen waarom hoe wat wie waar wanneer zou zouden al dan nu daar hier
        """,
        letters: ""
    )
    private static let italian = UnlistedLanguage(
        """
        il lo la i gli le un uno una di a da in con su per tra fra e ed o ma non che chi cui del dello
        della dei degli delle al allo alla ai agli alle dal dalla dai dalle nel nello nella nei negli
        nelle sul sulla sui sulle è sono sia essere ha hanno avere si ci ne come dove quando perché
        più meno molto tutti tutte ogni questo questa questi quello quella deve devono può dovrebbe
        senza sotto anche
        """,
        letters: "àèìòù"
    )
    private static let portuguese = UnlistedLanguage(
        """
        o a os as um uma uns umas de do da dos das em no na nos nas ao aos à às por pelo pela pelos
        pelas para com sem sob sobre entre até e ou mas que quem se não mais menos muito todos todas
        é são ser foi está estão tem têm ter há como onde quando porquê porque este esta esse essa
        isso seu sua seus suas meu minha deve devem pode deveria também já
        """,
        letters: "ãõçâàêô"
    )
    private static let polish = UnlistedLanguage(
        """
        w we z ze i a na do o od po za przez przed przy pod nad dla bez u czy nie tak się jest są być
        był była ma mają to ten ta te tego tej tym co kto jak gdzie kiedy dlaczego więcej mniej
        wszystkie wszystkich każdy powinien powinna może ale lub oraz jego jej ich
        """,
        letters: "ąćęłńóśźż"
    )
    private static let finnish = UnlistedLanguage(
        """
        ja on ei se että en ole oli mutta kun niin kuin hän minä sinä me te he tämä nämä joka jotka
        mitä mikä kuka missä milloin miksi miten pitäisi pitää voi saa kaikki kaikille enemmän
        vähemmän ilman kanssa yli alle ennen jälkeen tai vai myös vain nyt jo
        """,
        letters: ""
    )
    private static let icelandic = UnlistedLanguage(
        """
        og að á í er ekki það sem við til um en með af fyrir frá hann hún þau þeir ég þú eru var vera
        verður ætti má eiga meira minna allir öll hvað hver hvar hvernig hvers undir yfir eða
        """,
        letters: "ðþý"
    )
}
