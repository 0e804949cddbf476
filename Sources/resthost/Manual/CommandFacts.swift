/// Facts of a command that ``CommandInfo`` doesn't have: exit codes, files and related pages.
struct CommandFacts: Sendable {
    typealias Exit = (code: Int, meaning: String)
    typealias File = (path: String, meaning: String)

    let exits: [Exit]
    var files: [File] = []
    /// Other commands by their names, and pages of the system with their sections.
    let related: [String]

    /// Nil for a command that has none, which a test finds.
    static func of(_ command: String) -> CommandFacts? { all[command] }

    private static let settings: File = (
        "resthost.toml", "Beside the script: permissions, limits, secrets, log, gateway and traces."
    )
    private static let socket: File = (
        "$XDG_RUNTIME_DIR/resthost/PID.sock",
        "The admin socket of a running host. Without XDG_RUNTIME_DIR it is /tmp/resthost-UID/PID.sock."
    )
    private static let usage: Exit = (2, "The command line is wrong.")
    private static let script: Exit = (2, "The command line, the script or resthost.toml is wrong.")

    /// Of commands that write files and replace none.
    private static let writing: [Exit] = [
        (0, "The files are written."),
        (2, "The command line is wrong, a file is there already, or a file cannot be written."),
    ]
    /// Of commands for a running host.
    private static func asking(_ done: String, _ refused: String) -> [Exit] {
        [
            (0, done), (1, "The host failed to do it."),
            (2, "The command line is wrong, several hosts are running and none is named, or \(refused)."),
            (3, "No running host was found."),
        ]
    }

    private static let all: [String: CommandFacts] = [
        "resthost": CommandFacts(
            exits: [
                (0, "Done."),
                (1, "A request or a test failed, or would fail, or output could not be written."),
                (2, "The command line or the script is wrong."), (3, "No running host was found."),
            ],
            files: [settings, socket], related: ["curl(1)", "systemd.service(5)"]),
        "run": CommandFacts(
            exits: [
                (0, "The host had no work left, or a signal ended it."),
                (
                    1,
                    "A job failed and no function waited for it, a timer's function failed, a file could not be "
                        + "written, or the host was stopped by force."
                ),
                (2, "The command line, the script or resthost.toml is wrong, or the gateway cannot listen."),
            ],
            files: [settings, socket],
            related: ["check", "install-service", "reload", "status", "systemd.service(5)"]),
        "plugins": CommandFacts(
            exits: [
                (0, "The list or the source is printed, or the copy written."),
                (2, "There is no such plugin, or the file of the copy is there already."),
            ],
            related: ["types", "check"]),
        "import": CommandFacts(
            exits: [
                (0, "The files are written."),
                (2, "The document can't be read, is wrong, or a file can't be written."),
            ],
            related: ["check", "plugins", "types"]),
        "login": CommandFacts(
            exits: [
                (0, "The tokens are kept."), (1, "The login failed."),
                (2, "The command line or the script is wrong, or no service needs a login."),
            ],
            related: ["plugins", "run"]),
        "hash": CommandFacts(
            exits: [(0, "The hash is printed."), (2, "The password can't be read, or has too many bytes.")],
            related: ["run"]),
        "get": CommandFacts(
            exits: [
                (0, "The response is a success."), (1, "The request failed, or a file could not be written."),
                script,
            ],
            files: [settings], related: ["explain", "run", "curl(1)"]),
        "check": CommandFacts(
            exits: [
                (0, "The script has no errors."),
                (2, "The script has an error, or with --strict a warning; or the command line is wrong."),
            ],
            files: [settings], related: ["explain", "test"]),
        "explain": CommandFacts(
            exits: [
                (0, "The request could be sent."), (1, "The request would fail before it is sent."), script,
            ],
            files: [settings], related: ["check", "get", "routes"]),
        "routes": CommandFacts(
            exits: [(0, "The paths were printed."), script], files: [settings], related: ["check", "run"]),
        "repl": CommandFacts(
            exits: [(0, "The input ended."), (1, "A file could not be written."), script],
            files: [
                settings,
                (
                    "$XDG_STATE_HOME/resthost/history",
                    "The history of lines. Without XDG_STATE_HOME it is ~/.local/state/resthost/history."
                ),
            ],
            related: ["explain", "get"]),
        "test": CommandFacts(
            exits: [
                (0, "All tests passed."), (1, "A test failed, or a test file cannot be loaded."),
                (2, "No test was run, a file could not be written, or the command line is wrong."),
            ],
            files: [("*_test.lua", "Files with tests."), settings], related: ["check", "init"]),
        "init": CommandFacts(
            exits: writing,
            files: [
                ("main.lua, main_test.lua", "The script and its tests."),
                ("resthost.toml", "Settings of the script, if it needs any."),
                (".luarc.json, .resthost/types/", "Definitions for editors with LuaLS."),
            ],
            related: ["check", "test", "types"]),
        "install-service": CommandFacts(
            exits: writing,
            files: [
                ("/etc/systemd/system/NAME.service, NAME.socket", "The files of the system's services."),
                ("~/.config/systemd/user/NAME.service, NAME.socket", "The same for a user, with --user."),
            ],
            related: ["run", "systemctl(1)", "systemd.service(5)", "systemd.socket(5)"]),
        "types": CommandFacts(
            exits: [
                (0, "The files are written, or printed."),
                (2, "The command line is wrong, or a file cannot be written."),
            ],
            files: [(".luarc.json", "The settings of LuaLS, which name the folder.")], related: ["init"]),
        "fixtures": CommandFacts(
            exits: [
                (0, "A signal ended the server."),
                (2, "The command line is wrong, the folder is not there, or the server cannot listen."),
            ],
            files: [("DIR/.protected", "Patterns of paths that need a token, one in each line.")],
            related: ["run", "test"]),
        "cookies": CommandFacts(
            exits: [
                (0, "The cookies are listed or wiped."),
                (1, "There was nothing to wipe, or it could not be wiped."),
                (2, "The file cannot be read, or the command line is wrong."),
            ],
            related: ["run"]),
        "status": CommandFacts(
            exits: asking("The status is printed.", "the host refused it"), files: [socket],
            related: ["reload", "run"]),
        "reload": CommandFacts(
            exits: asking("The script is loaded.", "the script is wrong and the former version goes on"),
            files: [socket], related: ["check", "run", "status"]),
        "invalidate": CommandFacts(
            exits: asking("The blocks run again when they are next needed.", "there is no such service"),
            files: [socket], related: ["reload", "status", "wipe"]),
        "wipe": CommandFacts(
            exits: asking("The resources are wiped.", "there is no such service"), files: [socket],
            related: ["invalidate", "status"]),
        "completion": CommandFacts(
            exits: [(0, "The script is printed."), usage],
            files: [
                ("~/.local/share/bash-completion/completions/resthost", "The place for bash."),
                ("_resthost", "The name for zsh, in a folder of $fpath."),
                ("~/.config/fish/completions/resthost.fish", "The place for fish."),
            ],
            related: ["bash(1)", "zshcompsys(1)", "fish(1)"]),
    ]
}
