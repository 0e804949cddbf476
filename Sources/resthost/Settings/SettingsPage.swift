import Platform
import RestScript

/// The page of the reference about `resthost.toml`.
enum SettingsPage {
    static var text: String {
        heading
            + SettingsTable.all.map { table in
                "\n## [\(table.name)]\n\n\(table.sentence)\n"
                    + OptionSections(table.schema.descriptions, kind: "key").table
            }.joined()
    }

    /// A file that has something of each table.
    static let example = """
        [permissions]
        read = ["data"]
        net = ["api.example.com"]

        [limits]
        memory = "512M"
        content-memory = "1G"
        transformer = 0.2

        [secrets]
        names = ["X-Customer-Number"]
        not-secret = ["upload_token"]

        [log]
        access = "access.log"
        access-format = "json"

        [host]
        workers = "auto"

        [shared]
        redis = "redis://127.0.0.1:6379/0"

        [gateway]
        listen = ["0.0.0.0:8080", "unix:/run/shop.sock"]
        body = "16MiB"
        rate-per-client = "100/60/20"

        [operator]
        listen = "127.0.0.1:9090"

        [run]
        drain-delay = 10
        log-format = "json"

        [traces]
        collector = "http://127.0.0.1:4318"
        """

    private static let heading = """
        # resthost.toml

        The file `resthost.toml` beside a script grants and limits as the command line does, and says where the
        gateway listens. An option of the command line goes before the same key of the file, and the file before the
        script. `all` and `--allow-all` hold wherever one of them is set.

        ```toml
        \(example)
        ```

        Paths begin in the folder of the file, unless they are absolute. The host reads the file again whenever it
        [loads the script again](../guides/reloading.md). An unknown table or key is an error, which names the nearest
        one that there is. The file is TOML 1.0 without dates, inline tables, dotted keys, arrays of tables and
        strings of several lines, and has 1 MiB at most. [Limits and permissions](../guides/limits-and-grants.md) explains
        grants and limits, [Deploy](../operating/deploy.md) shows a host with such a file.

        This file is written by `resthost reference resthost-toml > docs/reference/resthost-toml.md`.

        """
}
