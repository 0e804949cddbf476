import RestEngine
import Testing

struct ExplainCommandTests {
    private let script = """
        local api = rest.service { name = "api", base_url = "https://api.test/v1" }
        api:configure("**", { description = "tokens" }, function(c)
          c.headers.Authorization = "Bearer s3cret"
          c:decorate_requests(function(resource, request) return request end)
        end)
        api:configure("/users/*", function(c)
          c.expiration_time = 300
          c:mutate_requests(function(draft) draft.headers["X-Trace"] = "1" end)
        end)
        api:configure("/users/*", { methods = "POST" }, function(c) end)
        api:configure_transformer("/users/*", function(user) return user end)
        api:configure("/bad", function(c) c.expiration_tme = 3 end)
        rest.spawn(function() error("jobs don't begin") end)
        """

    @Test func `what a person reads`() async {
        let run = await ScriptFolder(script).run("explain", "main.lua", "/users/1")
        #expect(run.code == 0)
        #expect(run.errors == "")
        #expect(
            run.output == """
                GET https://api.test/v1/users/1
                service api

                Blocks that apply, in order
                  1  standard json transformer                                     resthost
                       pipeline.parsing  + json  for */json, */*+json
                  2  standard text transformer                                     resthost
                       pipeline.parsing  + text  for text/*
                  3  standard image transformer                                    resthost
                       pipeline.parsing  + image  for image/*
                  4  standard ndjson transformer                                   resthost
                       pipeline.parsing  + ndjson  for application/x-ndjson, application/ndjson, application/jsonl, application/x-jsonlines
                  5  tokens  **                                                    main.lua:3
                       headers.Authorization  (none) → Bearer ***
                       decorators             + main.lua:5
                  6  block /users/*                                                main.lua:7
                       expiration_time  30 → 300
                       mutators         + main.lua:9
                  8  /users/*: transformer main.lua:12 in model  [DELETE GET PATCH POST PUT]  main.lua:12
                       pipeline.model  + transformer main.lua:12

                Blocks for this URL, but for other methods
                  7  block /users/*  [POST]  main.lua:11

                Configuration
                  expiration_time        300
                  retry_time             1
                  progress_interval      0.05
                  timeouts.connect       10
                  timeouts.first_byte    30
                  timeouts.idle          30
                  timeouts.total         120
                  max_body_bytes         67108864
                  redirects.follow       true
                  redirects.max          20
                  collapse               true
                  headers.Authorization  Bearer ***

                Request
                  GET https://api.test/v1/users/1
                  Authorization: Bearer ***
                  X-Trace: 1
                  edited by main.lua:9
                  decorated by main.lua:5

                The response passes
                  raw_data  –
                  decoding  –
                  parsing   json  for */json, */*+json
                            text  for text/*
                            image  for image/*
                            ndjson  for application/x-ndjson, application/ndjson, application/jsonl, application/x-jsonlines
                  model     transformer main.lua:12
                  cleanup   –

                """)
    }

    @Test func `a block that raises is shown with its line, and the exit code is 1`() async {
        let run = await ScriptFolder(script).run("explain", "main.lua", "api", "/bad")
        #expect(run.code == 1)
        #expect(run.output.contains("fails: unknown field 'expiration_tme' on configuration"))
        #expect(run.output.contains("The request fails, and nothing is sent\n  main.lua:13: error: "))
    }

    @Test func `the same as JSON, and for another method`() async throws {
        let run = await ScriptFolder(script).run(
            "explain", "main.lua", "/users/1", "--json", "--method", "post")
        #expect(run.code == 0)
        let tree = try Tree(json: run.output)
        #expect(tree["method"]?.string == "POST")
        #expect(tree["blocks"]?.count == 8)
        #expect(!run.output.contains("s3cret"))
    }

    @Test func `a host that no service has is refused, as a request would be`() async {
        let run = await ScriptFolder(script).run("explain", "main.lua", "https://elsewhere.test/")
        #expect(run.code == 1)
        #expect(run.output.contains("requests to https://elsewhere.test/ are not allowed"))
    }

    @Test func `wrong usage`() async {
        let folder = ScriptFolder(script)
        let service = await folder.run("explain", "main.lua", "nobody", "/x")
        #expect(service.code == 2)
        #expect(service.errors == "resthost: main.lua has no service 'nobody'; it has: api\n")
        let method = await folder.run("explain", "main.lua", "/x", "--method", "G T")
        #expect(method.code == 2)
        let broken = await ScriptFolder("local x = = 3").run("explain", "main.lua", "/x")
        #expect(broken.code == 2)
        #expect(broken.errors.hasPrefix("main.lua:2: error: "))
    }
}
