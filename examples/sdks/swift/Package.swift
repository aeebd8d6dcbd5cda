// swift-tools-version:6.0
import PackageDescription

// The SDK is checked out beside this file.
let package = Package(
    name: "check",
    platforms: [.macOS(.v10_15)],
    dependencies: [.package(path: "centrifuge-swift")],
    targets: [
        .executableTarget(
            name: "check",
            dependencies: [.product(name: "SwiftCentrifuge", package: "centrifuge-swift")],
            swiftSettings: [.swiftLanguageMode(.v5)]
        )
    ]
)
