import RestEngine
import TestSupport
import Testing

@testable import RestScript

@Suite(.leakChecked) @EngineActor
struct HookTests {
    @Test("7.6 8.1: cancel is at once, hooks are later; 8.2 8.3: cancelled once, and never started")
    func cancel() throws {
        try expect(
            """
            local request = api:resource("slow"):load()
            request:on_failure(function(err) print("failure", err.cause.type, api:resource("slow").is_loading) end)
              :on_completion(function(info) print("completion", info.is_cancellation, info.response.ok) end)
              :on_progress(function(f) print("progress", f) end)
            request:cancel()
            print(request.state, request.is_cancelled, request.progress, api:resource("slow").is_loading)
            request:cancel()
            local again = request:repeated()
            again:cancel()
            print(again:start().state, again.is_cancelled, api:resource("slow").is_requesting)
            """, seconds: 2,
            prints: [
                "completed\ttrue\t1.0\ttrue", "completed\ttrue\ttrue", "progress\t1.0",
                "failure\trequest_cancelled\tfalse",
                "completion\ttrue\tfalse",
            ])
    }

    @Test("8.6: cancelled by a transformer, while the pipeline runs, it stays cancelled")
    func cancelInPipeline() throws {
        try expect(
            """
            local request
            api:configure_transformer("text", function(content) request:cancel() print("transformed") return content end)
            request = api:resource("text"):load()
            request:on_completion(function(info) print(info.is_cancellation) end)
            rest.after(1, function() print(api:resource("text").latest_data, api:resource("text").latest_error) end)
            """, seconds: 1, prints: ["transformed", "true", "nil\tnil"])
    }

    @Test("12.2 12.3: progress is reported at the configured interval, and ends with 1")
    func progress() throws {
        let lines = try output(
            """
            api:configure(function(c) c.progress_interval = 0.5 end)
            local last, reports = -1, 0
            local request = api:resource("slow"):load()
            request:on_progress(function(f)
              if f <= last or f < 0 or f > 1 then print("not in order", last, f) end
              last, reports = f, reports + 1
              if f == 1 then print(f, reports, request.state) end
            end):on_completion(function() print("completion") end)
            rest.after(0.75, function() print(request.progress > 0 and request.progress < 1) end)
            """, seconds: 2)
        #expect(lines == ["true", "1.0\t3\tcompleted", "completion"])
    }

    @Test("D5: a resource counts repeats, and a wipe cancels them")
    func repeats() throws {
        try expect(
            """
            local r = api:resource("text")
            rest.spawn(function()
              local request = r:load()
              request:await()
              local again = request:repeated()
              print(r.is_requesting, #r.all_requests)
              again:start()
              print(r.is_requesting, r.is_loading, r.all_requests[1] == again)
              r:wipe()
              print(again.is_cancelled)
            end)
            """, prints: ["false\t0", "true\tfalse\ttrue", "true"])
    }

    @Test("hooks may wait, and the rest goes on")
    func waiting() throws {
        try expect(
            """
            api:resource("text"):load()
              :on_success(function(e) rest.sleep(1) print("slept", e.text, api:resource("json"):get().id) end)
              :on_progress(function(f) rest.sleep(2) print("progress", f) end)
              :on_completion(function() print("completion") end)
            """, seconds: 3, prints: ["completion", "slept\thello\t7", "progress\t1.0"])
    }
}
