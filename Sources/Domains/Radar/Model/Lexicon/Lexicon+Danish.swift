extension Lexicon {
    static let danish = Lexicon(
        .danish,
        stem: danishStem,
        joinsWords: true,
        letters: "æøå",
        functionWords: """
            og i jeg det at en den til er som på de med han af for ikke der var mig sig men et har om
            vi min havde ham hun nu over da fra du ud sin dem os op man hans hvor eller hvad skal selv
            her alle vil blev kunne ind når være dog noget ville jo deres efter ned skulle denne end
            dette mit også under have dig anden hende mine alt meget sit sine vor mod disse hvis din
            nogle hos blive mange ad bliver hendes været thi jer sådan hvordan hvorfor hvem bør må får
            burde mere mest uden kun nej ny nye nyt flere færre større mindre højere lavere længere kortere
            hele hvad
            """,
        names: "danmark dansk danske københavn aarhus grønland",
        positive: """
            god bedre bedst fri gratis frihed fordel forbedre succes retfærdig tryg sikker sikrere
            elske håb sund rask beskytte redde spare lykke glæde styrke
            """,
        negative: """
            dårlig værre værst forbyde forbud afskaffe krise fiasko fare farlig skade skadelig
            uretfærdig had trussel problem stop stoppe risiko krig mod nedskæring svindel
            """,
        categories: [
            (
                "work",
                """
                arbejde arbejdstid arbejdsliv arbejdsuge arbejdsplads job kontor hjemmearbejde ansat chef
                arbejdsgiver løn mindsteløn fagforening strejke overtid overarbejde pension
                pensionsalder efterløn karriere erhverv fyring fridag helligdag
                """
            ),
            (
                "health",
                """
                sundhed sygehus hospital vaccine vaccination medicin medicinsk sygdom læge sygeplejerske
                narkotika rygning rygeforbud alkohol kost sukker fedme abort aktiv dødshjælp patient psykiatri
                ældrepleje
                """
            ),
            (
                "environment",
                """
                miljø klima udledning co2 forurening kernekraft atomkraft vindkraft vindmølle solenergi
                energi strøm plastik genbrug skov ulv rovdyr hvalfangst kød olie natur landbrug
                """
            ),
            (
                "education",
                """
                uddannelse skole folkeskole friskole universitet studerende elev lærer eksamen lektie
                lektier karakter gymnasium børnehave
                """
            ),
            (
                "technology",
                """
                teknologi software internet ai robot algoritme computer kryptering privatliv mobil
                mobiltelefon smartphone krypto automatisering data skærmtid
                """
            ),
            (
                "economy",
                """
                økonomi økonomisk skat formueskat inflation handel told marked bank pris rente leje
                husleje budget finanslov indkomst statsgæld tilskud virksomhed euro krone afgift moms
                """
            ),
            (
                "politics",
                """
                politik politisk valg stemme stemmeret folketing parlament regering præsident
                statsminister minister parti lov folkeafstemning krig forsvar hær værnepligt nato eu
                grænse monarki konge kommune
                """
            ),
            (
                "science",
                """
                videnskab videnskabelig forskning rummet rumfart fysik biologi gener genetisk mars
                måne eksperiment astronomi kloning
                """
            ),
            (
                "sport",
                """
                sport idræt fodbold ol olympisk tennis cykling cykelløb sportsudøver doping liga stadion
                skak håndbold
                """
            ),
            (
                "culture",
                """
                kultur kunst musik film biograf bog bøger museum museer teater sprog religion kirke opera
                fjernsyn
                """
            ),
            (
                "society",
                """
                samfund social familie barn børn ægteskab ligestilling bolig indvandring flygtning
                kriminalitet politi fængsel by byer byerne bil bilfri trafik alder aldersgrænse asyl
                """
            ),
        ]
    )
}
