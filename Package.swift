// swift-tools-version: 6.2
import PackageDescription

/// A module, and its tests in the folder of the same name under Tests/. The order below is the order of the layers in
/// docs/ARCHITECTURE.md.
struct Module {
    var name: String
    /// The names of `dependencies(_:)`.
    var uses: String
    /// What its tests use besides; nil if it has none of its own.
    var tests: String? = ""
    /// Only the command line links it.
    var isOffline = false
    /// Files in its folder that are not compiled, and the same in the folder of its tests.
    var exclude: [String] = []
    var testExclude: [String] = []

    /// Under Sources/. `Aurora` is Domains/Aurora/Model, and `AuroraApp` is Domains/Aurora/App.
    var folder: String {
        guard let domain = domains.first(where: name.hasPrefix) else { return name }
        return
            "Domains/\(domain)/\(name == domain ? "Model" : String(name.dropFirst(domain.count)))"
    }

    /// What a hub without domains is made of.
    var isOfHub: Bool { !isOffline && !folder.contains("Domains") }
}

let domains = ["Aurora", "Radar", "Activity", "News"]

/// The products of other packages, by the names of lists.
let products: [String: Target.Dependency] = [
    "argumentParser": .product(name: "ArgumentParser", package: "swift-argument-parser"),
    "deque": .product(name: "DequeModule", package: "swift-collections"),
    "grdb": .product(name: "GRDB", package: "GRDB.swift"),
    "heap": .product(name: "HeapModule", package: "swift-collections"),
    "histogram": .product(name: "Histogram", package: "hdrhistogram-swift"),
    "logging": .product(name: "Logging", package: "swift-log"),
    // Of the histogram; named, so that its version is pinned, too.
    "numerics": .product(name: "Numerics", package: "swift-numerics"),
    "protobuf": .product(name: "SwiftProtobuf", package: "swift-protobuf"),
    "sqlite": .product(name: "GRDBSQLite", package: "GRDB.swift"),
    "yams": .product(name: "Yams", package: "Yams"),
]

/// Targets of this package and products of others, from their names with spaces between them.
func dependencies(_ names: String) -> [Target.Dependency] {
    names.split(separator: " ").map { products[String($0)] ?? .byName(name: String($0)) }
}

/// Parts of a hub, and hubs, for tests.
let hubTesting = "ConfigurationTesting HubTesting LoopTesting StoreTesting TokenTesting"

let modules = [
    Module(name: "Base", uses: "COpenSSL COpenSSLSetup heap", tests: "ZoneTesting"),
    Module(name: "Wire", uses: "Base CZlib"),
    Module(name: "Topics", uses: "Base deque"),
    Module(
        name: "ClientWire",
        uses: "Base Topics heap protobuf",
        exclude: ["Centrifuge/Protobuf/centrifuge.proto"]
    ),
    Module(
        name: "Core",
        uses: "Base COpenSSL Topics deque",
        tests: "ZoneTesting",
        testExclude: ["Tokens/Vectors"]
    ),
    Module(name: "Aurora", uses: "Base Core Topics", tests: "ZoneTesting"),
    Module(name: "Radar", uses: "Base Core Topics heap", tests: "TitleTesting"),
    Module(name: "Activity", uses: "Base Topics", tests: "Core TasteTesting"),
    Module(name: "News", uses: "Base CTables Core Topics", tests: "TitleTesting ZoneTesting"),
    Module(name: "NewsFeeds", uses: "Base CLibXML News", testExclude: ["corpus"]),
    Module(name: "Replay", uses: "Base Wire yams", isOffline: true),
    Module(name: "Reactor", uses: "Base CLinux COpenSSL COpenSSLSetup heap", tests: "TLSTesting"),
    Module(
        name: "Store",
        uses: "Base CZlib Topics grdb sqlite",
        tests: "PostgresTesting StoreTesting",
        testExclude: ["Fixtures"]
    ),
    Module(
        name: "Upstream",
        uses: "Base CZlib Reactor Wire heap",
        tests: "CLinux COpenSSL TLSTesting"
    ),
    Module(
        name: "Configuration",
        uses: "Base Core Topics Upstream Wire yams",
        tests: "ConfigurationTesting ZoneTesting"
    ),
    Module(
        name: "Service",
        uses: "Base ClientWire Configuration Core Reactor Store Topics Upstream Wire logging",
        tests: hubTesting + " Loops"
    ),
    Module(
        name: "Loops",
        uses: "Base ClientWire Configuration Core Reactor Service Store Topics Wire deque logging",
        tests: hubTesting
    ),
    Module(
        name: "Duties",
        uses: "Base Configuration Core Reactor Service Store Topics Upstream Wire logging yams",
        tests: hubTesting + " Loops"
    ),
    Module(
        name: "API",
        uses: "Base CConsole CDocuments CZlib ClientWire Configuration Core Duties Service Topics "
            + "Loops Store Wire logging",
        tests: hubTesting + " Reactor"
    ),
    Module(
        name: "DomainKit",
        uses: "ClientWire Configuration Duties Loops Reactor Service Upstream logging",
        tests: nil
    ),
    Module(
        name: "AuroraApp",
        uses: "Aurora DomainKit",
        tests: hubTesting + " AuroraTools Replay"
    ),
    Module(name: "RadarApp", uses: "DomainKit Radar", tests: hubTesting),
    Module(
        name: "ActivityApp",
        uses: "Activity DomainKit",
        tests: hubTesting,
        testExclude: ["Acceptance"]
    ),
    Module(
        name: "NewsApp",
        uses: "DomainKit News NewsFeeds",
        tests: hubTesting,
        testExclude: ["Acceptance"]
    ),
    Module(
        name: "CommandKit",
        uses: "Base Configuration DomainKit Duties Replay Topics argumentParser",
        tests: nil,
        isOffline: true
    ),
    Module(
        name: "AuroraTools",
        uses: "Aurora AuroraApp Base CommandKit Configuration Core Duties Replay Topics Wire "
            + "argumentParser"
    ),
    Module(name: "RadarTools", uses: "Base CommandKit Radar RadarApp argumentParser"),
    Module(
        name: "ActivityTools",
        uses: "Activity ActivityApp Base CommandKit DomainKit Hub argumentParser",
        tests: "Service Store"
    ),
    Module(
        name: "NewsTools",
        uses: "Base CommandKit News NewsApp Replay Wire argumentParser",
        tests: "NewsFeeds"
    ),
    Module(
        name: "AllDomains",
        uses: "ActivityApp ActivityTools AuroraApp AuroraTools CommandKit DomainKit NewsTools "
            + "RadarTools",
        tests: "Configuration ConfigurationTesting RadarApp yams"
    ),
]

/// The fuzz targets of the domains. They build without the heavy packages, and no program links them.
let fuzzModules = [
    ("AuroraFuzz", "Aurora Base FuzzKit"), ("RadarFuzz", "Base Core Radar FuzzKit"),
    ("ActivityFuzz", "Activity Base Core FuzzKit"), ("NewsFuzz", "News NewsFeeds FuzzKit"),
].map { name, uses in
    Module(name: name, uses: uses, tests: nil, exclude: ["Corpus", "Dictionaries"])
}

func names(_ modules: [Module]) -> String { modules.map(\.name).joined(separator: " ") }

/// The modules that read what strangers send, and that build without the heavy packages.
let fuzzed =
    "Base CZlib ClientWire Core FuzzKit Topics SeededRandom Upstream Wire " + names(fuzzModules)

let all = names(modules)
let ofHub = names(modules.filter(\.isOfHub))

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

func target(
    _ name: String,
    uses: String = "",
    path: String,
    exclude: [String] = [],
    links: Bool = false
) -> Target {
    .target(
        name: name,
        dependencies: dependencies(uses),
        path: path,
        exclude: exclude,
        swiftSettings: settings,
        linkerSettings: links ? linking : nil
    )
}

/// What tests share.
func helper(_ name: String, uses: String = "", exclude: [String] = []) -> Target {
    target(name, uses: uses, path: "Tests/\(name)", exclude: exclude)
}

func tests(_ name: String, uses: String = "", path: String, exclude: [String] = []) -> Target {
    .testTarget(
        name: name,
        dependencies: dependencies(uses),
        path: path,
        exclude: exclude,
        swiftSettings: settings
    )
}

func program(_ name: String, uses: String, path: String? = nil, exclude: [String] = []) -> Target {
    .executableTarget(
        name: name,
        dependencies: dependencies(uses),
        path: path,
        exclude: exclude,
        swiftSettings: settings,
        linkerSettings: linking
    )
}

/// The app of a domain's contract, which shares nothing with the hub.
func contractApp(_ domain: String, command: String, tests others: String = "") -> [Target] {
    let app = "\(domain)ContractApp"
    let folder = "Tests/\(domain)Contract"
    return [
        target(app, path: folder + "/App"),
        program(command, uses: app, path: folder + "/Command"),
        tests("\(domain)ContractTests", uses: "\(app) \(others)", path: folder + "/Tests"),
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

func shim(_ name: String, uses: String = "", exclude: [String] = []) -> Target {
    .target(
        name: name,
        dependencies: dependencies(uses),
        path: "Sources/System/\(name)",
        exclude: exclude
    )
}

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
        shim("COpenSSLSetup", uses: "COpenSSL"),
        shim("CLinux"),
        shim(
            "CTables",
            exclude: ["companies.txt", "company-aliases.txt", "company-namesakes.txt"]
        ),
        shim("CNotices"),
        shim("CConsole"),
        shim("CDocuments", exclude: ["page.css", "page.html", "page.js"]),
        target(
            "Hub",
            uses: ofHub + " CLinux logging yams",
            path: "Sources/Hub",
            links: true
        ),
        program("varde", uses: all + " CLinux CNotices Hub argumentParser logging"),
        // The wire modules and the loop, and nothing of the server, with which it has to be able to disagree.
        program(
            "varde-load",
            uses: "Base Reactor Wire argumentParser histogram numerics",
            path: "loadtest",
            exclude: ["README.md", "bench", "floor"]
        ),
        tests("LoadTestTests", uses: "varde-load Base Reactor Wire", path: "Tests/LoadTest"),
        tests(
            "HubTests",
            uses: "\(all) \(hubTesting) Hub PostgresTesting Repository SeededRandom logging",
            path: "Tests/Hub"
        ),
        tests(
            "VardeTests",
            uses: all + " Hub PostgresTesting LoopTesting varde argumentParser logging",
            path: "Tests/varde"
        ),
        // A domain that is a folder of the tests, and a hub that has no other.
        tests(
            "DomainKitTests",
            uses: "\(ofHub) \(hubTesting) Hub Repository logging",
            path: "Tests/DomainKit",
            exclude: ["Toys/openapi.json"]
        ),
        tests("LayersTests", path: "Tests/Layers"),
        target("ConformanceCases", uses: "Wire", path: "Tests/Conformance/Cases"),
        program(
            "conformance-client",
            uses: "ConformanceCases Wire",
            path: "Tests/Conformance/Client"
        ),
        tests("ConformanceTests", uses: "ConformanceCases Wire", path: "Tests/Conformance/Tests"),
        helper("SeededRandom"),
        helper("Repository"),
        .target(name: "CWorkCount", path: "Tests/CWorkCount"),
        helper("ConfigurationTesting", uses: "Configuration"),
        helper("TasteTesting", uses: "Activity Base SeededRandom"),
        // Labelled titles and topics, with the precision and recall of what is found in them.
        helper("TitleTesting", uses: "Repository"),
        // Zone files, and what another implementation makes of them.
        helper("ZoneTesting", uses: "Base", exclude: ["make_zones.py", "zones.json"]),
        helper("TokenTesting", uses: "Base Core Repository Topics"),
        helper("HubTesting", uses: "Base Core Service Store StoreTesting Topics Wire logging"),
        helper(
            "LoopTesting",
            uses: "Base CLinux CWorkCount ClientWire Configuration ConfigurationTesting Core "
                + "HubTesting Topics Reactor Service Loops Store Wire logging"
        ),
        // Stores of tests. It sees what is internal to the store, so it builds for tests only.
        helper("StoreTesting", uses: "Base Store Topics grdb sqlite"),
        helper("PostgresTesting", uses: "Store"),
        // Certificates for tests, of authorities that live as long as the test.
        helper("TLSTesting", uses: "COpenSSL"),
        // The client of outgoing requests against independent servers: Tests/Acceptance.
        program(
            "upstream-check",
            uses: "Base Reactor SeededRandom Upstream Wire",
            path: "Tests/UpstreamServers/Command"
        ),
        // The hub itself in a simulated world: docs/SIMULATION.md.
        target(
            "Simulation",
            uses: ofHub + " CLinux Hub SeededRandom logging",
            path: "Tests/Simulation/World"
        ),
        program("simulate", uses: "Simulation", path: "Tests/Simulation/Simulate"),
        tests(
            "SimulationTests",
            uses: "Base Hub Loops Simulation Store Topics",
            path: "Tests/Simulation/Tests"
        ),
        target("FuzzKit", uses: "SeededRandom", path: "Fuzz/FuzzKit"),
        target("FuzzTargets", uses: fuzzed, path: "Fuzz/FuzzTargets"),
        tests("FuzzTests", uses: "FuzzKit FuzzTargets", path: "Tests/Fuzz"),
    ]
)

package.targets += contractApp("Radar", command: "radar-app")
package.targets += contractApp("News", command: "news-app", tests: "Base News")
package.targets += contractApp("Activity", command: "activity-app")

for module in modules + fuzzModules {
    package.targets.append(
        target(
            module.name,
            uses: module.uses,
            path: "Sources/\(module.folder)",
            exclude: module.exclude
        )
    )
    guard let others = module.tests else { continue }
    package.targets.append(
        tests(
            module.name + "Tests",
            uses: "\(module.name) Repository SeededRandom \(module.uses) \(others)",
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
let optimised = """
    Activity Aurora AuroraApp AuroraTools Base ClientWire ConformanceCases Core LayersTests Loops News NewsFeeds \
    NewsTools Radar RadarTools SeededRandom Simulation Topics Wire
    """.split(separator: " ").map(String.init)

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
