// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "swift-server",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "resthost", path: "../..", traits: []),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    ],
    targets: [
        .executableTarget(
            name: "SwiftServer",
            dependencies: [
                .product(name: "RestClient", package: "resthost"),
                .product(name: "Hummingbird", package: "hummingbird"),
            ],
            swiftSettings: [.enableUpcomingFeature("NonisolatedNonsendingByDefault")])
    ],
    swiftLanguageModes: [.v6]
)
