// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "swift-calls",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "resthost", path: "../..", traits: [])],
    targets: [
        .executableTarget(
            name: "SwiftCalls", dependencies: [.product(name: "RestClient", package: "resthost")],
            swiftSettings: [.enableUpcomingFeature("NonisolatedNonsendingByDefault")])
    ],
    swiftLanguageModes: [.v6]
)
