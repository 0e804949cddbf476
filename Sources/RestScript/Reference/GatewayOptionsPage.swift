import Platform

/// The page of the options of `rest.gateway`.
enum GatewayOptionsPage {
    static var text: String {
        let sections = OptionSections(GatewayDeclaration.schema.descriptions, kind: "option")
        return heading + sections.table + sections.sections
    }

    private static let heading = """
        # Gateway options

        Every option of `rest.gateway { … }`, which serves the services of a script to clients. The guides
        [The gateway](../guides/gateway.md) and [Access to the gateway](../guides/gateway-access.md) show how to
        use them.

        ```lua
        local rest = require "resthost"

        rest.service { name = "shop", base_url = "https://shop.example/v1" }
        rest.gateway {
          listen = {
            "127.0.0.1:8080",
            { address = "127.0.0.1:8081", expose = { shop = { paths = { "/public/**" } } } },
          },
          expose = { shop = { paths = { "/orders/**" }, methods = { "GET", "POST" } } },
          auth = { tokens = {
            { name = "page", sha256 = "60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752" },
          } },
          cors = { origins = { "https://shop.example" } },
          limits = { body = "2MiB", per_client = { rate = { requests = 100, per = 60 } } },
        }
        ```

        [`resthost.toml`](resthost-toml.md#gateway) sets addresses and limits in place of the script.

        This file is written by `resthost reference gateway-options > docs/reference/gateway-options.md`.

        ## rest.gateway

        """
}
