/// The languages of all texts. To add one, add its value here and to `all`.
extension Language {
    /// The first one is the default.
    package static let all = [norwegian, english]

    package static let norwegian = Language(
        code: "nb",
        tags: ["nb", "no", "nn"],
        decimalSeparator: ",",
        lights: ("nordlys", "sørlys"),
        now: Now(
            headlines: Headlines(
                tooBright: "For lyst til å se nordlys nå",
                cloudy: "Skyer skjuler himmelen nå",
                quiet: "Nesten ikke nordlys nå",
                noData: "Mangler ferske nordlysdata",
                low: "Små sjanser for nordlys nå",
                moderate: "Middels sjanser for nordlys nå",
                good: "Gode sjanser for nordlys nå",
                excellent: "Svært gode sjanser for nordlys nå"
            ),
            cloudUnknown: "Skydekket er ukjent nå",
            advice: Advice(
                noData: "Prøv igjen om litt.",
                tooBright: "Vent til himmelen er mørk.",
                cloudy: "Vent på klarere vær.",
                quiet: "Vent på mer aktivitet.",
                faintInBrightSky: "Himmelen er for lys til å se svakt nordlys.",
                lowInClouds: "Det er mye skyer. Se etter åpninger.",
                moderateInClouds: "Se etter åpninger i skydekket.",
                low: "Bare svakt nordlys er ventet.",
                moderate: "Finn et mørkt sted og følg med på himmelen.",
                goodInClouds: "Gå ut og se etter åpninger i skydekket!",
                good: "Gå ut og se!",
                excellent: "Gå ut nå og se opp!",
                cloudUnknown: "Skydekket er ukjent."
            )
        ),
        tonight: Tonight(
            headlines: Headlines(
                tooBright: "For lyst til å se nordlys i kveld",
                cloudy: "Skyer skjuler himmelen i kveld",
                quiet: "Nesten ikke nordlys i kveld",
                noData: "Mangler nordlysvarsel for i kveld",
                low: "Små sjanser for nordlys i kveld",
                moderate: "Middels sjanser for nordlys i kveld",
                good: "Gode sjanser for nordlys i kveld",
                excellent: "Svært gode sjanser for nordlys i kveld"
            ),
            restOfNight: Headlines(
                tooBright: "For lyst til å se nordlys i natt",
                cloudy: "Skyer skjuler himmelen i natt",
                quiet: "Nesten ikke nordlys i natt",
                noData: "Mangler nordlysvarsel for i natt",
                low: "Små sjanser for nordlys i natt",
                moderate: "Middels sjanser for nordlys i natt",
                good: "Gode sjanser for nordlys i natt",
                excellent: "Svært gode sjanser for nordlys i natt"
            ),
            neverDark: "Det blir ikke mørkt nok for nordlys i natt"
        ),
        summary: Summary(
            kp: { "Kp opp til \($0)." },
            unknownKp: "Kp er ikke varslet.",
            cloud: { "Skydekke på det beste \($0) %." },
            unknownCloud: "Skydekket er ukjent.",
            dark: { "Mørkt nok fra \($0) til \($1)." },
            darkInPolarNight: { "Mørketid, og mørkt nok fra \($0) til \($1)." },
            darkUntil: { "Mørkt nok til \($0)." },
            darkUntilInPolarNight: { "Mørketid, og mørkt nok til \($0)." },
            darkAllDay: "Mørketid, og mørkt nok hele døgnet.",
            midnightSun: "Midnattssol: sola går ikke ned.",
            tooBright: "Natten er for lys."
        ),
        bestTime: BestTime(
            between: { "Mellom \($0) og \($1)" },
            fromNow: { "Fra nå til \($0)" },
            none: "Ingen gode timer"
        ),
        tips: Tips(
            leaveLights: "Kom deg bort fra gatelys",
            findGaps: "Se etter åpninger i skydekket",
            dressWarmly: "Ta på ullundertøy og lue",
            stay: "Gi det en time: nordlyset kommer og går",
            waitForDark: "Vent til nettene er mørke",
            waitForClearSky: "Vent på klarere vær",
            waitForActivity: "Vent på mer aktivitet"
        )
    )

    package static let english = Language(
        code: "en",
        tags: ["en"],
        decimalSeparator: ".",
        lights: nil,
        now: Now(
            headlines: Headlines(
                tooBright: "Too bright to see the aurora now",
                cloudy: "Clouds hide the sky now",
                quiet: "Hardly any aurora now",
                noData: "No recent aurora data",
                low: "Small chance of aurora now",
                moderate: "Fair chance of aurora now",
                good: "Good chance of aurora now",
                excellent: "Very good chance of aurora now"
            ),
            cloudUnknown: "Cloud cover is unknown now",
            advice: Advice(
                noData: "Try again in a while.",
                tooBright: "Wait until the sky is dark.",
                cloudy: "Wait for clearer weather.",
                quiet: "Wait for more activity.",
                faintInBrightSky: "The sky is too bright for a faint aurora.",
                lowInClouds: "There is a lot of cloud. Look for gaps.",
                moderateInClouds: "Look for gaps in the clouds.",
                low: "Only a faint aurora is expected.",
                moderate: "Find a dark place and keep an eye on the sky.",
                goodInClouds: "Go out and look for gaps in the clouds!",
                good: "Go out and look!",
                excellent: "Go out now and look up!",
                cloudUnknown: "Cloud cover is unknown."
            )
        ),
        tonight: Tonight(
            headlines: Headlines(
                tooBright: "Too bright to see the aurora tonight",
                cloudy: "Clouds hide the sky tonight",
                quiet: "Hardly any aurora tonight",
                noData: "No aurora forecast for tonight",
                low: "Small chance of aurora tonight",
                moderate: "Fair chance of aurora tonight",
                good: "Good chance of aurora tonight",
                excellent: "Very good chance of aurora tonight"
            ),
            restOfNight: Headlines(
                tooBright: "Too bright to see the aurora before morning",
                cloudy: "Clouds hide the sky until morning",
                quiet: "Hardly any aurora until morning",
                noData: "No aurora forecast until morning",
                low: "Small chance of aurora before morning",
                moderate: "Fair chance of aurora before morning",
                good: "Good chance of aurora before morning",
                excellent: "Very good chance of aurora before morning"
            ),
            neverDark: "It does not get dark enough for the aurora tonight"
        ),
        summary: Summary(
            kp: { "Kp up to \($0)." },
            unknownKp: "Kp is not forecast.",
            cloud: { "Cloud cover at the best time \($0)%." },
            unknownCloud: "Cloud cover is unknown.",
            dark: { "Dark enough from \($0) to \($1)." },
            darkInPolarNight: { "Polar night, and dark enough from \($0) to \($1)." },
            darkUntil: { "Dark enough until \($0)." },
            darkUntilInPolarNight: { "Polar night, and dark enough until \($0)." },
            darkAllDay: "Polar night, and dark enough all day.",
            midnightSun: "Midnight sun: the sun does not set.",
            tooBright: "The night is too bright."
        ),
        bestTime: BestTime(
            between: { "Between \($0) and \($1)" },
            fromNow: { "From now until \($0)" },
            none: "No good hours"
        ),
        tips: Tips(
            leaveLights: "Get away from street lights",
            findGaps: "Look for gaps in the clouds",
            dressWarmly: "Put on wool and a hat",
            stay: "Give it an hour: the aurora comes and goes",
            waitForDark: "Wait for dark nights",
            waitForClearSky: "Wait for clearer weather",
            waitForActivity: "Wait for more activity"
        )
    )
}
