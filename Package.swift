// swift-tools-version: 6.2
import PackageDescription

/// A module and its tests. The order below is the order of the layers in docs/ARCHITECTURE.md.
struct Module {
    var name: String
    /// Under Sources/.
    var folder: String
    var uses: [Target.Dependency] = []
    var testUses: [Target.Dependency] = []
    var hasTests = true
    /// Only the command line links it.
    var isOffline = false
    /// Files in its folder that are not compiled.
    var exclude: [String] = []
    /// The same in the folder of its tests.
    var testExclude: [String] = []

    /// What a hub without domains is made of.
    var isOfHub: Bool { !isOffline && !folder.contains("Domains") }
}

let heap = Target.Dependency.product(name: "HeapModule", package: "swift-collections")
let deque = Target.Dependency.product(name: "DequeModule", package: "swift-collections")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let sqlite = Target.Dependency.product(name: "GRDBSQLite", package: "GRDB.swift")
let protobuf = Target.Dependency.product(name: "SwiftProtobuf", package: "swift-protobuf")
let yams = Target.Dependency.product(name: "Yams", package: "Yams")
let argumentParser = Target.Dependency.product(
    name: "ArgumentParser",
    package: "swift-argument-parser"
)

/// Of the histogram; named, so that its version is pinned, too.
let numerics = Target.Dependency.product(name: "Numerics", package: "swift-numerics")
let histogram = Target.Dependency.product(name: "Histogram", package: "hdrhistogram-swift")

let modules = [
    Module(name: "Timekeeping", folder: "Base/Timekeeping", testUses: ["ZoneTesting"]),
    Module(name: "JSONText", folder: "Base/JSONText"),
    Module(
        name: "Digests",
        folder: "Base/Digests",
        uses: ["COpenSSL", "COpenSSLSetup"]
    ),
    Module(name: "Locking", folder: "Base/Locking", hasTests: false),
    Module(name: "Addresses", folder: "Base/Addresses"),
    Module(name: "Tracing", folder: "Base/Tracing"),
    Module(name: "SearchParts", folder: "Base/SearchParts"),
    Module(name: "Files", folder: "Base/Files"),
    Module(name: "Bounds", folder: "Base/Bounds", uses: [heap]),
    Module(
        name: "Tasks",
        folder: "Base/Tasks",
        uses: ["Bounds", "Locking", "Timekeeping"]
    ),
    Module(name: "HTTPWire", folder: "Wire/HTTPWire"),
    Module(
        name: "WebSocketWire",
        folder: "Wire/WebSocketWire",
        uses: ["CZlib", "Digests", "HTTPWire"]
    ),
    Module(name: "Metrics", folder: "Hub/Metrics", uses: ["Locking"]),
    Module(name: "Routing", folder: "Hub/Routing", uses: ["HTTPWire"]),
    Module(
        name: "PubSub",
        folder: "Core/PubSub",
        uses: ["JSONText", "Locking", "Timekeeping", deque]
    ),
    Module(
        name: "ClientWire",
        folder: "Wire/ClientWire",
        uses: ["Timekeeping", "JSONText", "Digests", "PubSub", "Tracing", heap, protobuf],
        exclude: ["Centrifuge/Protobuf/centrifuge.proto"]
    ),
    Module(name: "Feeds", folder: "Core/Feeds", uses: ["Timekeeping"]),
    Module(
        name: "Alerts",
        folder: "Core/Alerts",
        uses: ["Timekeeping", "JSONText", "PubSub"],
        testUses: ["ZoneTesting"]
    ),
    Module(
        name: "Webhooks",
        folder: "Core/Webhooks",
        uses: ["Addresses", "Timekeeping", "JSONText", "Digests", "PubSub", "Tracing"]
    ),
    Module(
        name: "Tokens",
        folder: "Core/Tokens",
        uses: ["COpenSSL", "Timekeeping", "JSONText", "Digests", "PubSub"],
        testExclude: ["Vectors"]
    ),
    Module(name: "Providers", folder: "Core/Providers", uses: ["JSONText", "Timekeeping"]),
    Module(
        name: "Statistics",
        folder: "Hub/Statistics",
        uses: ["JSONText", "Metrics", "Timekeeping", deque]
    ),
    Module(
        name: "Aurora",
        folder: "Domains/Aurora/Model",
        uses: ["Timekeeping", "JSONText", "PubSub", "Feeds"],
        testUses: ["ZoneTesting"]
    ),
    Module(
        name: "Radar",
        folder: "Domains/Radar/Model",
        uses: ["Bounds", "Timekeeping", "JSONText", "Digests", "Providers", "PubSub", heap],
        testUses: ["TitleTesting"]
    ),
    Module(
        name: "Activity",
        folder: "Domains/Activity/Model",
        uses: ["JSONText", "PubSub", "SearchParts", "Timekeeping"],
        testUses: ["TasteTesting", "Tokens"]
    ),
    Module(
        name: "News",
        folder: "Domains/News/Model",
        uses: ["Bounds", "Digests", "JSONText", "Providers", "PubSub", "Timekeeping", "Tokens"],
        testUses: ["TitleTesting", "ZoneTesting"]
    ),
    Module(
        name: "NewsFeeds",
        folder: "Domains/News/Feeds",
        uses: ["CLibXML", "JSONText", "News", "Timekeeping"],
        testUses: ["SeededRandom"],
        testExclude: ["corpus"]
    ),
    Module(
        name: "Replay",
        folder: "Hub/Replay",
        uses: ["Files", "Timekeeping", "JSONText", "HTTPWire", yams],
        isOffline: true
    ),
    Module(
        name: "AuroraReplay",
        folder: "Domains/Aurora/Replay",
        uses: ["Timekeeping", "JSONText", "HTTPWire", "Replay"]
    ),
    Module(
        name: "RadarEvaluation",
        folder: "Domains/Radar/Evaluation",
        uses: ["Radar", "Timekeeping"]
    ),
    Module(
        name: "NewsReplay",
        folder: "Domains/News/Replay",
        uses: ["Timekeeping", "JSONText", "HTTPWire", "Replay"],
        testUses: ["News", "NewsFeeds"]
    ),
    Module(
        name: "Reactor",
        folder: "Kernel/Reactor",
        uses: ["Addresses", "CLinux", "COpenSSL", "COpenSSLSetup", "Timekeeping", "Locking", heap],
        testUses: ["TLSTesting"]
    ),
    Module(
        name: "LogOutput",
        folder: "Hub/LogOutput",
        uses: ["JSONText", "Locking", "Reactor", "Timekeeping", "Tracing", logging]
    ),
    Module(
        name: "Postgres",
        folder: "Kernel/Postgres",
        uses: ["Locking"],
        testUses: ["PostgresTesting"]
    ),
    Module(
        name: "Store",
        folder: "Kernel/Store",
        uses: [
            "CZlib", "Digests", "Locking", "Postgres", "PubSub", "Timekeeping", grdb, sqlite,
        ],
        testUses: ["PostgresTesting", "SeededRandom", "StoreTesting"],
        testExclude: ["Fixtures"]
    ),
    Module(
        name: "Upstream",
        folder: "Kernel/Upstream",
        uses: ["CZlib", "Digests", "HTTPWire", "Locking", "Reactor", "Tracing", heap],
        testUses: ["CLinux", "COpenSSL", "TLSTesting"]
    ),
    Module(
        name: "Polling",
        folder: "Hub/Polling",
        uses: [
            "Addresses", "Feeds", "HTTPWire", "Locking", "Metrics", "Reactor", "Tasks",
            "Timekeeping", "Upstream", "Webhooks", logging,
        ],
        testUses: ["HubTesting", "ShardTesting"]
    ),
    Module(
        name: "Configuration",
        folder: "Hub/Configuration",
        uses: [
            "Addresses",
            "Alerts", "Files", "HTTPWire", "Locking", "LogOutput", "PubSub", "Timekeeping",
            "Tokens",
            "Upstream", "Webhooks", yams,
        ],
        testUses: ["ConfigurationTesting", "ZoneTesting"]
    ),
    Module(
        name: "ProviderCalls",
        folder: "Hub/ProviderCalls",
        uses: [
            "Configuration", "Digests", "HTTPWire", "Locking", "Polling", "Providers", "Tasks",
            "Timekeeping", "Upstream", logging,
        ],
        testUses: ["HubTesting", "ShardTesting"]
    ),
    Module(
        name: "Access",
        folder: "Hub/Access",
        uses: [
            "Alerts", "ClientWire", "Configuration", "Digests", "Files", "HTTPWire", "Locking",
            "PubSub", "Tasks",
            "Timekeeping", "Tokens", "Upstream", logging,
        ],
        testUses: ["ConfigurationTesting", "TokenTesting"]
    ),
    Module(
        name: "HTTPService",
        folder: "Hub/HTTPService",
        uses: [
            "Access", "Bounds", "Digests", "HTTPWire", "JSONText", "LogOutput", "Reactor",
            "Routing", "Store", "Tasks", "Timekeeping", "Tokens", "Tracing", logging,
        ],
        testUses: ["HubTesting", "Locking"]
    ),
    Module(
        name: "Shards",
        folder: "Hub/Shards",
        uses: [
            "Addresses",
            "Access", "Bounds", "ClientWire", "Configuration", "Digests", "HTTPService", "HTTPWire",
            "JSONText", "Locking", "LogOutput", "Metrics", "PubSub", "Reactor", "Routing", "Store",
            "Tasks", "Timekeeping", "Tokens", "WebSocketWire", deque, logging,
        ],
        testUses: ["ConfigurationTesting", "HubTesting", "ShardTesting", "TokenTesting"]
    ),
    Module(
        name: "Accounts",
        folder: "Hub/Accounts",
        uses: [
            "Access", "Configuration", "Digests", "HTTPService", "HTTPWire", "JSONText", "Locking",
            "LogOutput", "Reactor", "Store", "Tasks", "Timekeeping", "Tokens", "Upstream", logging,
        ],
        testUses: [
            "ClientWire", "ConfigurationTesting", "HubTesting", "PubSub", "ShardTesting", "Shards",
            "StoreTesting", "TokenTesting",
        ]
    ),
    Module(
        name: "Outbox",
        folder: "Hub/Outbox",
        uses: [
            "Addresses", "Configuration", "Digests", "HTTPService", "HTTPWire", "JSONText",
            "Locking", "LogOutput", "Metrics", "PubSub", "Reactor", "Store", "Tasks", "Timekeeping",
            "Tracing", "Upstream", "Webhooks", logging,
        ],
        testUses: [
            "ConfigurationTesting", "HubTesting", "Polling", "ShardTesting", "Shards",
            "TokenTesting", "Tokens",
        ]
    ),
    Module(
        name: "ServerAPI",
        folder: "Hub/ServerAPI",
        uses: [
            "Access", "ClientWire", "HTTPService", "HTTPWire", "JSONText", "Locking", "LogOutput",
            "PubSub", "Routing", "Shards", "Store", "Tasks", "Timekeeping", "Tokens", "Tracing",
            logging,
        ],
        testUses: [
            "Configuration", "ConfigurationTesting", "HubTesting", "Reactor", "ShardTesting",
            "TokenTesting",
        ]
    ),
    Module(
        name: "Alerting",
        folder: "Hub/Alerting",
        uses: [
            "Access", "Alerts", "Bounds", "Configuration", "Digests", "HTTPService", "JSONText",
            "Locking", "LogOutput", "Metrics", "Outbox", "PubSub", "Store", "Tasks", "Timekeeping",
            "Tokens", logging, yams,
        ],
        testUses: ["ConfigurationTesting", "HubTesting", "ShardTesting", "StoreTesting"]
    ),
    Module(
        name: "Diagnostics",
        folder: "Hub/Diagnostics",
        uses: [
            "Alerting", "Bounds", "CDocuments", "Feeds", "HTTPService", "HTTPWire", "JSONText",
            "Locking", "LogOutput", "Metrics", "Outbox", "Polling", "PubSub", "Shards",
            "Statistics", "Store", "Tasks", "Timekeeping", "Tokens",
            logging,
        ],
        hasTests: false
    ),
    Module(
        name: "Console",
        folder: "Hub/Console",
        uses: ["CConsole", "CZlib", "HTTPService", "HTTPWire", "Locking"],
        testUses: ["Digests", "HubTesting", "ShardTesting"],
        testExclude: ["Acceptance"]
    ),
    Module(
        name: "DomainKit",
        folder: "Hub/DomainKit",
        uses: [
            "Feeds",
            "Access", "Accounts", "Alerting", "Configuration", "HTTPService", "Outbox", "Polling",
            "PubSub",
            "Shards", "Store", "Tasks", "Timekeeping", "Upstream", "Webhooks", logging,
        ],
        hasTests: false
    ),
    Module(
        name: "AuroraApp",
        folder: "Domains/Aurora/App",
        uses: [
            "Access", "Alerting", "Alerts", "Aurora", "Configuration", "Digests", "DomainKit",
            "Feeds", "HTTPService", "HTTPWire", "JSONText", "Locking", "Metrics", "Outbox",
            "Polling",
            "PubSub", "Reactor", "Routing", "Store", "Tasks", "Timekeeping", "Webhooks", logging,
        ],
        testUses: [
            "AuroraReplay", "ConfigurationTesting", "HubTesting", "Replay", "ShardTesting",
            "Shards",
            "TokenTesting",
        ]
    ),
    Module(
        name: "RadarApp",
        folder: "Domains/Radar/App",
        uses: [
            "Access", "Alerting", "Alerts", "ClientWire", "Configuration", "Digests", "DomainKit",
            "HTTPService", "HTTPWire", "JSONText", "Locking", "LogOutput", "Metrics", "Outbox",
            "Polling", "ProviderCalls", "Providers", "PubSub", "Radar", "Shards", "Store", "Tasks",
            "Timekeeping", "Tokens", logging,
        ],
        testUses: [
            "ConfigurationTesting", "HubTesting", "ShardTesting", "StoreTesting", "TokenTesting",
            "Upstream", "Webhooks",
        ]
    ),
    Module(
        name: "ActivityApp",
        folder: "Domains/Activity/App",
        uses: [
            "Access", "Accounts", "Activity", "Alerting", "Alerts", "Configuration", "Digests",
            "DomainKit", "Files",
            "HTTPService", "JSONText", "Locking", "LogOutput", "Metrics", "Outbox", "PubSub",
            "Reactor", "SearchParts", "Store", "Tasks", "Timekeeping", "Tokens", "Upstream",
            logging,
        ],
        testUses: [
            "ConfigurationTesting", "HubTesting", "ShardTesting", "StoreTesting", "TokenTesting",
            "Webhooks",
        ],
        testExclude: ["Acceptance"]
    ),
    Module(
        name: "NewsApp",
        folder: "Domains/News/App",
        uses: [
            "Access", "Addresses", "Alerting", "Alerts", "Configuration", "Digests", "DomainKit",
            "Feeds", "HTTPService", "HTTPWire", "Locking", "LogOutput", "Metrics", "News",
            "NewsFeeds", "Outbox", "Polling", "ProviderCalls", "Providers", "PubSub", "Reactor",
            "SearchParts", "Store", "Tasks", "Timekeeping", "Tokens", "Upstream", "Webhooks",
            logging,
        ],
        testUses: [
            "ConfigurationTesting", "HubTesting", "JSONText", "ShardTesting", "Shards",
            "StoreTesting", "TokenTesting",
        ],
        testExclude: ["Acceptance"]
    ),
    Module(
        name: "ActivityImport",
        folder: "Domains/Activity/Import",
        uses: ["Activity", "Timekeeping"],
        testUses: ["TasteTesting"]
    ),
    Module(
        name: "CommandKit",
        folder: "CommandKit",
        uses: [
            "Alerting", "Configuration", "DomainKit", "PubSub", "Replay", "Timekeeping",
            argumentParser,
        ],
        hasTests: false,
        isOffline: true
    ),
    Module(
        name: "AuroraCommands",
        folder: "Domains/Aurora/Commands",
        uses: [
            "Alerting", "Alerts", "Aurora", "AuroraApp", "AuroraReplay", "CommandKit",
            "Configuration", "Files", "HTTPWire", "PubSub", "Replay", "Timekeeping", argumentParser,
        ]
    ),
    Module(
        name: "RadarCommands",
        folder: "Domains/Radar/Commands",
        uses: ["CommandKit", "RadarApp", "RadarEvaluation", argumentParser]
    ),
    Module(
        name: "ActivityCommands",
        folder: "Domains/Activity/Commands",
        uses: [
            "Activity", "ActivityApp", "ActivityImport", "CommandKit", "DomainKit", "Files",
            "HubServer", "Tasks", argumentParser,
        ],
        testUses: ["Store", "Timekeeping"]
    ),
    Module(
        name: "NewsCommands",
        folder: "Domains/News/Commands",
        uses: ["CommandKit", "Files", "News", "NewsApp", "NewsReplay", argumentParser]
    ),
    Module(
        name: "AllDomains",
        folder: "AllDomains",
        uses: [
            "ActivityApp", "ActivityCommands", "AuroraApp", "AuroraCommands", "CommandKit",
            "DomainKit", "NewsApp", "NewsCommands", "RadarCommands",
        ],
        testUses: ["Configuration", "ConfigurationTesting", yams]
    ),
]

/// The fuzz targets of the domains. They build without the heavy packages, and no program links them.
let fuzzModules = [
    Module(
        name: "AuroraFuzz",
        folder: "Domains/Aurora/Fuzz",
        uses: ["Aurora", "FuzzKit", "Timekeeping"],
        hasTests: false,
        exclude: ["Corpus", "Dictionaries"]
    ),
    Module(
        name: "RadarFuzz",
        folder: "Domains/Radar/Fuzz",
        uses: ["FuzzKit", "JSONText", "Providers", "Radar"],
        hasTests: false,
        exclude: ["Corpus", "Dictionaries"]
    ),
    Module(
        name: "ActivityFuzz",
        folder: "Domains/Activity/Fuzz",
        uses: ["Activity", "ActivityImport", "FuzzKit", "JSONText", "Timekeeping", "Tokens"],
        hasTests: false,
        exclude: ["Corpus", "Dictionaries"]
    ),
    Module(
        name: "NewsFuzz",
        folder: "Domains/News/Fuzz",
        uses: ["FuzzKit", "News", "NewsFeeds"],
        hasTests: false,
        exclude: ["Corpus", "Dictionaries"]
    ),
]

/// The modules that read what strangers send, and that build without the heavy packages.
let fuzzed: [Target.Dependency] =
    [
        "Addresses", "Tracing", "CZlib", "Timekeeping", "JSONText", "Digests", "HTTPWire",
        "WebSocketWire",
        "Routing", "PubSub", "ClientWire", "Alerts", "Webhooks", "Tokens", "Upstream", "FuzzKit",
        "SeededRandom",
    ] + fuzzModules.map { .target(name: $0.name) }

/// lld links in a second what takes the default linker a minute, and knows the packed relocations that
/// spare every start 3 MB. Without its unused exports the program is 10 MB smaller in memory. With all symbols
/// bound at the start (`-z now`) the table of their addresses is read-only: docs/DECISIONS/007-linking.md.
let linking: [LinkerSetting] = [
    .unsafeFlags([
        "-use-ld=lld", "-Xlinker", "--icf=safe", "-Xlinker", "-z", "-Xlinker",
        "pack-relative-relocs", "-Xlinker", "--no-export-dynamic", "-Xlinker", "-z", "-Xlinker",
        "now",
    ])
]

/// `make fuzz` sets it: every module of ours is then instrumented, so the products of such a build are
/// for fuzzing only and have a scratch path of their own (Fuzz/run.sh).
let isFuzzing = Context.environment["VARDE_FUZZ"] != nil
let fuzzSanitizers = "-sanitize=fuzzer,address"

/// Fuzzed are optimised programs, which keep their preconditions; the assertions are switched on again.
let settings: [SwiftSetting] =
    [.enableUpcomingFeature("ExistentialAny")]
    + (isFuzzing
        ? [.unsafeFlags(["-parse-as-library", fuzzSanitizers, "-assert-config", "Debug"])] : [])

let package = Package(
    name: "varde",
    products: [
        .executable(name: "varde", targets: ["varde"]),
        .executable(name: "varde-load", targets: ["varde-load"]),
    ],
    // Exact, the transitive one as well: two builds of one commit have the same code.
    dependencies: [
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", exact: "0.2.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", exact: "1.6.0"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/apple/swift-numerics", exact: "1.1.1"),
        .package(url: "https://github.com/apple/swift-protobuf", exact: "1.39.0"),
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
        .package(url: "https://github.com/jpsim/Yams", exact: "6.2.2"),
    ],
    targets: [
        .systemLibrary(
            name: "COpenSSL",
            path: "Sources/Base/COpenSSL",
            pkgConfig: "openssl",
            providers: [.apt(["libssl-dev"])]
        ),
        .systemLibrary(
            name: "CZlib",
            path: "Sources/Base/CZlib",
            pkgConfig: "zlib",
            providers: [.apt(["zlib1g-dev"])]
        ),
        .systemLibrary(
            name: "CLibXML",
            path: "Sources/Base/CLibXML",
            pkgConfig: "libxml-2.0",
            providers: [.apt(["libxml2-dev"])]
        ),
        // Linked into every program that uses COpenSSL, through Digests or Reactor.
        .target(
            name: "COpenSSLSetup",
            dependencies: ["COpenSSL"],
            path: "Sources/Base/COpenSSLSetup"
        ),
        .target(name: "CLinux", path: "Sources/Base/CLinux"),
        .target(name: "CNotices", path: "Sources/Base/CNotices"),
        .target(name: "CConsole", path: "Sources/Base/CConsole"),
        .target(
            name: "CDocuments",
            path: "Sources/Base/CDocuments",
            exclude: ["page.css", "page.html", "page.js"]
        ),
        .target(
            name: "HubServer",
            dependencies: modules.filter(\.isOfHub).map { .target(name: $0.name) } + [
                "CLinux", logging, yams,
            ],
            swiftSettings: settings,
            linkerSettings: linking
        ),
        .executableTarget(
            name: "varde",
            dependencies: [
                "CLinux", "CNotices", "HubServer", argumentParser, logging,
            ] + modules.map { .target(name: $0.name) },
            swiftSettings: settings,
            linkerSettings: linking
        ),
        // The wire modules and the loop, and nothing of the server, with which it has to be able to disagree.
        .executableTarget(
            name: "varde-load",
            dependencies: [
                "JSONText", "Digests", "HTTPWire", "WebSocketWire", "Reactor", argumentParser,
                histogram, numerics,
            ],
            path: "loadtest",
            exclude: ["README.md", "bench", "floor"],
            swiftSettings: settings,
            linkerSettings: linking
        ),
        .testTarget(
            name: "LoadTestTests",
            dependencies: [
                "varde-load", "JSONText", "Digests", "WebSocketWire", "Reactor",
            ],
            path: "Tests/LoadTest",
            swiftSettings: settings
        ),
        .testTarget(
            name: "HubServerTests",
            dependencies: [
                "ConfigurationTesting", "HubServer", "HubTesting", "PostgresTesting", "Repository",
                "SeededRandom", "ShardTesting", "StoreTesting", "TokenTesting", logging,
            ]
                + modules.map { .target(name: $0.name) },
            path: "Tests/HubServer",
            swiftSettings: settings
        ),
        .testTarget(
            name: "VardeTests",
            dependencies: [
                "AllDomains", "CommandKit", "Configuration", "DomainKit", "HTTPService", "HTTPWire",
                "HubServer", "JSONText", "PostgresTesting", "ShardTesting", "Shards", "Store",
                "Tasks", "Timekeeping", "Tokens", "Upstream", "varde", argumentParser, logging,
            ],
            path: "Tests/varde",
            swiftSettings: settings
        ),
        // A domain that is a folder of the tests, and a hub that has no other.
        .testTarget(
            name: "DomainKitTests",
            dependencies: [
                "ConfigurationTesting", "HubServer", "HubTesting", "Repository", "ShardTesting",
                "TokenTesting", logging,
            ] + modules.filter(\.isOfHub).map { .target(name: $0.name) },
            path: "Tests/DomainKit",
            exclude: ["Toys/openapi.json"],
            swiftSettings: settings
        ),
        .testTarget(name: "LayersTests", path: "Tests/Layers", swiftSettings: settings),
        .target(
            name: "ConformanceCases",
            dependencies: ["WebSocketWire"],
            path: "Tests/Conformance/Cases",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "conformance-client",
            dependencies: ["ConformanceCases", "HTTPWire", "WebSocketWire"],
            path: "Tests/Conformance/Client",
            swiftSettings: settings,
            linkerSettings: linking
        ),
        .testTarget(
            name: "ConformanceTests",
            dependencies: ["ConformanceCases", "HTTPWire", "WebSocketWire"],
            path: "Tests/Conformance/Tests",
            swiftSettings: settings
        ),
        .target(name: "SeededRandom", path: "Tests/SeededRandom", swiftSettings: settings),
        .target(
            name: "ConfigurationTesting",
            dependencies: ["Configuration"],
            path: "Tests/ConfigurationTesting",
            swiftSettings: settings
        ),
        .target(
            name: "TasteTesting",
            dependencies: ["Activity", "SeededRandom", "Timekeeping"],
            path: "Tests/TasteTesting",
            swiftSettings: settings
        ),
        // Labelled titles and topics, with the precision and recall of what is found in them.
        .target(
            name: "TitleTesting",
            dependencies: ["Repository"],
            path: "Tests/TitleTesting",
            swiftSettings: settings
        ),
        // Zone files, and what another implementation makes of them.
        .target(
            name: "ZoneTesting",
            dependencies: ["Timekeeping"],
            path: "Tests/ZoneTesting",
            exclude: ["make_zones.py", "zones.json"],
            swiftSettings: settings
        ),
        .target(
            name: "TokenTesting",
            dependencies: ["PubSub", "Repository", "Tasks", "Timekeeping", "Tokens"],
            path: "Tests/TokenTesting",
            swiftSettings: settings
        ),
        .target(
            name: "HubTesting",
            dependencies: [
                "HTTPService", "HTTPWire", "Locking", "Metrics", "PubSub", "Store", "StoreTesting",
                "Tasks", "Timekeeping",
                logging,
            ],
            path: "Tests/HubTesting",
            swiftSettings: settings
        ),
        .target(name: "CWorkCount", path: "Tests/CWorkCount"),
        .target(
            name: "ShardTesting",
            dependencies: [
                "Access", "CLinux", "CWorkCount", "ClientWire", "Configuration",
                "ConfigurationTesting", "HTTPService", "HTTPWire", "HubTesting", "JSONText",
                "Locking", "PubSub", "Reactor", "Shards", "Store", "Timekeeping", "Tokens", logging,
            ],
            path: "Tests/ShardTesting",
            swiftSettings: settings
        ),
        // Stores of tests. It sees what is internal to the store, so it builds for tests only.
        .target(
            name: "StoreTesting",
            dependencies: [
                "Locking", "Postgres", "PubSub", "Store", "Timekeeping", grdb, sqlite,
            ],
            path: "Tests/StoreTesting",
            swiftSettings: settings
        ),
        .target(
            name: "PostgresTesting",
            dependencies: ["Postgres"],
            path: "Tests/PostgresTesting",
            swiftSettings: settings
        ),
        .target(name: "Repository", path: "Tests/Repository", swiftSettings: settings),
        // Certificates for tests, of authorities that live as long as the test.
        .target(
            name: "TLSTesting",
            dependencies: ["COpenSSL", "Timekeeping"],
            path: "Tests/TLSTesting",
            swiftSettings: settings
        ),
        // The radar's app, which shares nothing with the hub.
        .target(name: "RadarContractApp", path: "Tests/RadarContract/App", swiftSettings: settings),
        .executableTarget(
            name: "radar-app",
            dependencies: ["RadarContractApp"],
            path: "Tests/RadarContract/Command",
            swiftSettings: settings,
            linkerSettings: linking
        ),
        .testTarget(
            name: "RadarContractTests",
            dependencies: ["RadarContractApp"],
            path: "Tests/RadarContract/Tests",
            swiftSettings: settings
        ),
        // The two news apps, which share nothing with the hub.
        .target(name: "NewsContractApp", path: "Tests/NewsContract/App", swiftSettings: settings),
        .executableTarget(
            name: "news-app",
            dependencies: ["NewsContractApp"],
            path: "Tests/NewsContract/Command",
            swiftSettings: settings,
            linkerSettings: linking
        ),
        .testTarget(
            name: "NewsContractTests",
            dependencies: ["JSONText", "News", "NewsContractApp", "Timekeeping"],
            path: "Tests/NewsContract/Tests",
            swiftSettings: settings
        ),
        // The film app, which shares nothing with the hub.
        .target(
            name: "ActivityContractApp",
            path: "Tests/ActivityContract/App",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "activity-app",
            dependencies: ["ActivityContractApp"],
            path: "Tests/ActivityContract/Command",
            swiftSettings: settings,
            linkerSettings: linking
        ),
        .testTarget(
            name: "ActivityContractTests",
            dependencies: ["ActivityContractApp"],
            path: "Tests/ActivityContract/Tests",
            swiftSettings: settings
        ),
        // The client of outgoing requests against independent servers: Tests/Acceptance.
        .executableTarget(
            name: "upstream-check",
            dependencies: ["HTTPWire", "JSONText", "Reactor", "SeededRandom", "Upstream"],
            path: "Tests/UpstreamServers/Command",
            swiftSettings: settings,
            linkerSettings: linking
        ),
        // The hub itself in a simulated world: docs/SIMULATION.md.
        .target(
            name: "Simulation",
            dependencies: [
                "Access", "CLinux", "ClientWire", "Feeds", "HTTPService", "HTTPWire", "HubServer",
                "JSONText", "PubSub", "Reactor", "SeededRandom", "Shards", "Store", "Tasks",
                "Timekeeping", "Tokens", "WebSocketWire", "Webhooks", logging,
            ],
            path: "Tests/Simulation/World",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "simulate",
            dependencies: ["Simulation"],
            path: "Tests/Simulation/Simulate",
            swiftSettings: settings,
            linkerSettings: linking
        ),
        .testTarget(
            name: "SimulationTests",
            dependencies: ["HubServer", "PubSub", "Shards", "Simulation", "Store", "Timekeeping"],
            path: "Tests/Simulation/Tests",
            swiftSettings: settings
        ),
        .target(
            name: "FuzzKit",
            dependencies: ["SeededRandom"],
            path: "Fuzz/FuzzKit",
            swiftSettings: settings
        ),
        .target(
            name: "FuzzTargets",
            dependencies: fuzzed,
            path: "Fuzz/FuzzTargets",
            swiftSettings: settings
        ),
        .testTarget(
            name: "FuzzTests",
            dependencies: ["FuzzKit", "FuzzTargets"],
            path: "Tests/Fuzz",
            swiftSettings: settings
        ),
    ]
)

for module in modules + fuzzModules {
    package.targets.append(
        .target(
            name: module.name,
            dependencies: module.uses,
            path: "Sources/\(module.folder)",
            exclude: module.exclude,
            swiftSettings: settings
        )
    )
    if module.hasTests {
        package.targets.append(
            .testTarget(
                name: module.name + "Tests",
                dependencies: [.target(name: module.name), "Repository", "SeededRandom"]
                    + module.uses
                    + module.testUses,
                path: "Tests/\(module.name)",
                exclude: module.testExclude,
                swiftSettings: settings
            )
        )
    }
}

if isFuzzing {
    package.products.append(.executable(name: "varde-fuzz", targets: ["varde-fuzz"]))
    package.targets += [
        .systemLibrary(name: "CLibFuzzer", path: "Fuzz/CLibFuzzer"),
        .executableTarget(
            name: "varde-fuzz",
            dependencies: ["CLibFuzzer", "FuzzKit", "FuzzTargets"],
            path: "Fuzz/FuzzRunner",
            swiftSettings: settings,
            // gold, the default linker, fails on the fuzzer's sections.
            linkerSettings: [.unsafeFlags([fuzzSanitizers, "-use-ld=lld"])]
        ),
    ]
}

/// The pure modules (parsers, derivations, state machines, models) and some others in which the tests spend their
/// time.
let optimised =
    Set(
        modules.filter {
            $0.folder.contains(/^(Base|Wire|Core)\/|\/(Model|Feeds|Replay|Evaluation)$/)
        }.map(\.name)
    )
    .union(["AuroraApp", "ConformanceCases", "LayersTests", "SeededRandom", "Shards", "Simulation"])

/// Debug builds optimise them, too: their tests take a third of the time. Assertions, the checks of overflows and of
/// exclusive access remain. A debugger sees fewer of their variables: VARDE_UNOPTIMISED=1 leaves them as they are.
let isOptimising = Context.environment["VARDE_UNOPTIMISED"] == nil
for target in package.targets where isOptimising && optimised.contains(target.name) {
    target.swiftSettings =
        settings + [
            .unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug))
        ]
}

/// What runs once, at a start or for one command. A release build does not optimise it: that takes a third of the
/// time, and makes it smaller.
let runOnce: Set = ["CommandKit", "Configuration", "Replay", "varde"]
for target in package.targets where runOnce.contains(target.name) {
    target.swiftSettings =
        (target.swiftSettings ?? settings) + [
            .unsafeFlags(["-Onone"], .when(configuration: .release))
        ]
}

/// `make test FILTER=TARGET.…` sets it: everything that this test target does not use is left out of the
/// package. The remaining targets have the same commands as in a full build, so both share one scratch path.
if let name = Context.environment["VARDE_TESTS"] {
    var used: Set<String> = []
    var waiting = [name]
    while let next = waiting.popLast() {
        guard used.insert(next).inserted,
            let target = package.targets.first(where: { $0.name == next })
        else { continue }
        for dependency in target.dependencies {
            switch dependency {
            case .targetItem(let name, _), .byNameItem(let name, _): waiting.append(name)
            default: break
            }
        }
    }
    package.targets.removeAll { !used.contains($0.name) }
    package.products.removeAll { !used.contains($0.name) }
}
