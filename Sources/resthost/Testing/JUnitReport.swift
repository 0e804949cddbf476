import RestScript

/// JUnit's XML, as build servers read it, on standard output at the end of the run.
final class JUnitReport: TestReport {
    private struct Suite {
        var name: String
        var cases = ""
        var tests = 0
        var failures = 0
        var errors = 0
        var skipped = 0
        var seconds = 0.0
    }

    private let write: (String) -> Void
    private var suites: [Suite] = []

    init(write: @escaping (String) -> Void = { Streams.output($0) }) { self.write = write }

    func begin(_ file: String) { suites.append(Suite(name: file)) }

    func add(_ result: ScriptTestResult) {
        guard var suite = suites.popLast() else { return }
        suite.tests += 1
        suite.seconds += result.seconds
        var content = ""
        switch result.outcome {
        case .passed: break
        case .skipped(let reason):
            suite.skipped += 1
            content = "      <skipped message=\"\(XMLText.attribute(reason))\"/>\n"
        case .failed(let diagnostic):
            suite.failures += 1
            content = element("failure", diagnostic) + self.output(result.output)
        }
        suite.cases += testCase(
            result.name, in: suite.name, line: result.line, seconds: result.seconds, content)
        suites.append(suite)
    }

    func add(broken file: String, _ diagnostic: Diagnostic, output: [ScriptLogEntry]) {
        var suite = Suite(name: file)
        suite.tests = 1
        suite.errors = 1
        suite.cases = testCase(
            "the file is loaded", in: file, line: diagnostic.line, seconds: 0,
            element("error", diagnostic) + self.output(output))
        suites.append(suite)
    }

    func end(_ totals: TestTotals) {
        func counts(_ suites: [Suite], _ seconds: Double) -> String {
            func sum(_ path: KeyPath<Suite, Int>) -> Int { suites.reduce(0) { $0 + $1[keyPath: path] } }
            return "tests=\"\(sum(\.tests))\" failures=\"\(sum(\.failures))\" errors=\"\(sum(\.errors))\""
                + " skipped=\"\(sum(\.skipped))\" time=\"\(Seconds.text(seconds))\""
        }
        var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        text += "<testsuites name=\"resthost test\" \(counts(suites, totals.seconds))>\n"
        for suite in suites {
            text +=
                "  <testsuite name=\"\(XMLText.attribute(suite.name))\" \(counts([suite], suite.seconds))>\n"
            text += suite.cases + "  </testsuite>\n"
        }
        write(text + "</testsuites>\n")
    }

    private func testCase(
        _ name: String, in file: String, line: Int?, seconds: Double, _ content: String
    ) -> String {
        let place = "file=\"\(XMLText.attribute(file))\"" + (line.map { " line=\"\($0)\"" } ?? "")
        let head =
            "    <testcase name=\"\(XMLText.attribute(name))\" classname=\"\(XMLText.attribute(className(file)))\""
            + " \(place) time=\"\(Seconds.text(seconds))\""
        return content.isEmpty ? head + "/>\n" : head + ">\n" + content + "    </testcase>\n"
    }

    /// The path as a class name. Build servers show its parts, divided by dots, as packages.
    private func className(_ file: String) -> String {
        let name = file.hasSuffix(".lua") ? String(file.dropLast(4)) : file
        return name.replacing("/", with: ".")
    }

    private func element(_ name: String, _ diagnostic: Diagnostic) -> String {
        let first = diagnostic.message.split(separator: "\n").first.map(String.init) ?? ""
        let text = DiagnosticText(style: .plain).text(diagnostic)
        return "      <\(name) message=\"\(XMLText.attribute(first))\">\(XMLText.content(text))</\(name)>\n"
    }

    private func output(_ entries: [ScriptLogEntry]) -> String {
        guard !entries.isEmpty else { return "" }
        let text = entries.map { LogText(style: .plain).text($0) }.joined()
        return "      <system-out>\(XMLText.content(text))</system-out>\n"
    }
}

/// Text for XML 1.0. Characters that XML can't represent become U+FFFD.
enum XMLText {
    static func content(_ text: String) -> String { escaped(text, isAttribute: false) }

    /// Text for a value in double quotes. A line break is written as a reference, because it would be read as
    /// a space.
    static func attribute(_ text: String) -> String { escaped(text, isAttribute: true) }

    private static func escaped(_ text: String, isAttribute: Bool) -> String {
        var output = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": output.append(contentsOf: "&amp;".unicodeScalars)
            case "<": output.append(contentsOf: "&lt;".unicodeScalars)
            case ">": output.append(contentsOf: "&gt;".unicodeScalars)
            case "\"" where isAttribute: output.append(contentsOf: "&quot;".unicodeScalars)
            case "\n" where isAttribute, "\t" where isAttribute:
                output.append(contentsOf: "&#\(scalar.value);".unicodeScalars)
            // A plain one would be read as a line break.
            case "\r": output.append(contentsOf: "&#13;".unicodeScalars)
            default: output.append(isCharacter(scalar) ? scalar : "\u{FFFD}")
            }
        }
        return String(output)
    }

    /// The characters of XML 1.0, production 2.
    private static func isCharacter(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x9, 0xA, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
        default: false
        }
    }
}
