// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "swift-speed",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "resthost", path: "../..", traits: []),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    ],
    targets: [
        .executableTarget(
            name: "SwiftSpeed",
            dependencies: [
                .product(name: "RestClient", package: "resthost"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOFoundationCompat", package: "swift-nio"),
            ],
            swiftSettings: [.enableUpcomingFeature("NonisolatedNonsendingByDefault")])
    ],
    swiftLanguageModes: [.v6]
)
