/// Words and phrases that belong to a category. Our own list.
enum CategorySeeds {
    /// The category that a feed's own name of one means.
    static func named(_ name: String) -> NewsCategory? {
        let word = name.lowercased()
        return NewsCategory(rawValue: word) ?? names[word]
    }

    private static let names: [String: NewsCategory] = [
        "business news": .business, "economy": .business, "finance": .business,
        "markets": .business,
        "money": .business, "economics": .business, "companies": .business, "tech": .technology,
        "technology news": .technology, "gadgets": .technology, "computing": .technology,
        "internet": .technology, "film": .entertainment, "movies": .entertainment,
        "music": .entertainment,
        "tv": .entertainment, "television": .entertainment, "arts": .entertainment,
        "celebrity": .entertainment, "celebrities": .entertainment, "culture": .entertainment,
        "medicine": .health, "wellness": .health, "health news": .health, "space": .science,
        "environment": .science, "physics": .science, "biology": .science, "sport": .sports,
        "football": .sports, "soccer": .sports, "basketball": .sports, "tennis": .sports,
        "world": .general, "news": .general, "top stories": .general, "politics": .general,
    ]

    static let automaton = WordAutomaton(
        phrases.enumerated().map { index, phrase in
            (TextWord.words(of: phrase.text).map(\.folded), index)
        }
    )

    static let phrases: [(category: NewsCategory, text: String)] = lists.flatMap { category, list in
        list.split(separator: ",").map { (category, String($0)) }
    }

    private static let lists: [(NewsCategory, String)] = [
        (
            .business,
            """
            stock,stocks,shares,market,markets,earnings,profit,profits,revenue,sales,quarter,\
            dividend,merger,acquisition,takeover,deal,ipo,investor,investors,analyst,analysts,ceo,\
            bank,banks,banking,fed,ecb,boe,oecd,inflation,interest rates,economy,economic,\
            economies,gdp,recession,growth,jobs,hiring,unemployment,trade,exports,imports,\
            currency,euro,dollar,yuan,forex,bonds,bond,treasury,debt,loan,loans,mortgage,housing,\
            tax,taxes,oil,crude,gas,gold,copper,commodities,retailer,retail,stores,airline,\
            airlines,bankruptcy,chapter 11,wall street,dow,nasdaq,s&p,futures,hedge fund,fund,\
            funds,lender,insurer,company,companies,industry,employers,layoffs,billion,mln,bln,\
            consumer,consumers,price target,rating,shareholders,financial,finance,railroad,\
            transit,factory,tariff,tariffs,sec,regulators,budget,deficit,pipeline,bull market,\
            buyout,outlook
            """
        ),
        (
            .technology,
            """
            app,apps,iphone,ipad,ios,android,smartphone,smartphones,tablet,google,apple,microsoft,\
            samsung,facebook,twitter,software,hardware,windows,xbox,playstation,nintendo,\
            game console,video game,gaming,gamers,chip,chips,processor,internet,web,online,\
            broadband,wireless,wi fi,wifi,mobile,hack,hackers,hacked,hacking,cyber,cybersecurity,\
            encryption,privacy,surveillance,nsa,data,cloud,server,servers,robot,robots,ai,\
            artificial intelligence,startup,developer,developers,sdk,api,code,coding,beta,browser,\
            chrome,firefox,linux,bitcoin,wearable,wearables,smartwatch,drone,drones,3d,\
            virtual reality,streaming service,download,downloads,update,user,users,device,devices,\
            gadget,laptop,pc,computer,computers,tech,technology,digital,piracy,car maker,\
            electric car,vehicle,vehicles,recall,automaker,carplay,laptops,camera,screen,display
            """
        ),
        (
            .entertainment,
            """
            movie,movies,film,films,trailer,box office,actor,actress,star,stars,celebrity,\
            celebrities,singer,song,songs,album,music,concert,tour,band,rapper,pop star,hollywood,\
            oscar,oscars,emmy,emmys,grammy,grammys,tv show,show,series,season,finale,episode,\
            premiere,premieres,recap,spoilers,cast,casting,director,sequel,disney,netflix,hbo,\
            reality tv,bachelor,dating,girlfriend,boyfriend,wedding,married,marriage,engaged,\
            engagement,divorce,baby,pregnant,kardashian,royal,prince,princess,duchess,fashion,\
            red carpet,model,magazine,photo,photos,pictures,video,watch,interview,comedy,comedian,\
            drama,romance,festival,sxsw,game of thrones,star wars,marvel,comics,superhero,batman,\
            the voice,american idol,snl,host,audience,viewers,ratings,costume,kiss,kissing,\
            rumours,rumors,sexy,bikini,tattoo,fans,fan,dressing room,autographs
            """
        ),
        (
            .health,
            """
            health,healthcare,hospital,hospitals,doctor,doctors,patient,patients,medical,medicine,\
            drug,drugs,disease,diseases,cancer,diabetes,obesity,heart attack,stroke,virus,\
            outbreak,flu,measles,ebola,hiv,aids,vaccine,vaccines,vaccination,infection,infections,\
            antibiotics,symptoms,treatment,therapy,surgery,surgeons,clinical,fda,cdc,nurse,nurses,\
            mental health,depression,anxiety,autism,alzheimer's,dementia,addiction,smoking,\
            cigarettes,e cigarettes,diet,nutrition,calories,sugar,sleep,pregnancy,birth,parents,\
            children's health,blood,brain,genes,gene,dna test,study finds,risk,medicare,medicaid,\
            obamacare,abortion,cholesterol,pill
            """
        ),
        (
            .science,
            """
            scientists,science,scientific,researchers,research,study,nasa,space,planet,planets,\
            mars,moon,asteroid,comet,orbit,satellite,telescope,hubble,galaxy,galaxies,universe,\
            cosmos,cosmic,astronomers,big bang,physics,physicists,particle,quantum,climate,\
            climate change,global warming,species,fossil,fossils,dinosaur,dinosaurs,evolution,\
            ice age,ice ages,volcano,volcanoes,earthquake,ocean,oceans,whale,whales,shark,sharks,\
            elephant,elephants,bees,birds,archaeologists,ancient,genome,dna,bacteria,biologists,\
            chemistry,laboratory,spacecraft,rocket,astronaut,astronauts,space station,eclipse,\
            meteor,meteorite,antarctica,arctic,nature
            """
        ),
        (
            .sports,
            """
            nfl,nba,nhl,mlb,fifa,uefa,world cup,super bowl,olympics,olympic,playoffs,playoff,\
            championship,league,premier league,coach,quarterback,touchdown,goal,goals,scored,\
            scores,beat,defeat,points,striker,midfielder,goalkeeper,tennis,wimbledon,grand slam,\
            golf,masters,pga,boxing,ufc,formula one,nascar,cricket,rugby,basketball,baseball,\
            football,soccer,hockey,tournament,semifinal,semifinals,quarterfinal,injury,roster,\
            draft pick,free agent,clippers,lakers,yankees,red sox,match,athlete,athletes,marathon,\
            team,teams,stadium
            """
        ),
    ]
}
