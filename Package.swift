// swift-tools-version: 6.2
import PackageDescription

/// Settings of every Swift target: strict, and a warning is an error.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

let cSettings: [CSetting] = [.treatAllWarnings(as: .error)]

/// Dependencies that only servers need. A client that says `traits: []` doesn't even fetch them.
let host = TargetDependencyCondition.when(traits: ["Host"])
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio", condition: host)
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio", condition: host)
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio", condition: host)
let nioEmbedded = Target.Dependency.product(name: "NIOEmbedded", package: "swift-nio", condition: host)
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl", condition: host)
let nioHTTP2 = Target.Dependency.product(name: "NIOHTTP2", package: "swift-nio-http2", condition: host)
let nioHPACK = Target.Dependency.product(name: "NIOHPACK", package: "swift-nio-http2", condition: host)
let nioTLS = Target.Dependency.product(name: "NIOTLS", package: "swift-nio", condition: host)
let deque = Target.Dependency.product(name: "DequeModule", package: "swift-collections")
let heap = Target.Dependency.product(name: "HeapModule", package: "swift-collections")
let arguments = Target.Dependency.product(
    name: "ArgumentParser", package: "swift-argument-parser", condition: host)
let logging = Target.Dependency.product(
    name: "Logging", package: "swift-log", condition: .when(traits: ["Logging"]))
let inMemoryLogging = Target.Dependency.product(
    name: "InMemoryLogging", package: "swift-log", condition: .when(traits: ["Logging"]))
let metrics = Target.Dependency.product(
    name: "CoreMetrics", package: "swift-metrics", condition: .when(traits: ["Metrics"]))
let metricsTesting = Target.Dependency.product(
    name: "MetricsTestKit", package: "swift-metrics", condition: .when(traits: ["Metrics"]))
let tracing = Target.Dependency.product(
    name: "Tracing", package: "swift-distributed-tracing", condition: .when(traits: ["Tracing"]))
let inMemoryTracing = Target.Dependency.product(
    name: "InMemoryTracing", package: "swift-distributed-tracing", condition: .when(traits: ["Tracing"]))
let lifecycle = Target.Dependency.product(
    name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: .when(traits: ["Lifecycle"]))
let unixSignals = Target.Dependency.product(
    name: "UnixSignals", package: "swift-service-lifecycle", condition: .when(traits: ["Lifecycle"]))
let lifecycleTesting = Target.Dependency.product(
    name: "ServiceLifecycleTestKit", package: "swift-service-lifecycle",
    condition: .when(traits: ["Lifecycle"]))

let package = Package(
    name: "resthost",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "resthost", targets: ["resthost"]),
        .library(name: "RestEngine", targets: ["RestEngine"]),
        .library(name: "CurlTransport", targets: ["CurlTransport"]),
        .library(name: "RestFoundation", targets: ["RestFoundation"]),
        .library(name: "RestClient", targets: ["RestClient"]),
        .library(name: "SQLiteCache", targets: ["SQLiteCache"]),
        .library(name: "LuaRuntime", targets: ["LuaRuntime"]),
        .library(name: "RestScript", targets: ["RestScript"]),
        .library(name: "RestFixtures", targets: ["RestFixtures"]),
        .library(name: "RestTesting", targets: ["RestTesting"]),
        .library(name: "RestLogging", targets: ["RestLogging"]),
        .library(name: "RestMetrics", targets: ["RestMetrics"]),
        .library(name: "RestTracing", targets: ["RestTracing"]),
        .library(name: "RestLifecycle", targets: ["RestLifecycle"]),
    ],
    traits: [
        .trait(
            name: "Host",
            description: "The gateway, the fixture server and the program resthost, with what they need.",
            enabledTraits: ["Brotli", "Zstandard"]),
        .trait(name: "Brotli", description: "Bodies in the coding br, with libbrotli."),
        .trait(name: "Zstandard", description: "Bodies in the coding zstd, with libzstd."),
        .trait(name: "Logging", description: "RestLogging, with swift-log."),
        .trait(name: "Metrics", description: "RestMetrics, with swift-metrics."),
        .trait(name: "Tracing", description: "RestTracing, with swift-distributed-tracing."),
        .trait(name: "Lifecycle", description: "RestLifecycle, with swift-service-lifecycle."),
        .default(enabledTraits: ["Host", "Logging", "Metrics", "Tracing", "Lifecycle"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        // Layer 0: one small C or C++ target for each library, and the libraries themselves.
        .systemLibrary(
            name: "SystemLua", pkgConfig: "lua5.4", providers: [.apt(["liblua5.4-dev"]), .brew(["lua@5.4"])]),
        .systemLibrary(
            name: "SystemCurl", pkgConfig: "libcurl",
            providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]),
        .systemLibrary(
            name: "SystemPCRE2", pkgConfig: "libpcre2-8",
            providers: [.apt(["libpcre2-dev"]), .brew(["pcre2"])]),
        // libcurl is built on this library anyway, so no further one is loaded at start.
        .systemLibrary(
            name: "SystemCrypto", pkgConfig: "libcrypto",
            providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
        // The list of public suffixes, for cookies. libcurl is built on it anyway.
        .systemLibrary(
            name: "SystemPSL", pkgConfig: "libpsl", providers: [.apt(["libpsl-dev"]), .brew(["libpsl"])]),
        // GRDB isn't used, because it needs all of Foundation. That would make the static program 70 MB
        // instead of 22, and each start about 1 ms longer.
        .systemLibrary(
            name: "SystemSQLite", pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
        .systemLibrary(
            name: "SystemExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"]), .brew(["expat"])]),
        .systemLibrary(
            name: "SystemYAML", pkgConfig: "yaml-0.1",
            providers: [.apt(["libyaml-dev"]), .brew(["libyaml"])]),
        .target(name: "CLua", dependencies: ["SystemLua"], cSettings: cSettings),
        // libcurl also decodes codings, but doesn't report a stream that ends too early.
        .systemLibrary(
            name: "SystemZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
        .systemLibrary(
            name: "SystemBrotli", pkgConfig: "libbrotlidec",
            providers: [.apt(["libbrotli-dev"]), .brew(["brotli"])]),
        .systemLibrary(
            name: "SystemZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"]), .brew(["zstd"])]),
        .target(
            name: "CCoding",
            dependencies: [
                "SystemZlib",
                .target(name: "SystemBrotli", condition: .when(traits: ["Brotli"])),
                .target(name: "SystemZstd", condition: .when(traits: ["Zstandard"])),
            ],
            cSettings: cSettings + [
                .define("CCODING_HAS_BROTLI", .when(traits: ["Brotli"])),
                .define("CCODING_HAS_ZSTD", .when(traits: ["Zstandard"])),
            ]),
        // Separate from the decoders, so that a client doesn't load brotli's encoder.
        .target(
            name: "CEncoding", dependencies: ["SystemZlib", "SystemBrotli", "SystemZstd"],
            cSettings: cSettings,
            linkerSettings: [.linkedLibrary("brotlienc")]),
        .target(name: "CCurl", dependencies: ["SystemCurl"], cSettings: cSettings),
        // simdjson has no system library here, because its pkg-config file has flags that packages may not
        // have. parse.cpp reports it if it is missing.
        .target(
            name: "CJSON", cxxSettings: [.treatAllWarnings(as: .error)],
            linkerSettings: [.linkedLibrary("simdjson")]),
        // The part of CJSON that knows Lua, so that the engine alone doesn't. It needs CJSON but can't depend
        // on it: SwiftPM would make C++ import its headers as a module, which it builds for Swift only.
        .target(
            name: "CLuaJSON", dependencies: ["SystemLua"],
            cxxSettings: [
                .headerSearchPath("../CJSON"), .headerSearchPath("../CJSON/include"),
                .treatAllWarnings(as: .error),
            ]),
        .target(name: "CPlatform", cSettings: cSettings),
        // Its C file embeds the files of the page.
        .target(name: "CInspector", exclude: ["page"], cSettings: cSettings),
        // Its C file embeds the Lua modules that come with the program.
        .target(name: "CPlugins", exclude: ["modules"], cSettings: cSettings),
        // xxhash's functions are inlined from its header, so no library is linked.
        .target(name: "CHash", cSettings: cSettings),
        // Its hashes of passwords are those of crypt(5) too. On Linux this library belongs to the C library's
        // package of headers, and every system has it for logins.
        .target(
            name: "CCrypto", dependencies: ["SystemCrypto"], cSettings: cSettings,
            linkerSettings: [.linkedLibrary("crypt", .when(platforms: [.linux]))]),
        .target(name: "CRegex", dependencies: ["SystemPCRE2"], cSettings: cSettings),
        .target(name: "CXML", dependencies: ["SystemExpat"], cSettings: cSettings),
        .target(name: "CYAML", dependencies: ["SystemYAML"], cSettings: cSettings),

        // The C library and the system's functions, for all layers above.
        .target(
            name: "Platform", dependencies: ["CPlatform"], swiftSettings: settings + [.strictMemorySafety()]),

        // Leases, limits and invalidations over hosts, as values without sockets and clocks. It is a module
        // of its own, so that the simulator runs this code and nothing else.
        .target(name: "Coordination", swiftSettings: settings),

        // Layer 1: these modules don't import each other.
        .target(
            name: "RestEngine",
            dependencies: [
                "Platform", "Coordination", "CCrypto", "CHash", "CJSON", "CPlatform", "CRegex", "SystemPSL",
                deque,
            ],
            swiftSettings: settings),
        .target(
            name: "LuaRuntime", dependencies: ["Platform", "CLua", "CPlatform"], swiftSettings: settings),

        // Layer 2: these modules don't import each other.
        // For programs that use Foundation; the other modules don't use it.
        .target(name: "RestFoundation", dependencies: ["RestEngine"], swiftSettings: settings),
        .target(
            name: "CurlTransport", dependencies: ["Platform", "RestEngine", "CCurl", "CCoding"],
            swiftSettings: settings),
        .target(
            name: "SQLiteCache", dependencies: ["Platform", "RestEngine", "SystemSQLite"],
            swiftSettings: settings),
        .target(
            name: "Gateway",
            dependencies: [
                "Platform", "RestEngine", "CEncoding", "CInspector", "CPlatform", heap, nioCore, nioEmbedded,
                nioPosix,
                nioHTTP1, nioSSL, nioTLS, nioHTTP2, nioHPACK,
            ],
            swiftSettings: settings),
        // The client of Redis is our own: the hiredis of Debian 12 speaks neither RESP3 nor TLS. Only the
        // framing of replies and the upkeep of the connection are new; the rest is swift-nio's.
        .target(
            name: "SharedMemory",
            dependencies: [
                "Platform", "Coordination", "RestEngine", "CCoding", "CEncoding", deque, nioCore, nioPosix,
                nioSSL,
            ],
            swiftSettings: settings),
        // JSON's pointers, patches, paths and schemas. No Swift library without Foundation has them.
        .target(name: "JSONTools", dependencies: ["Platform", "RestEngine"], swiftSettings: settings),
        // Apart from the engine, so that its users need none of these libraries. Scripts have all of them.
        .target(
            name: "ContentFormats", dependencies: ["Platform", "RestEngine", "CXML", "CYAML"],
            swiftSettings: settings),
        .target(
            name: "RestScript",
            dependencies: [
                "Platform", "RestEngine", "LuaRuntime", "ContentFormats", "JSONTools", "CJSON", "CLuaJSON",
                "CPlugins",
            ],
            swiftSettings: settings),

        .target(
            name: "RestFixtures", dependencies: ["Platform", "RestEngine", nioCore, nioPosix, nioHTTP1],
            swiftSettings: settings),

        // Layer 3: commands and composition.
        // RestClient is a separate module, because its short names (Header, Query, Body) are for programs
        // that call an API. By default it sends through libcurl, which the engine doesn't know.
        .target(
            name: "RestClient", dependencies: ["RestEngine", "CurlTransport"], swiftSettings: settings),
        // For programs that use these packages. Each is behind a trait of its own, so that a client fetches
        // only those that it asks for.
        .target(name: "RestLogging", dependencies: ["RestEngine", logging], swiftSettings: settings),
        .target(name: "RestMetrics", dependencies: ["RestEngine", metrics], swiftSettings: settings),
        .target(name: "RestTracing", dependencies: ["RestEngine", tracing], swiftSettings: settings),
        .target(name: "RestLifecycle", dependencies: ["RestEngine", lifecycle], swiftSettings: settings),
        .target(name: "RestTesting", dependencies: ["RestEngine"], swiftSettings: settings),
        .executableTarget(
            name: "resthost",
            dependencies: [
                "Platform", "RestEngine", "LuaRuntime", "CurlTransport", "Gateway", "RestScript",
                "RestFixtures", "SQLiteCache", "SharedMemory", "CPlatform", arguments,
            ],
            swiftSettings: settings),
        // Only `make bench` runs it. No product that is built or installed contains it.
        .executableTarget(
            name: "resthost-bench",
            dependencies: [
                "Platform", "RestEngine", "CurlTransport", "RestScript", "SharedMemory", "CPlatform",
                arguments,
            ],
            swiftSettings: settings),
        // Only scripts/simulate runs it, as `make check` does.
        .executableTarget(
            name: "resthost-simulate", dependencies: ["Platform", "Coordination"], swiftSettings: settings),

        .target(
            name: "TestSupport", dependencies: ["Platform", "RestEngine", "CPlatform"],
            path: "Tests/TestSupport",
            swiftSettings: settings),
        .target(
            name: "CJSONTestHost", dependencies: ["CJSON", "CLuaJSON", "SystemLua"],
            path: "Tests/CJSONTestHost",
            cSettings: cSettings),
        .testTarget(
            name: "CJSONTests",
            dependencies: ["Platform", "CJSON", "CJSONTestHost", "RestEngine", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "RestEngineTests",
            dependencies: ["Platform", "Coordination", "RestEngine", "RestFoundation", "TestSupport"],
            swiftSettings: settings),
        .target(
            name: "CLuaTestHost", dependencies: ["SystemLua"], path: "Tests/CLuaTestHost",
            cSettings: cSettings),
        .testTarget(
            name: "LuaRuntimeTests", dependencies: ["Platform", "LuaRuntime", "CLuaTestHost", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "CurlTransportTests",
            dependencies: [
                "Platform", "CurlTransport", "CCurl", "RestEngine", "TestSupport", nioCore, nioPosix, nioSSL,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "RestClientTests", dependencies: ["RestClient", "TestSupport"], swiftSettings: settings),
        .testTarget(
            name: "AdapterTests",
            dependencies: [
                "RestLogging", "RestMetrics", "RestTracing", "RestLifecycle", "RestClient", "CurlTransport",
                "TestSupport", logging, inMemoryLogging, metrics, metricsTesting, tracing, inMemoryTracing,
                lifecycle, lifecycleTesting, unixSignals,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "RestTestingTests", dependencies: ["RestTesting", "RestClient", "TestSupport"],
            // Read by path, beside their test.
            exclude: ["Fixtures"],
            swiftSettings: settings),
        .testTarget(
            name: "SQLiteCacheTests",
            dependencies: ["Platform", "SQLiteCache", "RestEngine", "TestSupport", "SystemSQLite"],
            swiftSettings: settings),
        .testTarget(
            name: "CoordinationTests",
            dependencies: ["Coordination", "resthost-simulate", "TestSupport"], swiftSettings: settings),
        .testTarget(
            name: "SharedMemoryTests",
            dependencies: ["Platform", "Coordination", "SharedMemory", "RestEngine", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "JSONToolsTests", dependencies: ["Platform", "JSONTools", "RestEngine", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "ContentFormatsTests",
            dependencies: ["Platform", "ContentFormats", "RestEngine", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "RestScriptTests",
            dependencies: [
                "Platform", "Coordination", "RestScript", "RestEngine", "LuaRuntime", "TestSupport",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "GatewayTests",
            dependencies: [
                "Platform", "Gateway", "RestEngine", "CCoding", "TestSupport", nioCore, nioEmbedded, nioPosix,
                nioHTTP1, nioSSL, nioTLS, nioHTTP2, nioHPACK,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "RestFixturesTests",
            dependencies: ["Platform", "RestFixtures", "RestEngine", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "ResthostTests",
            dependencies: [
                "Platform", "resthost", "Gateway", "RestEngine", "RestFixtures", "RestTesting", "LuaRuntime",
                "CurlTransport", "CPlatform",
                "TestSupport", arguments,
            ],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6],
    cLanguageStandard: .c17,
    cxxLanguageStandard: .cxx20
)

// For `swift package generate-documentation`. No build needs the plugin.
if Context.environment["RESTHOST_DOCUMENTATION"] != nil {
    package.dependencies.append(
        .package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0"))
}
