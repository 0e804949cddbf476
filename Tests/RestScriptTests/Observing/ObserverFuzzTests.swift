import RestEngine
import TestSupport
import Testing

@testable import RestScript

/// Owners, observers and the objects that they reference die at random, while the collector runs in small
/// steps.
@Suite(.leakChecked) @EngineActor
struct ObserverFuzzTests {
    private static let source = """
        local random = (function(seed) return function(n) seed = (seed * 1103515245 + 12345) % 2147483648 return seed // 65536 % n + 1 end end)(SEED)
        local resources = { r, api:resource("json"), api:resource("echo") }
        local owners, problems, stopped = {}, 0, 0
        local function problem(text) problems = problems + 1 print(text) end

        local function observer(owner)
          local state, resource = "new", resources[random(3)].url
          local other, request = api:resource("other" .. random(5)), resources[random(3)]:request("POST")
          return {
            owner = owner,
            changed = function(self, from, event)
              if (event == "observer_added") ~= (state ~= "observing") then problem(event .. " when " .. state) end
              state = "observing"
              if not (other.url and request.state and self.changed and from.url) then problem "not whole" end
            end,
            stopped_observing = function(self, from)
              if state ~= "observing" then problem("stopped when " .. state) end
              if type(owner) == "table" and self.owner ~= owner then problem "not the owner" end
              if not (other.url and request.state and from.url) then problem "not whole at the end" end
              state = "stopped" stopped = stopped + 1
              if random(10) == 1 then from:add_observer(self, owners[random(20)] or {}) end
            end,
          }
        end

        local function step()
          local i, kind = random(20), random(10)
          if kind <= 3 then
            owners[i] = random(2) == 1 and { owners[random(20)] } or random(2) == 1 and api:resource("owner" .. i):load() or api:resource("owner" .. i)
          elseif kind <= 5 then owners[i] = nil
          elseif kind == 6 and owners[i] then resources[random(3)]:remove_observers(owners[i])
          elseif owners[i] then resources[random(3)]:add_observer(observer(owners[i]), owners[i])
          end
          local garbage = {}
          for j = 1, 20 do garbage[j] = { j } end
          resources[random(3)]:override_local_content("x")
        end

        rest.spawn(function()
          for _ = 1, 20 do
            for _ = 1, 25 do step() end
            rest.sleep(0)
            if random(5) == 1 then api:flush_unused_resources() end
          end
          owners = {}
          api:flush_unused_resources()
          print(problems, stopped > 20)
        end)
        """

    @Test(arguments: 1...12)
    func `13 seeded: each observer gets all events, its adding first and its end last`(seed: Int) throws {
        try expect(
            Self.source.replacing("SEED", with: "\(seed)"), prelude: ScriptFixture.observerPrelude,
            seconds: 1,
            prints: ["0\ttrue"])
    }
}
