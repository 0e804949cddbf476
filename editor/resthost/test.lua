---@meta resthost.test
-- Written by `resthost types`; changes are lost.

---An engine with a clock, a store and stubs of its own, and perhaps a script; made by t.load and t.host. It ends with its test.
---@class resthost.host
---@field rest resthost The library that `require "resthost"` gives in the script.
---@field services resthost.services The services declared so far, by name.
local host = {}

---@class resthost.host.stub.options.error
---@field type? "invalid_url"|"connection_failed"|"dns_failed"|"tls_failed"|"timeout"|"too_large"|"too_many_redirects"|"decoding_failed"|"queue_full"|"circuit_open"|"rate_limited"|"offline"|"internal" The kind of error. Default: `"connection_failed"`.
---@field message? string The message, in place of the default.
---@field phase? string The phase in which it failed.
---@field limit? integer The exceeded limit, in bytes.

---@class resthost.host.stub.options.when
---@field body? string The exact bytes of the body.
---@field headers? table<string, any> Values of headers by name; `rest.null` for one that is not there.

---@class resthost.host.stub.options
---@field delay? number Seconds before the reply, by the host's clock. In seconds. 0 or more. Default: `0`.
---@field error? resthost.host.stub.options.error An error, in place of a response.
---@field status? integer The status of the response. Default: `200`.
---@field headers? resthost.headers|table<string, string|string[]> The headers of the response.
---@field body? string The body as bytes. A response has one of `body`, `json` and `text`, or none.
---@field json? any The body as a value, which is encoded as JSON.
---@field text? string The body as text, in UTF-8.
---@field gated? boolean Delays the reply until `stub:go()`. Default: `false`.
---@field when? resthost.host.stub.options.when Conditions for requests, in addition to method and URL.

---Answers matching requests; of several stubs the newest that matches. A function gives the same table, without `when`.
---@param method string
---@param url_glob string
---@param reply? resthost.host.stub.options|(fun(request: resthost.request): table)
---@return resthost.stub
function host:stub(method, url_glob, reply) end

---@class resthost.host.replay.options
---@field match? ("method"|"url"|"body")[] The parts of a request that must match; default: all of them.
---@field unused? "ignore"|"error" How an unused answer is treated. Default: `"ignore"`.

---Answers requests without a stub from a recording (HAR): those of one request in order, the last one again and again. The path is relative to the test file.
---@param path string
---@param options? resthost.host.replay.options
function host:replay(path, options) end

---Forgets all stubs and recordings.
function host:clear_stubs() end

---Collects garbage, then drops the resources that nobody holds, as flush_unused_resources does.
function host:memory_pressure() end

---The host's time, Unix seconds; it begins at 1,000,000. With an argument sets it: forward as advance does, backward without any timer.
---@param time? number
---@return number
function host:clock(time) end

---Moves the clock from timer to timer, runs the work that is due, and waits for it.
---@param seconds number
function host:advance(seconds) end

---Runs tick after tick until no work is due, and waits for it.
function host:settle() end

---@class resthost.host.request.options
---@field headers? resthost.headers|table<string, string|string[]> The headers of the request.
---@field body? string The bytes of the body.
---@field json? any A value that is sent as JSON.
---@field form? table Fields that are sent as a form, by name.
---@field stream? boolean Asks for a stream of events: `Accept: text/event-stream`. Default: `false`.
---@field client? string The name of a client with a token or a certificate, which need not be shown.
---@field address? string The address of the client. Default: `"127.0.0.1"`.

---Sends a request to the script's gateway, through its access rules, hooks, routes and services, and waits for the answer. It returns an answer that goes on, such as a stream of events, as soon as no work is due.
---@param method string
---@param path string
---@param options? resthost.host.request.options
---@return resthost.answer
function host:request(method, path, options) end

---The services of a host, by name. An unknown name is an error.
---@class resthost.services
---@field [string] resthost.service
local services = {}

---Answers in place of a server; made by host:stub.
---@class resthost.stub
---@field requests table[] The requests that it answered, in order: `{ method, url, headers, body }`. Names of headers may be in any case; they are listed in lower case.
local stub = {}

---Opens the gate, for waiting requests and for all later ones.
function stub:go() end

---@class resthost.test
local t = {}

---Declares a test. It runs on its own and may wait.
---@param name string
---@param fn function
function t.test(name, fn) end

---A group: its name is put before the names of the tests that fn declares.
---@param name string
---@param fn function
function t.describe(name, fn) end

---Runs fn before each test of the group, or of the file; those of outer groups come first.
---@param fn function
function t.before_each(fn) end

---Declares a test that is not run.
---@param name string
---@param why? string
function t.skip(name, why) end

---Fails if value is nil or false, with message, which may be an error object; else gives its arguments.
---@param value any
---@param message? any
---@param ... any
---@return any
---@return any ...
---@overload fun(value: any, ...: any): any, any ...
function t.assert(value, message, ...) end

---Fails unless both are the same value, or tables with equal fields at any depth; metatables don't count. The message, if there is one, goes before what differs.
---@param actual any
---@param expected any
---@param message? string
function t.equal(actual, expected, message) end

---Fails unless the Lua pattern, or the same as plain words, is found in the text; gives what string.match gives.
---@param text string
---@param pattern string
---@return string ...
function t.matches(text, pattern) end

---Calls fn, which may wait, and fails unless it raises an error whose message matches the pattern, or contains it as plain words.
---@param fn function
---@param pattern? string
---@return string
---@return resthost.error?
function t.raises(fn, pattern) end

---Fails the test.
---@param message? any
function t.fail(message) end

---Records further requests of this test's hosts and the answers of their stubs in a file (HAR), written at the test's end. The path is relative to the test file.
---@param path string
function t.record(path) end

---@class resthost.t.load.options
---@field source string The script itself.

---Loads a script, whose path is relative to the test file, into a fresh host.
---@param path string|resthost.t.load.options
---@return resthost.host
function t.load(path) end

---A fresh host without a script.
---@return resthost.host
function t.host() end

return t
