/// Words that make a name the name of a company.
enum FinanceContext {
    /// Words about a company's business, next to its name or anywhere in the text.
    static let nouns: Set<String> = [
        "analyst", "analysts", "buyback", "ceo", "cfo", "chairman", "chapter", "customers",
        "dividend",
        "dividends", "earnings", "ebitda", "employees", "eps", "executive", "executives", "factory",
        "forecast",
        "guidance", "investor", "investors", "ipo", "layoffs", "margin", "margins", "merger",
        "outlook",
        "plant", "profit", "profits", "quarter", "quarterly", "recall", "recalls", "results",
        "revenue", "revenues",
        "sales", "shareholder", "shareholders", "shares", "stake", "stock", "stocks", "takeover",
        "subsidiary",
        "unit", "valuation", "warehouse", "workers", "q1", "q2", "q3", "q4", "1q", "2q", "3q", "4q",
        "cars", "trucks",
        "suvs", "stores", "models", "vehicles", "board", "bonds", "debt", "loss", "losses", "deal",
        "settlement",
    ]

    /// Actions of companies, right after their name.
    static let verbs: Set<String> = commonVerbs.union([
        "acquires", "acquire", "agrees", "announces", "announced", "appoints", "beats", "boosts",
        "buys", "closes",
        "cuts", "debuts", "delays", "delivers", "expands", "files", "hires", "introduces",
        "invests", "issues",
        "jumps", "launches", "launched", "loses", "misses", "names", "opens", "plans", "plunges",
        "posts",
        "posted", "pulls", "raises", "rallies", "recalls", "recalling", "releases", "reports",
        "reported", "rises",
        "rolls", "says", "sees", "sells", "settles", "shuts", "slashes", "slides", "slips",
        "slumps", "soars",
        "spends", "sued", "sues", "suspends", "surges", "tops", "trims", "tumbles", "unveils",
        "unveiled",
        "upgraded", "downgraded", "warns", "falls", "drops", "climbs", "gains", "sinks", "to",
        "will", "appeals", "fined", "lowers", "idles", "lays", "rehires", "restructures",
    ])

    /// Verbs that people and things have as well: they count only with another word about business.
    static let weakVerbs = commonVerbs.union([
        "to", "will", "says", "sees", "opens", "closes", "plans", "names", "wins", "loses", "falls",
        "drops",
        "rises", "jumps", "climbs", "slides", "slips", "gains", "pulls", "rolls", "delivers",
        "tops",
    ])

    private static let commonVerbs: Set<String> = [
        "adds", "begins", "builds", "completes", "denies", "ends", "enters", "resumes", "widens",
        "avoids", "faces",
        "exits", "expects", "extends",
        "fights", "gets", "gives", "grounds", "halts", "hits", "holds", "joins", "keeps", "lifts",
        "makes", "moves", "nears", "offers", "orders", "pays", "picks", "promises", "quits",
        "rejects", "resumes", "scraps", "seeks", "sets", "signs", "spins", "splits", "starts",
        "stops", "swings", "takes", "tests", "turns", "wants", "wins", "withdraws",
    ]

    /// Actions of several companies, right after the last of their names.
    static let pluralVerbs: Set<String> = [
        "acquire", "agree", "announce", "battle", "beat", "buy", "cancel", "close", "compete",
        "cut",
        "delay", "drop", "end", "face", "fall", "fight", "hire", "invest", "join", "launch", "lift",
        "lower", "merge", "miss", "offer", "plan", "post", "raise", "rally", "recall", "reject",
        "report", "rise", "say", "sell", "settle", "share", "sign", "slash", "slide", "slip", "sue",
        "swap", "team", "to", "trim", "unveil", "warn", "will",
    ]

    /// Plans of companies: `to hire`.
    static let infinitives: Set<String> = [
        "acquire", "buy", "cut", "divest", "hire", "invest", "launch", "lay", "list", "merge",
        "recall", "sell", "settle", "slash", "spin", "sue", "trim",
    ]

    /// Heads of companies, right after their name.
    static let heads: Set<String> = ["boss", "chief", "founder"]

    /// Further words about business anywhere in the text. Next to a name they show nothing.
    static let affairs: Set<String> = [
        "acquisition", "antitrust", "bankruptcy", "business", "buyout", "contract", "costs", "fine",
        "fined",
        "fines", "lawsuit", "lawsuits", "patent", "patents", "payroll", "staff", "tariff",
        "tariffs",
    ]

    static let legalForms: Set<String> = [
        "inc", "corp", "corporation", "co", "company", "ltd", "plc", "incorporated", "holdings",
    ]

    /// Further words about business, which make no common word a name.
    static let matters: Set<String> = [
        "brands", "fee", "fees", "funding", "inquiry", "investigation", "investment", "probe",
        "price", "prices", "product", "products", "regulator", "regulators",
        "retail", "startup", "suppliers", "trading",
    ]

    /// Kinds of companies, right before their name.
    static let roles: Set<String> = [
        "airline", "automaker", "bank", "brand", "carmaker", "carrier", "chain", "chipmaker",
        "company", "drugmaker",
        "firm", "giant", "group", "insurer", "lender", "maker", "manufacturer", "miner", "retailer",
        "rival",
        "supplier", "startup", "stock", "shares",
    ]

    /// Words with a capital letter in titles that belong to no name.
    static let functionWords: Set<String> = [
        "a", "about", "after", "against", "ahead", "amid", "an", "and", "are", "as", "at", "be",
        "before", "between",
        "but", "buy", "by", "can", "could", "did", "do", "does", "for", "from", "had", "has",
        "have", "how", "if",
        "in", "inside", "into", "is", "it", "its", "like", "may", "more", "new", "not", "of", "off",
        "on", "or", "our",
        "over", "sell", "should", "than", "that", "the", "then", "this", "to", "update", "up",
        "versus", "via", "vs",
        "was", "watch", "were", "what", "when", "where", "which", "while", "who", "why", "will",
        "with", "would",
        "your", "exclusive", "report",
    ]

    /// Before these, a word is only a word: `gap between`, `target price`.
    static let blockedAfter: [String: Set<String>] = [
        "gap": [
            "between", "in", "of", "year", "widens", "narrows", "year's", "up", "down", "analysis",
            "to",
        ],
        "target": [
            "price", "up", "raised", "cut", "lowered", "of", "date", "at", "boosted", "increased",
            "trimmed", "for",
            "to", "range", "rate", "market", "audience", "hit",
        ],
        "visa": [
            "application", "applications", "rules", "ban", "holders", "program", "free", "waiver",
            "policy",
        ],
        "gm": [
            "crops", "crop", "food", "foods", "corn", "mosquitoes", "seeds", "soy", "wheat", "rice",
        ],
        "delta": ["variant", "force", "blues", "state", "wave"],
        "amazon": [
            "rainforest", "forest", "river", "basin", "jungle", "fires", "deforestation", "tribe",
            "tribes",
        ],
        "united": ["states", "kingdom", "nations", "front", "way", "arab"],
        "apple": [
            "pie", "cider", "orchard", "juice", "orchards", "tree", "trees", "crop", "growers",
            "sauce",
        ],
        "oracle": ["bones"], "shell": ["company", "companies", "script", "shock"],
        "carnival": [
            "season", "parade", "workers", "rides", "ride", "costumes", "games", "floats", "king",
            "queen", "in",
        ],
        "chase": ["ends", "down", "scene", "after", "for"], "caterpillar": ["fungus"],
        "ford": ["theatre", "foundation"],
        "dow": ["jones", "theory"], "citi": ["field", "bike"], "zoom": ["in", "out"],
        "meta": ["analysis"],
    ]

    static let blockedBefore: [String: Set<String>] = [
        "gap": [
            "pay", "wage", "gender", "trade", "output", "the", "a", "skills", "generation",
            "income", "wealth",
            "budget", "closing", "bridge", "mind", "funding", "this",
        ],
        "target": [
            "price", "inflation", "on", "off", "its", "a", "the", "new", "easy", "your", "soft",
            "emissions",
        ],
        "visa": [
            "student", "work", "tourist", "travel", "entry", "a", "the", "h1b", "golden", "transit",
        ],
        "apple": ["big", "an", "fiona", "adams", "bad", "candy"], "gm": ["grandmaster"],
        "amazon": ["the"], "delta": ["mississippi", "niger", "mekong", "river", "the"],
        "ford": [
            "harrison", "tom", "rob", "gerald", "henry", "betty", "doug", "john", "glenn", "mayor",
            "president",
        ],
        "chase": ["car", "police", "a", "the", "chevy", "high", "speed", "paper"],
        "citi": [],
        "united": ["manchester", "leeds", "newcastle", "west", "a", "sheffield", "dundee"],
        "meta": ["so", "very", "a"], "oracle": ["the", "an"],
        "carnival": ["a", "the", "notting", "rio"],
    ]

    private static let airlineWords: Set<String> = [
        "airline", "airlines", "passengers", "jet", "jets", "pilots", "fliers", "flyers",
        "aircraft",
        "nonstop", "seating",
    ]

    /// Words that belong to one company, anywhere in the text.
    static let hints: [String: Set<String>] = [
        "moderna": ["vaccine", "vaccines", "drug"], "eli lilly": ["drug", "drugs", "pill"],
        "tesla": ["musk", "electric", "autopilot"],
        "walt disney": ["studio", "parks", "streaming"],
        "disney": ["studio", "parks", "streaming", "film", "films"],
        "fannie": ["freddie", "mae", "mortgage"], "freddie": ["fannie", "mac", "mortgage"],
        "ferrari": ["formula", "supercar"], "intel": ["chip", "chips", "chipmaker"],
        "nike": ["sneaker", "sneakers", "shoe", "shoes"],
        "apple": [
            "iphone", "iphones", "ipad", "ipads", "mac", "macbook", "ios", "siri", "itunes", "imac",
            "airpods",
        ],
        "amazon": ["bezos", "aws", "kindle", "alexa", "fulfillment"],
        "meta": ["instagram", "whatsapp", "zuckerberg"],
        "ford": [
            "mustang", "automaker", "truck", "trucks", "suvs", "vehicles", "dealers", "ev", "evs",
        ],
        "gm": [
            "chevrolet", "cadillac", "barra", "ignition", "automaker", "recall", "vehicles",
            "silverado",
        ],
        "target": ["retailer", "shoppers", "walmart"], "visa": ["mastercard", "cardholders"],
        "delta": airlineWords.union(["flight", "flights"]),
        "united": airlineWords.union(["flight", "flights"]), "southwest": airlineWords,
        "gap": ["navy", "retailer", "apparel"],
        "oracle": ["ellison", "database"], "adobe": ["photoshop", "acrobat"], "fox": ["murdoch"],
        "citi": ["bank"], "carnival": ["cruise", "cruises", "ship", "ships"],
        "shell": ["refinery", "oil"],
        "alaska air": airlineWords.union(["flight", "flights"]),
        "american eagle": ["apparel", "jeans", "retailer"],
        "boston beer": ["brewer", "cider", "lager", "seltzer"],
        "canada goose": ["coats", "jacket", "jackets", "parka", "parkas"],
        "canadian solar": ["panel", "panels", "modules"], "dupont": ["chemical", "chemicals"],
        "electronic arts": ["game", "games", "gamers", "studio", "studios"],
        "first solar": ["panel", "panels", "modules"],
        "gilead": ["drug", "drugs", "hepatitis", "hiv", "vaccine"],
        "henry schein": ["dental", "dentists"], "levi strauss": ["denim", "jeans"],
        "match group": ["app", "apps", "dating", "tinder"],
        "mr cooper": ["mortgage", "mortgages"], "sherwin williams": ["paint", "paints"],
        "steve madden": ["footwear", "shoe", "shoes"],
        "steven madden": ["footwear", "shoe", "shoes"],
        "under armour": ["apparel", "shoe", "shoes", "sneaker", "sneakers", "sportswear"],
    ]
}
