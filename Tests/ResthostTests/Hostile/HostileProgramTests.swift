import Platform
import TestSupport
import Testing

#if os(Linux)
    /// Runs the hostile scripts against the program: it survives, reports errors, keeps answering, and frees
    /// its memory.
    struct HostileProgramTests {
        /// CPU seconds of one run: twice its budget, and a collection of all that it holds, which can't be
        /// interrupted.
        private static let longest = 2 * HostileProgram.budget + 0.02

        private func expected(_ script: HostileScript) -> [String] {
            script.kinds.map { kind in
                switch kind {
                case "budget": "of CPU time"
                case "memory": "not enough memory"
                case "wait": "cannot wait here"
                default: script.message
                }
            }
        }

        @Test(.wholeRunOnly)
        func `wherever a hostile script runs, it ends in time, and the host goes on`() async throws {
            let program = try await HostileProgram(HostileScript.all)
            let usage = try #require(ProcessUsage(of: program.child.id))
            let luaBefore = try await program.relieve(times: 1)
            let memoryBefore = usage.residentBytes
            let health = HealthWatch(port: program.port)
            for place in HostileProgram.Place.allCases {
                // Scripts with `rest` wait, or raise an error with advice where waiting is impossible.
                let mayWait = place == .hook || place == .job
                for script in HostileScript.all where mayWait || !script.needsRest {
                    var (answer, log, used) = ("", "", Double.infinity)
                    // Interruptions by the machine count as the thread's time. No script has bad luck three
                    // times. An error that loops when it is read does so in the time of all blocks (L260).
                    let longest = place == .block ? 5 * HostileProgram.budget + 0.02 : Self.longest
                    for attempt in 1...3 where used > longest {
                        let before = usage.engineSeconds
                        (answer, log) = try await program.run(script, in: place, attempt: attempt)
                        used = usage.engineSeconds - before
                    }
                    let notified = mayWait ? log : answer
                    #expect(
                        answer.hasPrefix(mayWait ? "HTTP/1.1 200 " : "HTTP/1.1 500 "),
                        "\(script) in \(place): \(answer)")
                    #expect(
                        expected(script).contains { notified.contains($0) },
                        "\(script) in \(place): \(notified.prefix(1000))")
                    #expect(notified.utf8.count < 20_000, "\(script) in \(place)")
                    #expect(used <= longest, "\(script) in \(place): \(used) seconds")
                }
            }
            let findings = await health.end()
            #expect(findings.wrong.isEmpty && findings.answers > 100)
            let luaAfter = try await program.relieve(times: 2)
            #expect(luaAfter - luaBefore < 256 << 10, "\(luaBefore), then \(luaAfter)")
            // The allocator's reserve, and the last 200 lines of the log, some of which have 20 kB (L124).
            #expect(
                usage.residentBytes - memoryBefore < 28 << 20, "\(memoryBefore), then \(usage.residentBytes)")
            program.child.signal(SIGTERM)
            let run = await program.child.end()
            #expect(run.code == 0)
            #expect(!run.errors.contains("has not come back"))
        }

        @Test func `health is answered while a hook takes all of its time`() async throws {
            let loop = try #require(HostileScript.all.first { $0.name == "loop" })
            let program = try await HostileProgram([loop], options: ["--limit", "hook=0.5"])
            let health = HealthWatch(port: program.port)
            var log = ""
            for attempt in 1...4 { log = try await program.run(loop, in: .hook, attempt: attempt).log }
            let findings = await health.end()
            #expect(log.contains(/hook used \d{3} ms/), "\(log)")
            #expect(findings.wrong.isEmpty)
            // Only while a hook runs.
            #expect(findings.degraded > 0, "of \(findings.answers)")
            program.child.signal(SIGTERM)
            #expect(await program.child.end().code == 0)
        }

        /// One for each way to end. Tests without the program cover the others.
        @Test(arguments: [
            "loop", "rep_bomb", "recursion", "exit", "wait_in_sort", "many_labels", "raising_error_object",
        ])
        func `a hostile script does not load`(name: String) async throws {
            let script = try #require(HostileScript.all.first { $0.name == name })
            let folder = ScriptFolder("local wait = function() rest.sleep(0) end\n" + script.source)
            let run = await folder.run(
                "run", "main.lua", "--listen", "127.0.0.1:0", "--limit", "load=0.1", "--memory", "48M")
            #expect(run.code == 2 && run.output.isEmpty)
            #expect(run.errors.hasPrefix("main.lua:"), "\(run.errors)")
            #expect(expected(script).contains { run.errors.contains($0) }, "\(run.errors)")
            #expect(run.errors.utf8.count < 20_000)
        }
    }
#endif
