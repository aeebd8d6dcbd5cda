import Expectations

@testable import Radar

/// Topics that were written without a look at the word lists, ten in each language, with what a reader makes of
/// them. The figures are those of docs/RADAR.md.
@Suite("A sample of topics", .timeLimit(.minutes(10)))
struct TopicSampleTests {
    private static let topics: [(LexicalLanguage, String, String)] = [
        (.norwegian, "environment", "Bør Norge slutte å lete etter olje?"),
        (.norwegian, "society", "Flere kameraer i byens gater"),
        (.norwegian, "health", "Bør helsesykepleiere få skrive ut prevensjon?"),
        (.norwegian, "economy", "Skattefritak for elbiler"),
        (.norwegian, "work", "Rett til hjemmekontor"),
        (.norwegian, "education", "Nasjonale prøver i grunnskolen"),
        (.norwegian, "politics", "Bør stemmerettsalderen senkes til 16 år?"),
        (.norwegian, "culture", "Statsstøtte til aviser og bøker"),
        (.norwegian, "sport", "Idrettsforbundets forhold til doping"),
        (.norwegian, "technology", "Ansiktsgjenkjenning og personvern"),
        (.swedish, "environment", "Slopa bensinskatten för klimatets skull"),
        (.swedish, "work", "Höjd pensionsålder"),
        (.swedish, "health", "Privata sjukhus i Sverige"),
        (.swedish, "education", "Betyg från årskurs fyra"),
        (.swedish, "economy", "Ska Sverige införa euron?"),
        (.swedish, "society", "Hårdare straff för gängbrott"),
        (.swedish, "politics", "Avskaffa monarkin"),
        (.swedish, "culture", "Fri entré på museer"),
        (.swedish, "environment", "Jakt på varg i Värmland"),
        (.swedish, "technology", "Förbjud AI i skolarbeten"),
        (.danish, "economy", "Lavere moms på frugt og grønt"),
        (.danish, "health", "Rygeforbud på alle arbejdspladser"),
        (.danish, "environment", "Havvindmøller ved Bornholm"),
        (.danish, "education", "Skal karaktererne afskaffes i gymnasiet?"),
        (.danish, "politics", "Skal kvinder have værnepligt?"),
        (.danish, "society", "Grænse for antal flygtninge i Danmark"),
        (.danish, "work", "Afskaf store bededag"),
        (.danish, "culture", "Gratis adgang til museer"),
        (.danish, "technology", "Mobilfri zoner for børn"),
        (.danish, "sport", "OL i København"),
        (.german, "economy", "Erbschaftssteuer erhöhen"),
        (.german, "work", "Recht auf Homeoffice"),
        (.german, "health", "Impfpflicht für Pflegekräfte"),
        (.german, "education", "Abschaffung der Noten in der Grundschule"),
        (.german, "environment", "Verbot von Verbrennungsmotoren"),
        (.german, "politics", "Volksabstimmungen auf Bundesebene"),
        (.german, "society", "Mietendeckel in Großstädten"),
        (.german, "culture", "Gendern in der Schule"),
        (.german, "technology", "Chatkontrolle und Verschlüsselung"),
        (.german, "sport", "Investoren in der Bundesliga"),
        (.french, "economy", "Taxer les superprofits des entreprises"),
        (.french, "work", "Le télétravail obligatoire deux jours par semaine"),
        (.french, "health", "Rendre la vaccination obligatoire pour les soignants"),
        (.french, "education", "Supprimer les notes à l'école primaire"),
        (.french, "environment", "Interdire les vols intérieurs pour le climat"),
        (.french, "politics", "La proportionnelle à l'Assemblée nationale"),
        (.french, "society", "Encadrer les loyers à Lyon"),
        (.french, "culture", "L'écriture inclusive dans l'administration"),
        (.french, "technology", "Interdire TikTok aux moins de quinze ans"),
        (.french, "sport", "La vidéo dans le football"),
        (.spanish, "economy", "Bajar el IVA de los alimentos"),
        (.spanish, "work", "Reducir la jornada laboral a 37 horas"),
        (.spanish, "health", "Prohibir fumar en las terrazas"),
        (.spanish, "education", "Más horas de inglés en los colegios públicos"),
        (.spanish, "environment", "Cerrar las centrales nucleares"),
        (.spanish, "politics", "Referéndum sobre la independencia"),
        (.spanish, "society", "Limitar los pisos turísticos en Barcelona"),
        (.spanish, "culture", "Subvenciones al cine español"),
        (.spanish, "technology", "Móviles prohibidos para menores de dieciséis"),
        (.spanish, "sport", "El sueldo de los futbolistas"),
    ]

    @Test func mostLanguagesAndCategoriesAreFound() {
        let found = Self.topics.map { ($0, lexicalInterpretation(of: $0.2)) }
        expectEqual(found.count, 60)
        expectEqual(found.count { $0.0.0 == $0.1.language }, 57)
        expectEqual(found.count { $0.0.1 == $0.1.category }, 49)
    }
}
