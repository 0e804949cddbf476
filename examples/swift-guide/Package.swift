// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "swift-guide",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "resthost", path: "../..", traits: [])],
    targets: [
        .executableTarget(
            name: "SwiftGuide",
            dependencies: [
                .product(name: "RestEngine", package: "resthost"),
                .product(name: "CurlTransport", package: "resthost"),
            ],
            swiftSettings: [.enableUpcomingFeature("NonisolatedNonsendingByDefault")])
    ],
    swiftLanguageModes: [.v6]
)
