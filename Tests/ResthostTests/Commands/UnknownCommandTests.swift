import Testing

@testable import resthost

struct UnknownCommandTests {
    @Test(arguments: [
        ("chek", "there is no command 'chek': did you mean 'check'?"),
        ("main.lua", "there is no command 'main.lua': did you mean 'resthost run main.lua'?"),
        ("xyzzy", "there is no command 'xyzzy'\n  the commands are: run, get, check, "),
    ])
    func `an unknown command is reported with the likely one`(word: String, text: String) async {
        let run = await BuiltProgram.run(word)
        #expect(run.code == 2 && run.output.isEmpty)
        #expect(run.errors.hasPrefix("resthost: " + text), "\(run.errors)")
    }

    @Test func `help of what is no command is wrong usage`() async {
        let run = await BuiltProgram.run("help", "reloda")
        #expect(run.code == 2 && run.output.isEmpty)
        #expect(run.errors.hasPrefix("resthost: there is no command 'reloda': did you mean 'reload'?"))
        let known = await BuiltProgram.run("help", "reload")
        #expect(known.code == 0 && known.output.contains("USAGE: resthost reload"))
    }

    @Test func `commands and options are no such words`() {
        for word in ["run", "help", "reference", "--version", "-h"] {
            #expect(UnknownCommand.message(for: [word]) == nil, "\(word)")
        }
        #expect(UnknownCommand.message(for: []) == nil)
    }
}
