import RestEngine
import TestSupport
import Testing

@testable import RestScript

@Suite(.leakChecked) @EngineActor
struct ObserverMisuseTests {
    @Test(arguments: [
        (
            "r:add_observer()",
            "bad argument #1 'observer' to 'add_observer' (function, table or status expected, got no value)"
        ),
        (
            "r:add_observer(5)",
            "bad argument #1 'observer' to 'add_observer' (function, table or status expected, got number)"
        ),
        (
            "r:add_observer('x', {})",
            "bad argument #1 'observer' to 'add_observer' (function, table or status expected, got string)"
        ),
        (
            "r:add_observer(r)",
            "bad argument #1 'observer' to 'add_observer' (function, table or status expected, got resource)"
        ),
        (
            "r:add_observer({ changed = 1 })",
            "bad argument #1 'observer' to 'add_observer' (its field 'changed' is a number, not a function)"
        ),
        (
            "r:add_observer({ stopped_observing = {} })",
            "bad argument #1 'observer' to 'add_observer' (its field 'stopped_observing' is a table, not a function)"
        ),
        (
            "r:add_observer(print, 5)",
            "bad argument #2 'owner' to 'add_observer' (table, or an object such as a request, expected, got number)"
        ),
        (
            "r:add_observer(print, print)",
            "bad argument #2 'owner' to 'add_observer' (table, or an object such as a request, expected, got function)"
        ),
        (
            "r:add_observer({}, 'x')",
            "bad argument #2 'owner' to 'add_observer' (table, or an object such as a request, expected, got string)"
        ),
        (
            "r:add_observer({}, coroutine.create(print))",
            "bad argument #2 'owner' to 'add_observer' (table, or an object such as a request, expected, got thread)"
        ),
        (
            "r:add_observer(print, rest.null)",
            "bad argument #2 'owner' to 'add_observer' (table, or an object such as a request, expected, got userdata)"
        ),
        (
            "r:remove_observers(5)",
            "bad argument #1 'owner' to 'remove_observers' (table, or an object such as a request, expected, got number)"
        ),
        (
            "r:cancel_load_if_unobserved('x')",
            "bad argument #1 'delay' to 'cancel_load_if_unobserved' (number expected, got string)"
        ),
        (
            "r:cancel_load_if_unobserved(-1)",
            "bad argument #1 'delay' to 'cancel_load_if_unobserved' (seconds are 0 or more)"
        ),
        (
            "r:cancel_load_if_unobserved(1, 2)",
            "bad argument #2 'fn' to 'cancel_load_if_unobserved' (function expected, got number)"
        ),
        ("r:add_observer(setmetatable({}, { __index = function() error('no', 0) end }))", "no"),
    ])
    func `a wrong call raises`(call: String, message: String) {
        #expect(loadError(call, prelude: ScriptFixture.observerPrelude) == "1: \(message)")
    }
}
