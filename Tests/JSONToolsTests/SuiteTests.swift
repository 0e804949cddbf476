import Platform
import RestEngine
import TestSupport
import Testing

@testable import JSONTools

/// The official suites, in the folder that `RESTHOST_JSON_SUITES` names: their repositories under the names
/// that they have. docs/guides/json.md says which tests are left out.
@Suite(.enabled(if: Suites.folder != nil, "RESTHOST_JSON_SUITES names no folder with the official suites"))
struct SuiteTests {
    @Test func `JSONPath compliance suite`() throws {
        let suite = try Suites.tree("jsonpath-compliance-test-suite/cts.json")
        var count = SuiteCount()
        for test in suite["tests"]?.elements ?? Tree.null.elements {
            let selector = test["selector"]?.string ?? ""
            count.note(
                selector, test["invalid_selector"]?.bool == true ? isRefused(selector) : finds(test, selector)
            )
        }
        #expect(count == SuiteCount(passed: 703))
    }

    private func isRefused(_ selector: String) -> Bool { (try? JSONPath(selector)) == nil }

    private func finds(_ test: Tree, _ selector: String) -> Bool {
        guard let document = test["document"], let path = try? JSONPath(selector),
            let matches = try? path.matches(in: document, withPaths: true, work: WorkLimit(steps: 100_000))
        else { return false }
        let values = Tree(matches.map(\.value))
        let paths = Tree(matches.map { Tree($0.path) })
        let results = test["results"].map { Array($0.elements) } ?? [test["result"] ?? .null]
        let resultPaths = test["results_paths"].map { Array($0.elements) } ?? [test["result_paths"] ?? .null]
        return zip(results, resultPaths).contains { values.isSame(as: $0) && paths.isSame(as: $1) }
    }

    @Test(arguments: [("tests.json", 92), ("spec_tests.json", 16)])
    func `JSON patch suite`(file: String, passing: Int) throws {
        var count = SuiteCount()
        for test in try Suites.tree("json-patch-tests/\(file)").elements {
            guard let patch = test["patch"], let document = test["doc"], test["disabled"]?.bool != true else {
                continue
            }
            let result = try? JSONPatch(patch).apply(to: document)
            let expected = test["expected"]
            let isRight =
                test["error"] != nil
                ? result == nil : expected.map { result?.isSame(as: $0) ?? false } ?? (result != nil)
            count.note(test["comment"]?.string ?? "", isRight)
        }
        #expect(count == SuiteCount(passed: passing))
    }

    @Test(arguments: [
        // Drafts before 2020-12, and their `dependencies`, are left out of the second.
        ("", false, SuiteCount(passed: 1299)), ("optional", false, SuiteCount(passed: 147, failed: 15)),
        // Names in punycode, and lookbehind of variable length.
        ("optional/format", true, SuiteCount(passed: 686, failed: 78)),
    ]) func `JSON Schema suite`(folder: String, formats: Bool, expected: SuiteCount) throws {
        var options = JSONSchema.Options()
        options.checksFormats = formats
        options.documents = try Suites.files("JSON-Schema-Test-Suite/remotes").filter {
            !$0.hasPrefix("draft") && !$0.hasPrefix("v1") || $0.hasPrefix("draft2020-12")
                || $0.hasPrefix("draft2019-09")
        }.map { ("http://localhost:1234/" + $0, try Suites.tree("JSON-Schema-Test-Suite/remotes/" + $0)) }
        var count = SuiteCount()
        let path = "JSON-Schema-Test-Suite/tests/draft2020-12/" + folder
        for file in try Suites.files(path) where !file.contains("/") {
            for group in try Suites.tree("\(path)/\(file)").elements {
                let schema = group["schema"].flatMap { try? JSONSchema($0, options: options) }
                for test in group["tests"]?.elements ?? Tree.null.elements {
                    let mismatches = test["data"].flatMap { try? schema?.mismatches(of: $0) }
                    let name = "\(file): \(group["description"] ?? .null): \(test["description"] ?? .null)"
                    count.note(name, mismatches?.isEmpty == test["valid"]?.bool)
                }
            }
        }
        #expect(count == expected)
    }
}

/// How many tests of a suite passed.
struct SuiteCount: Equatable, Sendable {
    var passed = 0
    var failed = 0

    mutating func note(_ name: String, _ isRight: Bool) {
        if isRight { passed += 1 } else { failed += 1 }
    }
}

private enum Suites {
    static let folder = getenv("RESTHOST_JSON_SUITES").map { String(cString: $0) }

    static func tree(_ path: String) throws -> Tree {
        let file = try #require(fopen("\(folder ?? "")/\(path)", "r"), "no file \(path)")
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = fread(&buffer, 1, buffer.count, file)
            guard count > 0 else { return try Tree(json: bytes) }
            bytes += buffer[..<count]
        }
    }

    /// The JSON files below a folder, as paths from there.
    static func files(_ path: String) throws -> [String] {
        let folder = try #require(opendir("\(folder ?? "")/\(path)"), "no folder \(path)")
        defer { closedir(folder) }
        var found: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.hasSuffix(".json") { found.append(name) }
            if !name.contains(".") { found += try files("\(path)/\(name)").map { "\(name)/\($0)" } }
        }
        return found.sorted()
    }
}
