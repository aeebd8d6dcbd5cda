extension Lexicon {
    static let german = Lexicon(
        .german,
        stem: germanStem,
        joinsWords: true,
        letters: "äöüß",
        functionWords: """
            aber alle allem allen aller alles als also am an ander andere anderen auch auf aus bei bin
            bis bist da damit dann der den des dem die das dass daß dein deine denn derer dessen dich
            dir du dies diese diesem diesen dieser dieses doch dort durch ein eine einem einen einer
            eines er ihn ihm es etwas euch euer für gegen gewesen hab habe haben hat hatte hatten hier
            hin hinter ich mich mir ihr ihre ihrem ihren ihrer in im ist jede jedem jeden jeder jedes
            jene kann kein keine können könnte machen man manche mein meine mit muss musste müssen nach
            nicht nichts noch nun nur ob oder ohne sehr sein seine seinem sich sie sind so solche soll
            sollen sollte sollten sondern sonst über um und uns unser unter viel vom von vor während war
            waren was weg weil weiter welche wenn werde werden wie wieder will wir wird wo wollen
            wollte würde zu zum zur zwar zwischen mehr darf dürfen warum wer wem wen nein neu neue neuen neuer
            neues weniger größer größere kleiner längere länger kürzere höher höhere niedriger durch
            """,
        names: "deutschland deutsch deutsche österreich schweiz berlin wien",
        positive: """
            gut besser beste frei freiheit kostenlos vorteil verbessern erfolg gerecht sicher sicherer
            liebe hoffnung gesund schützen schutz retten sparen glück freude stärken
            """,
        negative: """
            schlecht schlimm schlimmer verbieten verbot abschaffen krise scheitern gefahr gefährlich
            schaden schädlich ungerecht hass bedrohung problem stoppen stopp risiko krieg gegen kürzung
            betrug
            """,
        categories: [
            (
                "work",
                """
                arbeit arbeiten arbeitszeit arbeitswoche arbeitsplatz job büro homeoffice angestellte
                arbeitnehmer arbeitgeber lohn mindestlohn gehalt gewerkschaft streik überstunden rente
                rentenalter ruhestand karriere beruf kündigung
                """
            ),
            (
                "health",
                """
                gesundheit krankenhaus klinik impfung impfen impfpflicht impfstoff medizin medizinisch
                krankheit arzt ärzte pflege droge cannabis rauchen alkohol ernährung zucker übergewicht
                abtreibung sterbehilfe patient krankenkasse
                """
            ),
            (
                "environment",
                """
                umwelt klima klimaschutz emission co2 kohle kohleausstieg verschmutzung kernkraft atom
                atomkraft windkraft windrad solar solarenergie energie strom plastik recycling wald wolf
                walfang fleisch öl natur tempolimit verbrenner verbrennungsmotor
                """
            ),
            (
                "education",
                """
                bildung schule grundschule universität hochschule student studium schüler lehrer prüfung
                abitur hausaufgabe noten studiengebühr kindergarten kita
                """
            ),
            (
                "technology",
                """
                technik technologie software internet ki roboter algorithmus computer verschlüsselung
                datenschutz handy smartphone krypto automatisierung daten digital digitalisierung
                """
            ),
            (
                "economy",
                """
                wirtschaft wirtschaftlich steuer steuern vermögensteuer inflation handel zoll zölle markt bank
                preis zins miete mietendeckel haushalt schulden schuldenbremse einkommen grundeinkommen
                subvention unternehmen euro bargeld
                """
            ),
            (
                "politics",
                """
                politik politisch wahl wählen wahlrecht bundestag parlament regierung präsident kanzler
                minister partei gesetz volksentscheid volksabstimmung krieg bundeswehr armee wehrpflicht
                nato eu grenze monarchie
                """
            ),
            (
                "science",
                """
                wissenschaft wissenschaftlich forschung weltraum raumfahrt physik biologie gene
                gentechnik genetisch mars mond experiment astronomie klonen
                """
            ),
            (
                "sport",
                """
                sport fußball olympia olympisch tennis radsport sportler doping liga bundesliga stadion
                schach
                """
            ),
            (
                "culture",
                """
                kultur kunst musik film kino buch bücher museum theater sprache gendern religion kirche
                oper fernsehen rundfunk
                """
            ),
            (
                "society",
                """
                gesellschaft sozial familie kind kinder ehe gleichstellung wohnung wohnen einwanderung
                zuwanderung flüchtling asyl kriminalität polizei gefängnis stadt städte auto autofrei
                innenstadt verkehr alter
                """
            ),
        ]
    )
}
