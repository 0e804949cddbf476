import ArgumentParser

struct CompletionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "completion",
        abstract: "Print a script that lets a shell complete commands, options and values.",
        discussion: """
            The Debian package and make install put these scripts in their places. Otherwise write yours to a file; new \
            shells then read it.

            For bash, with the package bash-completion, the file is ~/.local/share/bash-completion/completions/resthost.

            For zsh it is _resthost in a folder of $fpath, in which compinit finds it.

            For fish it is ~/.config/fish/completions/resthost.fish.

            The names of services are looked up when you press Tab. For get and explain they come from the script, which \
            is loaded as by check: nothing is sent. For invalidate and wipe they come from the running host.

            Examples:
              resthost completion bash > ~/.local/share/bash-completion/completions/resthost
              resthost completion zsh > "${fpath[1]}/_resthost"
              resthost completion fish > ~/.config/fish/completions/resthost.fish
              source <(resthost completion bash)
            """)

    enum Shell: String, CaseIterable, ExpressibleByArgument {
        case bash, zsh, fish

        var kind: CompletionShell {
            switch self {
            case .bash: .bash
            case .zsh: .zsh
            case .fish: .fish
            }
        }
    }

    @Argument(help: ArgumentHelp("The shell: bash, zsh or fish.", valueName: "shell"))
    var shell: Shell

    func run() {
        Streams.output(content: Array((Resthost.completionScript(for: shell.kind) + "\n").utf8))
    }
}
