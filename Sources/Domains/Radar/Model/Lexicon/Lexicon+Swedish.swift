extension Lexicon {
    static let swedish = Lexicon(
        .swedish,
        stem: swedishStem,
        joinsWords: true,
        letters: "äöå",
        functionWords: """
            och det att i en jag hon som han på den med var sig för så till är men ett om hade de av
            icke mig du henne då sin nu har inte hans honom skulle hennes där min man ej vid kunde något
            från ut när efter upp vi dem vara vad över än dig kan sina här ha mot alla under någon eller
            allt mycket sedan ju denna själv detta åt utan varit hur ingen mitt ni bli blev oss din
            dessa några deras blir mina samma vilken er sådan vår blivit dess inom mellan sådant varför
            varje vilka ditt vem vilket sitt ska skall bör måste får borde mer mest bara också nej ny nya
            nytt fler flera färre större mindre högre lägre längre kortare
            """,
        names: "sverige svensk svenskt svenska stockholm göteborg",
        positive: """
            bra god bättre bäst fri gratis frihet fördel förbättra framgång rättvis trygg säker säkrare
            älska hopp frisk hälsosam skydda rädda spara lycka glädje stärka
            """,
        negative: """
            dålig sämre värre värst förbjuda förbud avskaffa kris misslyckande fiasko fara farlig skada
            skadlig orättvis hat hot problem stoppa stopp risk krig mot nedskärning bedrägeri
            """,
        categories: [
            (
                "work",
                """
                arbete arbeta arbetstid arbetsliv arbetsvecka arbetsplats jobb kontor anställd chef
                arbetsgivare lön minimilön fackförening fack strejk övertid pension pensionsålder karriär
                yrke distansarbete uppsägning
                """
            ),
            (
                "health",
                """
                hälsa sjukvård sjukhus vaccin vaccination medicin medicinsk sjukdom läkare sjuksköterska
                narkotika rökning snus alkohol kost socker fetma abort dödshjälp patient psykiatri
                äldreomsorg vård
                """
            ),
            (
                "environment",
                """
                miljö klimat klimatet utsläpp koldioxid förorening kärnkraft vindkraft solenergi solkraft energi
                el plast återvinning skog varg rovdjur valfångst kött olja gruva natur
                """
            ),
            (
                "education",
                """
                utbildning skola grundskola friskola universitet student elev lärare examen läxa läxor
                betyg högskola förskola läroplan
                """
            ),
            (
                "technology",
                """
                teknik teknologi programvara internet ai robot algoritm dator kryptering integritet mobil
                mobiltelefon krypto automatisering data skärmtid
                """
            ),
            (
                "economy",
                """
                ekonomi ekonomisk skatt förmögenhetsskatt inflation handel tull marknad bank pris ränta
                hyra budget inkomst skuld subvention bidrag företag näring euro euron krona moms avgift
                """
            ),
            (
                "politics",
                """
                politik politisk val rösta rösträtt riksdag parlament regering president statsminister
                minister parti lag folkomröstning krig försvar armé värnplikt nato eu gräns monarki monarkin kung
                kommun
                """
            ),
            (
                "science",
                """
                vetenskap vetenskaplig forskning rymd rymdfart fysik biologi gener genetisk mars måne
                experiment astronomi kloning
                """
            ),
            (
                "sport",
                """
                sport idrott fotboll os olympisk tennis cykling cykel idrottare doping liga stadion
                arena schack skidor ishockey
                """
            ),
            (
                "culture",
                """
                kultur konst musik film bio bok böcker museum museer teater språk religion kyrka opera tv
                """
            ),
            (
                "society",
                """
                samhälle social familj barn äktenskap jämställdhet bostad invandring flykting brott straff
                kriminalitet polis fängelse stad bil bilfri bilfritt trafik ålder åldersgräns asyl
                """
            ),
        ]
    )
}
