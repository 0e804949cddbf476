import Platform
import RestEngine
import RestScript

/// What `resthost init` puts into a new folder.
@EngineActor
enum StarterFiles {
    /// By path, in the order in which they are told of.
    static var all: [(path: String, text: String)] {
        [
            ("main.lua", script), ("main_test.lua", test), (".luarc.json", languageServer),
            (".editorconfig", editor), (".gitignore", ignored),
        ] + ScriptReference.types().map { (".resthost/types/\($0.path)", $0.text) }
    }

    private static let script = #"""
        -- How to request an API, written once; everybody else just asks. Try it:
        --
        --   resthost check main.lua                   what is wrong with this script
        --   resthost explain main.lua /users/octocat  which blocks apply, and what would be sent
        --   resthost get main.lua /users/octocat      one resource
        --   resthost test                             the tests in main_test.lua, without a network
        --   resthost repl main.lua                    try things out, line by line
        --   resthost run main.lua                     serve it: curl http://127.0.0.1:8080/github/users/octocat
        local rest = require "resthost"

        local github = rest.service {
          name = "github",
          base_url = "https://api.github.com",
        }

        -- A block configures the resources whose URL matches its pattern. Blocks run in order, and each sees what those
        -- before it did. "**" is everything below base_url and nothing else: the right place for credentials.
        github:configure("**", function(c)
          c.headers["Accept"] = "application/vnd.github+json"
          c.headers["User-Agent"] = "resthost"
          -- Variables of the environment are granted by name: resthost run main.lua --allow-env GITHUB_TOKEN
          -- c.headers["Authorization"] = "Bearer " .. rest.env.GITHUB_TOKEN
        end)

        -- Users change seldom: for five minutes their data is given without asking again.
        github:configure("/users/**", function(c) c.expiration_time = 300 end)

        -- What this returns is what everybody gets. A response is transformed once, however many ask for it.
        github:configure_transformer("/users/*", function(user)
          return { login = user.login, name = user.name, followers = user.followers }
        end)

        -- Serves the resources to this machine, below http://127.0.0.1:8080/github/.
        rest.gateway { listen = "127.0.0.1:8080" }

        """#

    private static let test = #"""
        -- What main.lua promises, checked with stubs in place of the server and a clock that stands still: resthost test
        local t = require "resthost.test"

        local host, user, stub

        t.before_each(function()
          host = t.load "main.lua"
          user = host.services.github:resource("/users/octocat")
          stub = host:stub("GET", "https://api.github.com/users/*", {
            json = { login = "octocat", name = "Mona", followers = 7, id = 583231 },
          })
        end)

        t.test("users are cut down to what is needed", function()
          t.equal(t.assert(user:get()), { login = "octocat", name = "Mona", followers = 7 })
        end)

        t.test("a user is asked for again after five minutes", function()
          t.assert(user:get())
          host:advance(299)
          t.assert(user:get())
          t.equal(#stub.requests, 1)
          host:advance(2)
          t.assert(user:get())
          t.equal(#stub.requests, 2)
        end)

        t.test("requests say what they accept", function()
          t.assert(user:get())
          t.equal(stub.requests[1].headers.accept, "application/vnd.github+json")
        end)

        """#

    private static let languageServer = """
        {
          "runtime.version": "Lua 5.4",
          "workspace.library": [".resthost/types"]
        }

        """

    private static let editor = """
        root = true

        [*]
        charset = utf-8
        end_of_line = lf
        insert_final_newline = true

        [*.lua]
        indent_style = space
        indent_size = 2

        """

    private static let ignored = """
        # Made again by: resthost types .resthost/types
        /.resthost/
        # Caches and secrets
        *.sqlite
        *.sqlite-*
        .env

        """
}

/// Files that a command makes, with the folders that they need.
enum NewFile {
    static func write(_ text: String, to path: String) throws(FileError) {
        try makeFolders(of: path)
        try WholeFile.replace(path, with: Array(text.utf8))
    }

    static func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    /// Makes the folders that a file is to lie in.
    static func makeFolders(of path: String) throws(FileError) {
        var end = path.startIndex
        while let slash = path[end...].firstIndex(of: "/") {
            end = path.index(after: slash)
            let folder = String(path[..<slash])
            guard !folder.isEmpty, mkdir(folder, 0o777) != 0 else { continue }
            let reason = errno
            // Whether it is one will show when something is written into it.
            guard reason == EEXIST || exists(folder) else {
                throw FileError(
                    path: folder, reason: String(cString: strerror(reason)), action: "make the folder")
            }
        }
    }
}
