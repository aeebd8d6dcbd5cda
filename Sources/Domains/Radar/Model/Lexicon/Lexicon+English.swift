extension Lexicon {
    /// Its lists have the forms that occur; the stem of a word is its singular.
    static let english = Lexicon(
        .english,
        stem: englishStem,
        joinsWords: false,
        letters: "",
        functionWords: """
            the and for are was were with from that this these those should would could must can will
            shall may not its our your their they them than then but into onto over under about more
            most less all any every each has have had does did who what when where why how which whether
            there here you his her one a an in of to is on at by or it be as we he if do so up my us i am
            new other some such only same own no yes out off after before between during without because
            many much few fewer everyone longer shorter higher lower slower faster
            """,
        names: "britain british england english america american london",
        positive: """
            good better best free freedom benefit improve improved success fair safe safer love great
            hope healthy protect protecting save saving
            """,
        negative: """
            bad worse worst ban banning abolish end ending crisis fail failure danger dangerous harm
            harmful unfair hate threat problem stop risk war against
            """,
        categories: [
            (
                "work",
                """
                work working worker job office employee employer wage salary union strike overtime
                retirement career workplace
                """
            ),
            (
                "health",
                """
                health healthcare hospital vaccine vaccination medicine medical disease doctor nurse drug
                smoking diet sugar obesity abortion euthanasia
                """
            ),
            (
                "environment",
                """
                environment climate emission carbon pollution nuclear wind solar energy plastic recycling
                forest wildlife whaling meat oil
                """
            ),
            (
                "education",
                """
                education school university student teacher exam homework tuition college kindergarten
                """
            ),
            (
                "technology",
                """
                technology software internet ai artificial intelligence robot algorithm computer
                encryption privacy phone smartphone crypto automation data
                """
            ),
            (
                "economy",
                """
                economy economic tax taxes inflation trade tariff market bank price rent budget income
                debt subsidy business euro dollar
                """
            ),
            (
                "politics",
                """
                politics political election vote voting parliament government president minister party
                law referendum war army conscription nato eu border monarchy
                """
            ),
            (
                "science",
                """
                science scientific research space physics biology genetic mars moon experiment astronomy
                cloning
                """
            ),
            (
                "sport",
                "sport football soccer olympic tennis cycling athlete doping league stadium chess"
            ),
            (
                "culture",
                """
                culture art music film movie book museum theatre theater language religion opera
                television
                """
            ),
            (
                "society",
                """
                society social family child children marriage equality housing immigration refugee crime
                police prison city cities car traffic age
                """
            ),
        ]
    )
}

private func englishStem(_ word: String) -> String {
    word.hasSuffix("s") && !word.hasSuffix("ss") ? String(word.dropLast()) : word
}
