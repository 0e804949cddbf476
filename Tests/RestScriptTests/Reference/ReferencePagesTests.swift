import LuaRuntime
import Platform
import RestEngine
import Testing

@testable import RestScript

/// The pages of the reference beside that of all functions.
@EngineActor
struct ReferencePagesTests {
    private func withConfiguration(_ body: ([LuaProperty], [ScriptFields]) -> Void) {
        let context = ScriptContext(
            engine: Engine(transport: NullTransport()), options: ScriptOptions(), folder: ".")
        let tests = ScriptTestFile(path: "pages", options: ScriptOptions())
        defer {
            context.close()
            tests.close()
        }
        let properties = ConfigurationBinding(context: context).groups.flatMap(\.properties)
        ReferencePage(context, tests).withFields { body(properties, $0) }
    }

    private func expectSound(_ option: OptionDescription, _ name: String) {
        #expect(option.sentence.hasSuffix("."), "\(name)")
        #expect(option.isRequired || option.type != "boolean" || option.standard != nil, "\(name)")
        #expect(!option.isRequired || option.standard == nil, "\(name)")
        for inner in option.fields { expectSound(inner, "\(name).\(inner.name)") }
    }

    private func expectRow(_ option: OptionDescription, in page: String) {
        let isThere = page.contains("\n| `\(option.name)` | `") || page.contains("\n| [`\(option.name)`](#")
        #expect(isThere, "\(option.name)")
        for inner in option.fields { expectRow(inner, in: page) }
    }

    @Test func `every field of a configuration has a row and a sentence`() {
        let page = ScriptReference.configuration()
        withConfiguration { properties, all in
            for property in properties {
                expectSound(property.description, property.name)
                expectRow(property.description, in: page)
            }
            for fields in all {
                #expect(page.contains("\n### c.\(fields.name)\n"))
                for field in fields.fields {
                    expectSound(field.description, "\(fields.name).\(field.name)")
                    expectRow(field.description, in: page)
                }
            }
        }
        for function in ["`c:mutate_requests(fn: function(draft))`", "`c.pipeline:clear()`"] {
            #expect(page.contains("\n| \(function) | "))
        }
        #expect(
            page.contains("\n| `c.pipeline.NAME:add(transformer, options?: { content_types? }) -> stage` | "))
        #expect(page.contains("\n| `url` | `string` |  | Read only | "))
        #expect(
            page.contains(
                "\n| `expiration_time` | `number`, seconds | `30` | 0 or more | How long loaded data stays up to date. |\n"
            ))
    }

    @Test func `every option of the gateway has a row and a sentence`() {
        let page = ScriptReference.gatewayOptions()
        for option in GatewayDeclaration.schema.descriptions {
            expectSound(option, option.name)
            expectRow(option, in: page)
        }
        #expect(page.contains("\n## limits.per_client.rate\n"))
        // These are the same in several places.
        #expect(page.contains("\n## expose\n") && !page.contains("\n## listen.expose\n"))
        #expect(page.contains("\n| `max_age` | `number`, seconds | `600` | 0 to 86400 | "))
        #expect(page.contains("\n| `certificate` | `string` | required |  | "))
    }

    @Test func `links within a page lead to its headings`() {
        for page in [ScriptReference.configuration(), ScriptReference.gatewayOptions()] {
            let headings = page.split(separator: "\n").filter { $0.hasPrefix("#") }.map { line in
                line.drop { $0 == "#" || $0 == " " }.lowercased().replacing(" ", with: "-").replacing(
                    ".", with: "")
            }
            #expect(Set(headings).count == headings.count)
            let links = page.matches(of: /\]\(#([^)]+)\)/).map { String($0.1) }
            #expect(links.count > 5)
            for link in links { #expect(headings.contains(link), "\(link)") }
        }
    }

    @Test func `a configuration begins with the defaults of the reference`() throws {
        var checks = ""
        withConfiguration { properties, all in
            for property in properties {
                guard let standard = property.description.standard else { continue }
                checks += "check('\(property.name)', plain.\(property.name), \(standard))\n"
            }
            for fields in all {
                for field in fields.fields {
                    guard let standard = field.description.standard else { continue }
                    let name = "\(fields.name).\(field.name)"
                    checks += "check('\(name)', set.\(name), \(standard))\n"
                }
            }
        }
        try expect(
            """
            local plain = api:resource("a").configuration
            api:configure("b", function(c)
              c.retry, c.breaker = true, true
              c.limits = { in_flight = 1, rate = { requests = 1 } }
            end)
            local set = api:resource("b").configuration
            local count = 0
            local function check(name, value, standard)
              count = count + 1
              if type(standard) == "table" then
                value, standard = table.concat(value, " "), table.concat(standard, " ")
              end
              -- Nil there stands for the default.
              if value ~= nil and value ~= standard then print(name, value, standard) end
            end
            \(checks)
            print(count > 25)
            """, prints: ["true"])
    }
}
