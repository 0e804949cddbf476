import ArgumentParser
import RestEngine
import RestScript
import SQLiteCache

struct TestCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Run the tests of scripts, without a network.",
        discussion: """
            Runs the *_test.lua files that are named, and those below the folders that are named; without any, those \
            below the current folder. Each test has hosts, clocks and stubs of its own.

            It exits with 1 when a test failed or a file can't be loaded, and with 2 when no test was run.

            Examples:
              resthost test
              resthost test users_test.lua --filter "is mapped"
              resthost test --format junit > results.xml
              resthost test --coverage --coverage-output lcov.info
            """)

    @Argument(
        help: ArgumentHelp("Test files, and folders that have some.", valueName: "path"),
        completion: Completions.script)
    var paths: [String] = []

    @Option(help: ArgumentHelp("How results are written: pretty, tap or junit.", valueName: "format"))
    var format = TestFormat.pretty

    @Option(
        help: ArgumentHelp(
            "Run the tests whose name, with those of its groups, contains this text.", valueName: "text"))
    var filter: String?

    @Flag(help: "Count which lines of the scripts were reached.")
    var coverage = false

    @Option(
        name: .customLong("coverage-output"),
        help: ArgumentHelp("Write the counts to this file too, as lcov does.", valueName: "file"),
        completion: .file())
    var coverageOutput: String?

    @Option(
        help: ArgumentHelp(
            "Write the requests of the tests' hosts, and the replies of their stubs, to a HAR file.",
            valueName: "file"),
        completion: Completions.recording)
    var har: String?

    @OptionGroup var grants: ScriptGrants

    func run() throws {
        let settings = self
        let code = MainThread.wait { @EngineActor in await settings.runTests() }
        throw ExitCode(code)
    }

    @EngineActor
    private func runTests() async -> Int32 {
        let files: [String]
        do throws(TestFileSearch.SearchError) { files = try TestFileSearch.files(in: paths) } catch {
            Streams.error(Complaint.text(error.description))
            return 2
        }
        let traffic: Traffic
        do throws(Diagnostic) { traffic = try Traffic(har: har, log: LogText()) } catch {
            Streams.error(DiagnosticText().text(error))
            return 2
        }
        let session = TestSession(
            options: { (file) throws(Diagnostic) in
                var options = try options(for: file)
                options.onTestEngine = { traffic.listen(to: $0) }
                return options
            }, filter: filter, report: format.makeReport(),
            coversLines: coverage || coverageOutput != nil)
        await session.run(files)
        guard traffic.finish() else { return 2 }
        if coverage || coverageOutput != nil {
            guard writeCoverage(session.coverage) else { return 2 }
        }
        if session.totals.ran == 0, session.totals.broken == 0 {
            Streams.error(nothingRan(files, session.totals))
        }
        return session.exitCode
    }

    /// All hosts are allowed, because requests go to stubs. Files beside the tests may be read.
    private func options(for file: String) throws(Diagnostic) -> ScriptOptions {
        var options = try grants.values.options(for: file)
        options.makeSQLiteCache = { try SQLiteCache($0) }
        options.sharedMemory = SharedMemoryProvider.redis { _ in }.inMemory
        options.makeLocalServer = ScriptServer.make
        options.onHang = { entry in LogText().write(entry) }
        if case .declared = options.capabilities.hosts { options.capabilities.hosts = .all }
        let folder = ScriptFile.folder(of: file)
        switch options.capabilities.read {
        case .all: break
        case .below(let paths): options.capabilities.read = .below(paths + [folder])
        case .scriptFolder(let also): options.capabilities.read = .scriptFolder(also: also + [folder])
        }
        return options
    }

    private func nothingRan(_ files: [String], _ totals: TestTotals) -> String {
        let places = (paths.isEmpty ? ["."] : paths).joined(separator: ", ")
        if files.isEmpty { return "resthost: no test was run: there is no *_test.lua in \(places)\n" }
        if totals.skipped > 0 { return "resthost: no test was run: all are skipped\n" }
        if let filter, totals.filtered > 0 {
            return "resthost: no test was run: no name of \(totals.filtered) contains '\(filter)'\n"
        }
        return "resthost: no test was run: the files declare none\n"
    }

    /// Prints the table where it does not disturb a format for programs.
    private func writeCoverage(_ report: CoverageReport) -> Bool {
        let table = CoverageTable(report, style: format == .pretty ? .standardOutput : .standardError).text
        if format == .pretty { Streams.output(table) } else { Streams.error(table) }
        guard let coverageOutput else { return true }
        do throws(FileError) {
            try WholeFile.write(Array(LCOVText.text(report).utf8), to: coverageOutput)
            return true
        } catch {
            Streams.error(Complaint.text(error.description))
            return false
        }
    }
}

extension TestFormat: ExpressibleByArgument {}
