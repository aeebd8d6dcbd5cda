extension Lexicon {
    static let spanish = Lexicon(
        .spanish,
        stem: spanishStem,
        joinsWords: false,
        letters: "ñ¿¡áéíóú",
        functionWords: """
            de la que el en y a los del se las por un para con no una su al lo como más pero sus le ya
            o este sí porque esta entre cuando muy sin sobre también me hasta hay donde quien desde todo
            nos durante todos uno les ni contra otros ese eso ante ellos e esto mí antes algunos qué
            unos yo otro otras otra él tanto esa estos mucho quienes nada muchos cual poco ella estar
            estas algunas algo nosotros mi mis tú te ti tu tus ellas es son ser está están era fue debe
            deben debería deberían puede cómo menos nuevo nuevos nueva nuevas largo largas larga grande
            pequeño pequeña quién cuál dónde
            """,
        names: "españa español española méxico argentina madrid",
        positive: """
            bueno buena buen mejor libre libertad libertades gratis gratuito ventaja beneficio mejorar éxito justo seguro
            seguridad amor esperanza sano saludable proteger protección salvar ahorrar felicidad fortalecer
            """,
        negative: """
            malo mala mal peor prohibir prohibición abolir abolición eliminar crisis fracaso peligro peligroso
            daño dañino nocivo injusto odio amenaza problema parar riesgo guerra contra recorte fraude
            """,
        categories: [
            (
                "work",
                """
                trabajo trabajar trabajador laboral jornada empleo oficina teletrabajo empleado
                empleador salario sueldo sindicato huelga horas jubilación pensión pensiones carrera
                despido desempleo paro
                """
            ),
            (
                "health",
                """
                salud sanidad hospital vacuna vacunación medicina médico enfermedad enfermera droga
                cannabis tabaco fumar alcohol dieta azúcar obesidad aborto eutanasia paciente
                """
            ),
            (
                "environment",
                """
                ambiente medioambiente clima climático emisión emisiones carbono contaminación nuclear nucleares
                eólica solar energía electricidad plástico reciclaje bosque lobo ballena caza carne
                petróleo naturaleza ecología agua sequía
                """
            ),
            (
                "education",
                """
                educación escuela colegio universidad estudiante alumno profesor maestro examen colegio colegios deberes
                matrícula instituto guardería escolar
                """
            ),
            (
                "technology",
                """
                tecnología software internet ia robot algoritmo ordenador computadora cifrado privacidad
                datos teléfono móvil cripto automatización digital artificial pantalla
                """
            ),
            (
                "economy",
                """
                economía económico impuesto fiscal inflación comercio arancel mercado banco precio iva
                alquiler presupuesto renta ingreso deuda subsidio subvención empresa euro dólar
                """
            ),
            (
                "politics",
                """
                política político elección elecciones voto votar parlamento congreso gobierno presidente
                ministro partido ley referéndum guerra ejército mili otan ue frontera monarquía rey
                independencia
                """
            ),
            (
                "science",
                """
                ciencia científico investigación espacio espacial física biología genético marte luna
                experimento astronomía clonación
                """
            ),
            (
                "sport",
                """
                deporte deportivo fútbol futbolista olímpico olimpiadas tenis ciclismo atleta dopaje liga estadio
                ajedrez
                """
            ),
            (
                "culture",
                """
                cultura cultural arte música película cine libro museo teatro idioma lengua religión
                iglesia ópera televisión toros tauromaquia
                """
            ),
            (
                "society",
                """
                sociedad social familia niño niños hijo matrimonio igualdad vivienda piso inmigración
                refugiado asilo crimen delincuencia policía cárcel prisión ciudad ciudades coche tráfico edad
                """
            ),
        ]
    )
}
