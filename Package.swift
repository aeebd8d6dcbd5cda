// swift-tools-version: 6.2
import PackageDescription

/// A module under Sources/, and its tests in the folder of the same name under Tests/. The order below is the order of
/// the layers in docs/ARCHITECTURE.md.
struct Module {
    var name: String
    /// Under Sources/.
    var folder: String
    var uses: [Target.Dependency]
    /// What its tests use besides; nil if it has none of its own.
    var tests: [Target.Dependency]?
    /// Only the command line links it.
    var isOffline: Bool
    /// Files in its folder that are not compiled, and the same in the folder of its tests.
    var exclude: [String]
    var testExclude: [String]

    init(
        _ name: String,
        folder: String? = nil,
        uses: [Target.Dependency],
        tests: [Target.Dependency]? = [],
        isOffline: Bool = false,
        exclude: [String] = [],
        testExclude: [String] = []
    ) {
        self.name = name
        self.folder = folder ?? name
        self.uses = uses
        self.tests = tests
        self.isOffline = isOffline
        self.exclude = exclude
        self.testExclude = testExclude
    }

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

/// Parts of a hub, and hubs, for tests.
let hubTesting: [Target.Dependency] = [
    "ConfigurationTesting", "HubTesting", "ShardTesting", "StoreTesting", "TokenTesting",
]

/// What a domain's part of a hub may use of the hub.
let ofDomains: [Target.Dependency] = [
    "Base", "Configuration", "Core", "DomainKit", "Duties", "PubSub", "Service", "Shards", "Store",
    "Upstream", "Wire", logging,
]

let modules = [
    Module("Base", uses: ["COpenSSL", "COpenSSLSetup", heap], tests: ["ZoneTesting"]),
    Module("Wire", uses: ["Base", "CZlib"]),
    Module("PubSub", uses: ["Base", deque]),
    Module(
        "ClientWire",
        uses: ["Base", "PubSub", heap, protobuf],
        exclude: ["Centrifuge/Protobuf/centrifuge.proto"]
    ),
    Module(
        "Core",
        uses: ["Base", "COpenSSL", "PubSub", deque],
        tests: ["ZoneTesting"],
        testExclude: ["Tokens/Vectors"]
    ),
    Module(
        "Aurora",
        folder: "Domains/Aurora/Model",
        uses: ["Base", "Core", "PubSub"],
        tests: ["ZoneTesting"]
    ),
    Module(
        "Radar",
        folder: "Domains/Radar/Model",
        uses: ["Base", "Core", "PubSub", heap],
        tests: ["TitleTesting"]
    ),
    Module(
        "Activity",
        folder: "Domains/Activity/Model",
        uses: ["Base", "PubSub"],
        tests: ["Core", "TasteTesting"]
    ),
    Module(
        "News",
        folder: "Domains/News/Model",
        uses: ["Base", "Core", "PubSub"],
        tests: ["TitleTesting", "ZoneTesting"]
    ),
    Module(
        "NewsFeeds",
        folder: "Domains/News/Feeds",
        uses: ["Base", "CLibXML", "News"],
        testExclude: ["corpus"]
    ),
    Module("Replay", uses: ["Base", "Wire", yams], isOffline: true),
    Module(
        "Reactor",
        uses: ["Base", "CLinux", "COpenSSL", "COpenSSLSetup", heap],
        tests: ["TLSTesting"]
    ),
    Module(
        "Store",
        uses: ["Base", "CZlib", "PubSub", grdb, sqlite],
        tests: ["PostgresTesting", "StoreTesting"],
        testExclude: ["Fixtures"]
    ),
    Module(
        "Upstream",
        uses: ["Base", "CZlib", "Reactor", "Wire", heap],
        tests: ["CLinux", "COpenSSL", "TLSTesting"]
    ),
    Module(
        "Configuration",
        uses: ["Base", "Core", "PubSub", "Upstream", "Wire", yams],
        tests: ["ConfigurationTesting", "ZoneTesting"]
    ),
    Module(
        "Service",
        uses: [
            "Base", "ClientWire", "Configuration", "Core", "PubSub", "Reactor", "Store", "Upstream",
            "Wire", logging,
        ],
        tests: hubTesting + ["Shards"]
    ),
    Module(
        "Shards",
        uses: [
            "Base", "ClientWire", "Configuration", "Core", "PubSub", "Reactor", "Service", "Store",
            "Wire", deque, logging,
        ],
        tests: hubTesting
    ),
    Module(
        "Duties",
        uses: [
            "Base", "Configuration", "Core", "PubSub", "Reactor", "Service", "Store", "Upstream",
            "Wire", logging, yams,
        ],
        tests: hubTesting + ["Shards"]
    ),
    Module(
        "API",
        uses: [
            "Base", "CConsole", "CDocuments", "CZlib", "ClientWire", "Configuration", "Core",
            "Duties", "PubSub", "Service", "Shards", "Store", "Wire", logging,
        ],
        tests: hubTesting + ["Reactor"]
    ),
    Module(
        "DomainKit",
        uses: [
            "Base", "Configuration", "Core", "Duties", "PubSub", "Service", "Shards", "Store",
            "Upstream", logging,
        ],
        tests: nil
    ),
    Module(
        "AuroraApp",
        folder: "Domains/Aurora/App",
        uses: ["Aurora", "Reactor"] + ofDomains,
        tests: hubTesting + ["AuroraTools", "Replay"]
    ),
    Module(
        "RadarApp",
        folder: "Domains/Radar/App",
        uses: ["ClientWire", "Radar"] + ofDomains,
        tests: hubTesting
    ),
    Module(
        "ActivityApp",
        folder: "Domains/Activity/App",
        uses: ["Activity"] + ofDomains,
        tests: hubTesting,
        testExclude: ["Acceptance"]
    ),
    Module(
        "NewsApp",
        folder: "Domains/News/App",
        uses: ["News", "NewsFeeds", "Reactor"] + ofDomains,
        tests: hubTesting,
        testExclude: ["Acceptance"]
    ),
    Module(
        "CommandKit",
        uses: [
            "Base", "Configuration", "DomainKit", "Duties", "PubSub", "Replay", argumentParser,
        ],
        tests: nil,
        isOffline: true
    ),
    Module(
        "AuroraTools",
        folder: "Domains/Aurora/Tools",
        uses: [
            "Aurora", "AuroraApp", "Base", "CommandKit", "Configuration", "Core", "Duties",
            "PubSub", "Replay", "Wire", argumentParser,
        ]
    ),
    Module(
        "RadarTools",
        folder: "Domains/Radar/Tools",
        uses: ["Base", "CommandKit", "Radar", "RadarApp", argumentParser]
    ),
    Module(
        "ActivityTools",
        folder: "Domains/Activity/Tools",
        uses: [
            "Activity", "ActivityApp", "Base", "CommandKit", "DomainKit", "HubServer",
            argumentParser,
        ],
        tests: ["Service", "Store"]
    ),
    Module(
        "NewsTools",
        folder: "Domains/News/Tools",
        uses: ["Base", "CommandKit", "News", "NewsApp", "Replay", "Wire", argumentParser],
        tests: ["NewsFeeds"]
    ),
    Module(
        "AllDomains",
        uses: [
            "ActivityApp", "ActivityTools", "AuroraApp", "AuroraTools", "CommandKit", "DomainKit",
            "NewsTools", "RadarTools",
        ],
        tests: ["Configuration", "ConfigurationTesting", "RadarApp", yams]
    ),
]

/// The fuzz targets of the domains. They build without the heavy packages, and no program links them.
let fuzzModules = [
    fuzzModule("Aurora", uses: ["Aurora", "Base"]),
    fuzzModule("Radar", uses: ["Base", "Core", "Radar"]),
    fuzzModule("Activity", uses: ["Activity", "Base", "Core"]),
    fuzzModule("News", uses: ["News", "NewsFeeds"]),
]

func fuzzModule(_ domain: String, uses: [Target.Dependency]) -> Module {
    Module(
        domain + "Fuzz",
        folder: "Domains/\(domain)/Fuzz",
        uses: uses + ["FuzzKit"],
        tests: nil,
        exclude: ["Corpus", "Dictionaries"]
    )
}

/// The modules that read what strangers send, and that build without the heavy packages.
let fuzzed: [Target.Dependency] =
    [
        "Base", "CZlib", "ClientWire", "Core", "FuzzKit", "PubSub", "SeededRandom", "Upstream",
        "Wire",
    ]
    + fuzzModules.map { .target(name: $0.name) }

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

/// Several targets of tests are alike.
func helper(_ name: String, uses: [Target.Dependency] = [], exclude: [String] = []) -> Target {
    .target(
        name: name,
        dependencies: uses,
        path: "Tests/\(name)",
        exclude: exclude,
        swiftSettings: settings
    )
}

func library(_ name: String, uses: [Target.Dependency] = [], path: String) -> Target {
    .target(name: name, dependencies: uses, path: path, swiftSettings: settings)
}

func tests(
    _ name: String,
    uses: [Target.Dependency] = [],
    path: String,
    exclude: [String] = []
) -> Target {
    .testTarget(
        name: name,
        dependencies: uses,
        path: path,
        exclude: exclude,
        swiftSettings: settings
    )
}

func program(
    _ name: String,
    uses: [Target.Dependency],
    path: String? = nil,
    exclude: [String] = []
) -> Target {
    .executableTarget(
        name: name,
        dependencies: uses,
        path: path,
        exclude: exclude,
        swiftSettings: settings,
        linkerSettings: linking
    )
}

/// The app of a domain's contract, which shares nothing with the hub.
func contractApp(
    _ domain: String,
    command: String,
    tests others: [Target.Dependency] = []
) -> [Target] {
    let app = "\(domain)ContractApp"
    let folder = "Tests/\(domain)Contract"
    return [
        library(app, path: folder + "/App"),
        program(command, uses: [.target(name: app)], path: folder + "/Command"),
        tests(
            "\(domain)ContractTests",
            uses: [.target(name: app)] + others,
            path: folder + "/Tests"
        ),
    ]
}

/// A library of Debian's.
func system(_ name: String, pkgConfig: String, package: String) -> Target {
    .systemLibrary(
        name: name,
        path: "Sources/System/\(name)",
        pkgConfig: pkgConfig,
        providers: [.apt([package])]
    )
}

func shim(_ name: String, uses: [Target.Dependency] = [], exclude: [String] = []) -> Target {
    .target(
        name: name,
        dependencies: uses,
        path: "Sources/System/\(name)",
        exclude: exclude
    )
}

let all: [Target.Dependency] = modules.map { .target(name: $0.name) }
let ofHub: [Target.Dependency] = modules.filter(\.isOfHub).map { .target(name: $0.name) }

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
        system("COpenSSL", pkgConfig: "openssl", package: "libssl-dev"),
        system("CZlib", pkgConfig: "zlib", package: "zlib1g-dev"),
        system("CLibXML", pkgConfig: "libxml-2.0", package: "libxml2-dev"),
        // Linked into every program that uses COpenSSL, through Base or Reactor.
        shim("COpenSSLSetup", uses: ["COpenSSL"]),
        shim("CLinux"),
        shim("CNotices"),
        shim("CConsole"),
        shim("CDocuments", exclude: ["page.css", "page.html", "page.js"]),
        .target(
            name: "HubServer",
            dependencies: ofHub + ["CLinux", logging, yams],
            swiftSettings: settings,
            linkerSettings: linking
        ),
        program(
            "varde",
            uses: all + ["CLinux", "CNotices", "HubServer", argumentParser, logging]
        ),
        // The wire modules and the loop, and nothing of the server, with which it has to be able to disagree.
        program(
            "varde-load",
            uses: ["Base", "Reactor", "Wire", argumentParser, histogram, numerics],
            path: "loadtest",
            exclude: ["README.md", "bench", "floor"]
        ),
        tests(
            "LoadTestTests",
            uses: ["varde-load", "Base", "Reactor", "Wire"],
            path: "Tests/LoadTest"
        ),
        tests(
            "HubServerTests",
            uses: all + hubTesting + [
                "HubServer", "PostgresTesting", "Repository", "SeededRandom", logging,
            ],
            path: "Tests/HubServer"
        ),
        tests(
            "VardeTests",
            uses: all + [
                "HubServer", "PostgresTesting", "ShardTesting", "varde", argumentParser, logging,
            ],
            path: "Tests/varde"
        ),
        // A domain that is a folder of the tests, and a hub that has no other.
        tests(
            "DomainKitTests",
            uses: ofHub + hubTesting + ["HubServer", "Repository", logging],
            path: "Tests/DomainKit",
            exclude: ["Toys/openapi.json"]
        ),
        tests("LayersTests", path: "Tests/Layers"),
        library("ConformanceCases", uses: ["Wire"], path: "Tests/Conformance/Cases"),
        program(
            "conformance-client",
            uses: ["ConformanceCases", "Wire"],
            path: "Tests/Conformance/Client"
        ),
        tests(
            "ConformanceTests",
            uses: ["ConformanceCases", "Wire"],
            path: "Tests/Conformance/Tests"
        ),
        helper("SeededRandom"),
        helper("Repository"),
        .target(name: "CWorkCount", path: "Tests/CWorkCount"),
        helper("ConfigurationTesting", uses: ["Configuration"]),
        helper("TasteTesting", uses: ["Activity", "Base", "SeededRandom"]),
        // Labelled titles and topics, with the precision and recall of what is found in them.
        helper("TitleTesting", uses: ["Repository"]),
        // Zone files, and what another implementation makes of them.
        helper("ZoneTesting", uses: ["Base"], exclude: ["make_zones.py", "zones.json"]),
        helper("TokenTesting", uses: ["Base", "Core", "PubSub", "Repository"]),
        helper(
            "HubTesting",
            uses: ["Base", "Core", "PubSub", "Service", "Store", "StoreTesting", "Wire", logging]
        ),
        helper(
            "ShardTesting",
            uses: [
                "Base", "CLinux", "CWorkCount", "ClientWire", "Configuration",
                "ConfigurationTesting", "Core", "HubTesting", "PubSub", "Reactor", "Service",
                "Shards", "Store", "Wire", logging,
            ]
        ),
        // Stores of tests. It sees what is internal to the store, so it builds for tests only.
        helper("StoreTesting", uses: ["Base", "PubSub", "Store", grdb, sqlite]),
        helper("PostgresTesting", uses: ["Store"]),
        // Certificates for tests, of authorities that live as long as the test.
        helper("TLSTesting", uses: ["COpenSSL"]),
        // The client of outgoing requests against independent servers: Tests/Acceptance.
        program(
            "upstream-check",
            uses: ["Base", "Reactor", "SeededRandom", "Upstream", "Wire"],
            path: "Tests/UpstreamServers/Command"
        ),
        // The hub itself in a simulated world: docs/SIMULATION.md.
        library(
            "Simulation",
            uses: ofHub + ["CLinux", "HubServer", "SeededRandom", logging],
            path: "Tests/Simulation/World"
        ),
        program("simulate", uses: ["Simulation"], path: "Tests/Simulation/Simulate"),
        tests(
            "SimulationTests",
            uses: ["Base", "HubServer", "PubSub", "Shards", "Simulation", "Store"],
            path: "Tests/Simulation/Tests"
        ),
        library("FuzzKit", uses: ["SeededRandom"], path: "Fuzz/FuzzKit"),
        library("FuzzTargets", uses: fuzzed, path: "Fuzz/FuzzTargets"),
        tests("FuzzTests", uses: ["FuzzKit", "FuzzTargets"], path: "Tests/Fuzz"),
    ]
)

package.targets += contractApp("Radar", command: "radar-app")
package.targets += contractApp("News", command: "news-app", tests: ["Base", "News"])
package.targets += contractApp("Activity", command: "activity-app")

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
    guard let others = module.tests else { continue }
    package.targets.append(
        tests(
            module.name + "Tests",
            uses: [.target(name: module.name), "Repository", "SeededRandom"] + module.uses + others,
            path: "Tests/\(module.name)",
            exclude: module.testExclude
        )
    )
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
let optimised: Set = [
    "Activity", "Aurora", "AuroraApp", "AuroraTools", "Base", "ClientWire", "ConformanceCases",
    "Core",
    "LayersTests", "News", "NewsFeeds", "NewsTools", "PubSub", "Radar", "RadarTools",
    "SeededRandom", "Shards",
    "Simulation", "Wire",
]

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
