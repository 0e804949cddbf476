// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "swift-tests",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "resthost", path: "../..", traits: [])],
    targets: [
        .target(name: "Shop", dependencies: [.product(name: "RestClient", package: "resthost")]),
        .testTarget(
            name: "ShopTests", dependencies: ["Shop", .product(name: "RestTesting", package: "resthost")],
            exclude: ["articles.json"]),
    ],
    swiftLanguageModes: [.v6]
)
