import Expectations

@testable import Radar

@Suite("Topics in several languages", .timeLimit(.minutes(10)))
struct LexiconTests {
    /// The category of a topic, once its language is found and once it is given.
    private func expectCategory(_ topic: String, _ language: LexicalLanguage, _ category: String) {
        let found = lexicalInterpretation(of: topic)
        expectEqual(found.language, language, "\(topic)")
        expectEqual(found.category, category, "\(topic)")
        expectEqual(lexicalInterpretation(of: topic, in: language).category, category, "\(topic)")
    }

    @Test(arguments: [
        ("Forbud mot mobiltelefoner i skolen", "education"),
        ("Seks timers arbeidsdag for alle ansatte", "work"),
        ("Skal Norge bygge kjernekraftverk?", "environment"),
        ("Stans i oljeleting i Barentshavet", "environment"),
        ("Avskaffe formuesskatten", "economy"),
        ("Bør bompengene bli borte?", "economy"),
        ("Gratis skulemat for alle elevar", "education"),
        ("Kvifor skal nynorsk vere obligatorisk sidemål?", "culture"),
        ("Norsk medlemskap i EU", "politics"),
        ("Vindkraft på Fosen", "environment"),
        ("Bør aktiv dødshjelp bli lovlig?", "health"),
        ("Bilfritt sentrum i Oslo", "society"),
        ("Vern av villreinen og ulven", "environment"),
        ("Stemmerett for sekstenåringer", "politics"),
        ("Aldersgrense på sosiale medier", "society"),
        ("Skal renta settes ned?", "economy"),
        ("Abortgrensen bør utvides", "health"),
        ("Bør Norge boikotte fotball-VM?", "sport"),
        ("Kyrkja og staten", "culture"),
    ])
    func norwegianTopicsAreRead(topic: String, category: String) {
        expectCategory(topic, .norwegian, category)
    }

    @Test(arguments: [
        ("Ska Sverige bygga ny kärnkraft?", "environment"),
        ("Sex timmars arbetsdag för vårdpersonal", "work"),
        ("Förbud mot vinstdrivande friskolor", "education"),
        ("Förbjud mobiler i skolan", "education"),
        ("Svenskt medlemskap i Nato", "politics"),
        ("Bör förmögenhetsskatten återinföras?", "economy"),
        ("Fri invandring och vargjakt i skogen", "environment"),
        ("Är gratis tandvård bra för folkhälsan?", "health"),
        ("En bilfri innerstad i Stockholm", "society"),
        ("Sänk skatten på arbete", "work"),
        ("Ska dödshjälp tillåtas i Sverige?", "health"),
        ("Ska riksdagen rösta om EU?", "politics"),
    ])
    func swedishTopicsAreRead(topic: String, category: String) {
        expectCategory(topic, .swedish, category)
    }

    @Test(arguments: [
        ("Skal Danmark have atomkraft?", "environment"),
        ("Afgift på kød for klimaets skyld", "environment"),
        ("Forbud mod mobiltelefoner i folkeskolen", "education"),
        ("Fire dages arbejdsuge i kommunerne", "work"),
        ("Bør værnepligten også gælde kvinder?", "politics"),
        ("Højere skat på arv", "economy"),
        ("Skal aktiv dødshjælp være lovlig?", "health"),
        ("Færre biler i byerne", "society"),
        ("Danmark ud af EU", "politics"),
    ])
    func danishTopicsAreRead(topic: String, category: String) {
        expectCategory(topic, .danish, category)
    }

    @Test(arguments: [
        ("Tempolimit auf Autobahnen", "environment"),
        ("Bedingungsloses Grundeinkommen für alle", "economy"),
        ("Sollen Atomkraftwerke länger laufen?", "environment"),
        ("Vier-Tage-Woche bei vollem Lohn", "work"),
        ("Höherer Mindestlohn", "work"),
        ("Rückkehr zur Wehrpflicht", "politics"),
        ("Handyverbot an Grundschulen", "education"),
        ("Vermögensteuer für Superreiche", "economy"),
        ("Legalisierung von Cannabis", "health"),
        ("Autofreie Innenstädte", "society"),
        ("Braucht der Rundfunk höhere Gebühren?", "culture"),
        ("Wahlrecht ab 16", "politics"),
        ("Abschaffung der Hausaufgaben", "education"),
        ("Abschaffung des Bargelds", "economy"),
        ("Kohleausstieg bis 2030", "environment"),
    ])
    func germanTopicsAreRead(topic: String, category: String) {
        expectCategory(topic, .german, category)
    }

    @Test(arguments: [
        ("La semaine de quatre jours", "work"),
        ("La retraite à 64 ans", "work"),
        ("Faut-il sortir du nucléaire ?", "environment"),
        ("L'uniforme à l'école", "education"),
        ("Interdire les téléphones portables au collège", "education"),
        ("L'impôt sur la fortune", "economy"),
        ("Légalisation du cannabis", "health"),
        ("L'euthanasie doit-elle être légale ?", "health"),
        ("Des éoliennes en mer", "environment"),
        ("Le droit de vote à seize ans", "politics"),
        ("Limiter la place de la voiture en ville", "society"),
        ("Contre la chasse à la baleine", "environment"),
        ("Interdiction des pesticides", "environment"),
        ("Le référendum d'initiative citoyenne", "politics"),
        ("Les Jeux olympiques à Paris", "sport"),
    ])
    func frenchTopicsAreRead(topic: String, category: String) {
        expectCategory(topic, .french, category)
    }

    @Test(arguments: [
        ("La semana laboral de cuatro días", "work"),
        ("Prohibir las corridas de toros", "culture"),
        ("Energía nuclear en España", "environment"),
        ("Subir el salario mínimo", "work"),
        ("Impuesto a las grandes fortunas", "economy"),
        ("Prohibición de móviles en las escuelas", "education"),
        ("¿Debería ser legal la eutanasia?", "health"),
        ("Ciudades sin coches", "society"),
        ("Limitar el precio de los alquileres", "economy"),
        ("El voto a los dieciséis años", "politics"),
        ("Vivienda gratuita para los jóvenes", "society"),
        ("La independencia de Cataluña", "politics"),
        ("¿Monarquía o república?", "politics"),
        ("Prohibir la caza del lobo", "environment"),
        ("La inteligencia artificial en las aulas", "technology"),
    ])
    func spanishTopicsAreRead(topic: String, category: String) {
        expectCategory(topic, .spanish, category)
    }

    @Test(arguments: [
        ("Forbud mot mobiltelefoner i skolen", Interpretation.Sentiment.negative),
        ("Gratis skulemat for alle elevar", .positive),
        ("Vindkraft på Fosen", .neutral),
        ("Förbjud mobiler i skolan", .negative),
        ("Är gratis tandvård bra för folkhälsan?", .positive),
        ("Forbud mod mobiltelefoner i folkeskolen", .negative),
        ("Handyverbot an Grundschulen", .negative),
        ("Tempolimit auf Autobahnen", .neutral),
        ("Contre la chasse à la baleine", .negative),
        ("Prohibir las corridas de toros", .negative),
        ("Vivienda gratuita para los jóvenes", .positive),
    ])
    func wordsDecideTheSentiment(topic: String, sentiment: Interpretation.Sentiment) {
        expectEqual(lexicalInterpretation(of: topic).sentiment, sentiment)
    }

    @Test(arguments: ["trams", "purple", "", "日本の税", "42"])
    func topicThatPointsToNoLanguageHasNone(topic: String) {
        expectNil(lexicalInterpretation(of: topic).language)
    }

    /// Of several languages, or of one without lists.
    @Test(arguments: [
        "Inflation", "NATO", "Pensioenleeftijd voor de zware beroepen", "Il lavoro nelle scuole",
        "Mais dinheiro para os hospitais", "Więcej pieniędzy na szkoły", "Onko sota oikein?",
    ])
    func topicOfAnotherLanguageOrOfSeveralHasNone(topic: String) {
        expectNil(lexicalInterpretation(of: topic).language, "\(topic)")
    }

    @Test func topicOfSeveralLanguagesStillHasACategory() {
        expectEqual(lexicalInterpretation(of: "Inflation").category, "economy")
        expectEqual(lexicalInterpretation(of: "Alkohol").category, "health")
    }

    @Test func smallLetterIsNoEnglishPronoun() {
        expectEqual(lexicalInterpretation(of: "must I vote").language, .english)
        expectEqual(lexicalInterpretation(of: "vindmøller i byen").language, .norwegian)
    }

    @Test func languageThatIsGivenCounts() {
        // To pay a pension in German, an interest rate in Norwegian.
        expectEqual(lexicalInterpretation(of: "rente", in: .german).category, "work")
        expectEqual(lexicalInterpretation(of: "rente", in: .norwegian).category, "economy")
        expectEqual(lexicalInterpretation(of: "trams", in: .french).language, .french)
    }

    @Test func norwegianWinsWhereDanishIsAsLikely() {
        expectEqual(lexicalInterpretation(of: "skolen").language, .norwegian)
    }

    @Test func functionWordsAndShortenedArticlesAreNoTags() {
        expectEqual(
            lexicalInterpretation(of: "L'uniforme à l'école et dans les lycées").tags,
            ["uniforme", "école", "lycées"]
        )
        expectEqual(
            lexicalInterpretation(of: "Kvifor skal nynorsk vere obligatorisk?").tags,
            ["nynorsk", "vere", "obligatorisk"]
        )
    }

    @Test func wordsOfEveryListAreKnownToTheirLanguage() {
        expectEqual(Lexicon.all.map(\.language), LexicalLanguage.allCases)
        for lexicon in Lexicon.all {
            expectEqual(Lexicon.of(lexicon.language).language, lexicon.language)
            for list in lexicon.wordLists {
                expect(Interpretation.categories.contains(list.category))
                for word in list.words {
                    expect(lexicon.knows(word), "\(lexicon.language): \(word)")
                }
            }
            let categories = Set(lexicon.wordLists.map(\.category) + ["other"])
            expectEqual(categories, Set(Interpretation.categories))
        }
    }
}

@Suite("Stems", .timeLimit(.minutes(10)))
struct StemTests {
    private func hasOneStem(_ forms: String, _ stem: (String) -> String) -> Bool {
        Set(forms.split(separator: " ").map { stem(String($0)) }).count == 1
    }

    @Test(arguments: [
        "skole skolen skolene skoler skolenes", "skule skulen skular skulane",
        "skatt skatten skatter skattene", "forurensning forurensningen forurensninger",
        "lovlig lovlige", "arbeide arbeidet arbeid", "sykehus sykehuset sykehusene",
    ])
    func norwegianFormsHaveOneStem(forms: String) {
        expect(hasOneStem(forms, norwegianStem))
    }

    @Test(arguments: [
        "skola skolan skolor skolorna skolornas", "skatt skatten skatter skatterna",
        "läkare läkaren läkarna", "arbete arbetet arbetets", "bil bilar bilarna bilens",
    ])
    func swedishFormsHaveOneStem(forms: String) {
        expect(hasOneStem(forms, swedishStem))
    }

    @Test(arguments: [
        "skole skolen skoler skolerne skolernes", "skat skatten skatter skatterne",
        "arbejde arbejdet arbejdets", "sygdom sygdomme sygdommen", "farlig farlige farligt",
    ])
    func danishFormsHaveOneStem(forms: String) {
        expect(hasOneStem(forms, danishStem))
    }

    @Test(arguments: [
        "schule schulen", "arbeit arbeiten", "gesetz gesetze gesetzes gesetzen",
        "städte städten stadt", "freiheit freiheiten", "wald wälder wäldern", "straße strassen",
        "gefährlich gefährliche gefährlichen gefährlicher", "impfung impfungen",
    ])
    func germanFormsHaveOneStem(forms: String) {
        expect(hasOneStem(forms, germanStem))
    }

    @Test(arguments: [
        "école écoles", "hôpital hôpitaux", "politique politiques", "énergie énergies",
        "vaccination vaccinations vacciner", "interdire interdiraient",
        "national nationaux nationale nationales", "eau eaux",
        "retraite retraites", "liberté libertés",
    ])
    func frenchFormsHaveOneStem(forms: String) {
        expect(hasOneStem(forms, frenchStem))
    }

    @Test(arguments: [
        "escuela escuelas", "trabajo trabajos trabajar trabajando",
        "niño niños niña niñas", "vacuna vacunas vacunar",
        "emisión emisiones", "prohibir prohibido prohibidos", "público públicos pública",
    ])
    func spanishFormsHaveOneStem(forms: String) {
        expect(hasOneStem(forms, spanishStem))
    }

    @Test func shortAndStrangeWordsAreLeftAsTheyAre() {
        for stem in [
            norwegianStem, swedishStem, danishStem, germanStem, frenchStem, spanishStem,
        ] as [(String) -> String] {
            for word in ["", "a", "å", "eu", "日本", "x-y", "co2", "s"] {
                expect(!stem(word).isEmpty || word.isEmpty, "\(word)")
            }
        }
    }

    @Test(arguments: [
        ("war in ukraine", "politics", "war"),
        ("artificial intelligence", "technology", "artificial"),
        ("I hate mondays", "other", "hate"), ("Is war ever just?", "politics", "war"),
    ])
    func englishTopicsOfWordsThatOtherLanguagesHaveAreEnglish(
        topic: String,
        category: String,
        tag: String
    ) {
        let found = lexicalInterpretation(of: topic)
        expectEqual(found.language, .english, "\(topic)")
        expectEqual(found.category, category, "\(topic)")
        expect(found.tags.contains(tag), "\(found.tags)")
    }

    /// The sentiment does not depend on the gender and number of a noun.
    @Test(
        arguments: [
            ("un bon projet", "une bonne idée", "les bonnes idées", .positive),
            ("un mauvais projet", "une mauvaise idée", "de mauvaises idées", .negative),
            ("un projet dangereux", "une idée dangereuse", "des idées dangereuses", .negative),
            ("un transport gratuit", "une école gratuite", "des écoles gratuites", .positive),
            ("un monde sûr", "une ville sûre", "des villes sûres", .positive),
            ("un impôt injuste", "une loi injuste", "des lois injustes", .negative),
            ("un projet nuisible", "une idée nuisible", "des idées nuisibles", .negative),
            ("un pain sain", "une vie saine", "des vies saines", .positive),
            ("un meilleur projet", "une meilleure école", "de meilleures écoles", .positive),
            ("un homme heureux", "une vie heureuse", "des vies heureuses", .positive),
        ] as [(String, String, String, Interpretation.Sentiment)]
    )
    func frenchAdjectivesAgree(
        masculine: String,
        feminine: String,
        plural: String,
        sentiment: Interpretation.Sentiment
    ) {
        for topic in [masculine, feminine, plural] {
            let found = lexicalInterpretation(of: topic, in: .french)
            expectEqual(found.sentiment, sentiment, "\(topic)")
        }
    }

    @Test(
        arguments: [
            ("un buen proyecto", "una buena idea", "buenas ideas", .positive),
            ("un mal proyecto", "una mala idea", "malas ideas", .negative),
            ("un trabajo peligroso", "una idea peligrosa", "ideas peligrosas", .negative),
            ("un barrio seguro", "una ciudad segura", "ciudades seguras", .positive),
            ("un impuesto injusto", "una ley injusta", "leyes injustas", .negative),
        ] as [(String, String, String, Interpretation.Sentiment)]
    )
    func spanishAdjectivesAgree(
        masculine: String,
        feminine: String,
        plural: String,
        sentiment: Interpretation.Sentiment
    ) {
        for topic in [masculine, feminine, plural] {
            let found = lexicalInterpretation(of: topic, in: .spanish)
            expectEqual(found.sentiment, sentiment, "\(topic)")
        }
    }
}
