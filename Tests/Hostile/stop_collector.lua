-- Turns the collector off.
-- expected: runtime collectgarbage 'stop' is not available
collectgarbage("stop")
