extension Lexicon {
    /// Bokmål and nynorsk.
    static let norwegian = Lexicon(
        .norwegian,
        stem: norwegianStem,
        joinsWords: true,
        letters: "æøå",
        functionWords: """
            og i jeg det at en et den til er som på de med han av ikke ikkje der så var meg seg men ett
            har om vi min mitt ha hadde hun nå over da ved fra frå du ut sin dem oss opp man kan hans
            hvor eller hva skal selv sjøl her alle vil bli ble blei blitt kunne inn når være kom noen
            noe ville dere de deres kun ja etter ned skulle denne for deg si sine sitt mot å meget
            hvorfor dette disse uten hvordan ingen din ditt blir samme hvilken hvilke sånn inni mellom
            vår hver hvem vårt vore være både bare enn fordi før mange også slik vært begge siden
            henne eg ein eit eitt ei me dei ho han kva korleis kvifor kven kor ikkje vera bør må får
            burde mer mest enda nei ny nye nytt flere færre større mindre høyere lavere lengre kortere
            """,
        names: "norge noreg norsk norske nordmenn oslo bergen",
        positive: """
            bra god bedre best betre fri gratis frihet fridom fordel forbedre suksess rettferdig trygg
            tryggere trygghet elske håp sunn frisk beskytte verne redde spare lykke glede styrke
            """,
        negative: """
            dårlig verre verst forby forbud forbod avskaffe krise mislykket fiasko fare farlig skade
            skadelig urettferdig hat trussel trugsmål problem stopp risiko krig mot kutt nedlegge svindel
            """,
        categories: [
            (
                "work",
                """
                arbeid arbeide arbeidstid arbeidsliv arbeidsuke arbeidsplass jobb kontor hjemmekontor
                ansatt tilsett sjef arbeidsgiver arbeidsgjevar lønn løn minstelønn fagforening
                fagforbund streik overtid pensjon pensjonsalder karriere yrke vikar oppsigelse
                """
            ),
            (
                "health",
                """
                helse helsesykepleier sykehus sjukehus vaksine medisin medisinsk sykdom sjukdom lege fastlege sykepleier
                sjukepleiar narkotika rusmiddel røyking røyk snus alkohol kosthold sukker fedme abort
                dødshjelp aktiv pasient psykiatri eldreomsorg
                """
            ),
            (
                "environment",
                """
                miljø klima utslipp utslepp karbon forurensning ureining kjernekraft atomkraft
                vindkraft vindmølle solenergi solkraft energi strøm plast gjenvinning resirkulering
                skog villmark ulv rovdyr kvalfangst hvalfangst kjøtt olje oljeboring oljeleting gruve natur fjord
                """
            ),
            (
                "education",
                """
                utdanning utdanningen skole skule grunnskole universitet student elev lærer lærar eksamen
                lekse lekser karakter skolepenger høyskole høgskule barnehage pensum mobilforbud
                """
            ),
            (
                "technology",
                """
                teknologi programvare internett nett ki ai robot algoritme datamaskin kryptering
                personvern mobil mobiltelefon smarttelefon krypto automatisering data sosiale
                skjermtid kunstig
                """
            ),
            (
                "economy",
                """
                økonomi økonomisk skatt formuesskatt inflasjon prisstigning handel toll marked marknad
                bank pris renter rente leie budsjett statsbudsjett inntekt gjeld subsidie bedrift næring
                euro krone avgift bompenger oljefond
                """
            ),
            (
                "politics",
                """
                politikk politisk valg val stemme stemmerett storting parlament regjering president
                statsminister minister parti lov folkeavstemning folkerøysting krig forsvar hær verneplikt
                nato eu grense monarki konge kommune
                """
            ),
            (
                "science",
                """
                vitenskap vitskap forskning forsking rom romfart fysikk biologi gener genetisk mars
                måne eksperiment astronomi kloning teleskop
                """
            ),
            (
                "sport",
                """
                sport idrett fotball ol olympisk tennis sykkel sykkelritt utøver doping liga stadion
                sjakk ski langrenn håndball
                """
            ),
            (
                "culture",
                """
                kultur kunst musikk film kino bok bøker museum museer teater språk nynorsk bokmål religion
                kirke kyrkje opera fjernsyn
                """
            ),
            (
                "society",
                """
                samfunn sosial familie barn ekteskap likestilling bolig bustad innvandring flyktning
                kriminalitet politi fengsel by byer gate bil bilfri bilfritt trafikk alder aldersgrense asyl
                """
            ),
        ]
    )
}
