extension Lexicon {
    static let french = Lexicon(
        .french,
        stem: frenchStem,
        joinsWords: false,
        letters: "çéèêàùœîô",
        functionWords: """
            au aux avec ce ces dans de des du elle en et eux il ils je la le les leur lui ma mais me
            même mes moi mon ne nos notre nous on ou par pas pour qu que qui sa se ses son sur ta te
            tes toi ton tu un une vos votre vous c d j l à m n s t y est été sont être avoir ont avait
            faut doit doivent devrait devraient peut plus moins sans sous entre chez cette cet quel
            quelle comment pourquoi tout tous toute toutes très si oui non dont où nouveau nouveaux nouvelle
            nouvelles longue longues grand grande petit petite fin
            """,
        names: "france français française paris belgique québec suisse",
        positive: """
            bon bonne bons bonnes bien meilleur meilleure meilleurs meilleures libre liberté gratuit gratuite
            gratuits gratuites avantage améliorer succès juste sûr sûre sûrs sûres sécurité aimer espoir sain
            saine sains saines heureux heureuse heureuses protéger protection sauver bonheur joie renforcer
            """,
        negative: """
            mauvais mauvaise mauvaises pire pires interdire interdiction abolir abolition supprimer crise échec danger dangers dangereux
            dangereuse dangereuses             nuire nuisible injuste haine menace problème arrêter risque guerre contre fraude
            """,
        categories: [
            (
                "work",
                """
                travail travailler travailleur emploi bureau télétravail salarié employeur salaire smic
                syndicat grève heures retraite retraites carrière métier licenciement chômage semaine
                """
            ),
            (
                "health",
                """
                santé hôpital hôpitaux vaccin vaccination vaccinal médecine médecin médical maladie
                infirmier infirmière drogue cannabis tabac fumer alcool alimentation sucre obésité
                avortement ivg euthanasie patient
                """
            ),
            (
                "environment",
                """
                environnement climat climatique émission carbone pollution nucléaire éolien éolienne
                solaire énergie électricité plastique recyclage forêt loup baleine chasse viande pétrole
                nature écologie pesticide
                """
            ),
            (
                "education",
                """
                éducation école université étudiant élève professeur enseignant examen baccalauréat bac
                devoirs scolaire collège lycée maternelle uniforme
                """
            ),
            (
                "technology",
                """
                technologie logiciel internet ia robot algorithme ordinateur chiffrement données
                téléphone smartphone crypto automatisation numérique artificielle écran
                """
            ),
            (
                "economy",
                """
                économie économique impôt taxe fiscal fortune inflation commerce tarif douane marché
                banque prix loyer loyers budget revenu dette subvention entreprise euro
                """
            ),
            (
                "politics",
                """
                politique élection vote voter parlement assemblée gouvernement président ministre parti
                loi référendum guerre armée conscription otan ue union frontière monarchie roi
                """
            ),
            (
                "science",
                """
                science scientifique recherche espace spatial physique biologie génétique mars lune
                expérience astronomie clonage
                """
            ),
            (
                "sport",
                """
                sport sportif football olympique jeux tennis cyclisme athlète dopage ligue stade échecs
                """
            ),
            (
                "culture",
                """
                culture culturel art musique film cinéma livre musée théâtre langue écriture religion église laïcité
                opéra télévision
                """
            ),
            (
                "society",
                """
                société social famille enfant mariage égalité logement immigration réfugié asile crime
                criminalité police prison ville voiture circulation trafic âge
                """
            ),
        ]
    )
}
