---@meta resthost
-- Written by `resthost types`; changes are lost.

---A glob relative to base_url, a regular expression, a resource, or a function of the URL.
---@alias resthost.pattern string|resthost.regex|resthost.resource|fun(url: resthost.url): boolean

---A function of content and entity, the name of a module that returns one, or a transformer of rest.
---@alias resthost.transformation resthost.transformer|string|fun(content: any, entity: resthost.entity): any

---The value of a path's component, or of a query's parameter.
---@alias resthost.text string|number|boolean|resthost.raw

---What an endpoint, a definition or a modifier gives.
---@class resthost.properties
---@field headers? table<string, string|string[]>|string[][]
---@field query? table<string, resthost.text|resthost.text[]>|any[][]
---@field path? resthost.text[]
---@field body? any
---@field text? string
---@field json? any
---@field form? table
---@field multipart? table[]
---@field file? string
---@field content_type? string
---@field charset? string
---@field configure? fun(c: resthost.configuration)
---@field idempotency_key? string|boolean
---@field query_style? "repeat"|"brackets"|"indices"|"comma"

---One message of a request, and what came of it.
---@class resthost.attempt
---@field number integer
---@field method string
---@field url string
---@field status? integer
---@field error? resthost.error
---@field reason? string
---@field began number
---@field waited number
---@field queued number
---@field timings { queue: number, name_lookup: number, connect: number, tls: number, first_byte: number, total: number }
---@field http_version? string
---@field remote_address? string
---@field reused boolean
---@field bytes_sent integer
---@field bytes_received integer

---A URL as pattern functions and rest.url.parse see it.
---@class resthost.url
---@field string string
---@field scheme? string
---@field host? string
---@field port? integer
---@field path string
---@field query? string
---@field fragment? string

---An API: a base URL, configuration blocks, and resources.
---@class resthost.service
---@field name string Unique in a script.
---@field base_url? string With a slash at its end.
---@field cached_resource_count_limit integer When so many resources are live, one that nobody uses goes for each that comes: of those without data first, then the one that was not used for longest.
---@field cached_resource_bytes_limit integer Bytes that its resources hold at the most; beyond it what was not used for longest goes. The host's limit, unless it is set to less.
local service = {}

---What requests below a path have in common; an empty path gives properties alone. Properties: `headers`, `query`, `path`, one of `body`, `text`, `json`, `form`, `multipart` and `file`, `content_type`, `charset`, `configure`, `idempotency_key`, `query_style`.
---@param path string
---@param properties? resthost.properties
---@return resthost.endpoint
function service:endpoint(path, properties) end

---Defines a request. With names in the template, as in `{login}/repos`, or a function that gives properties it is called with their values and gives a definition.
---@param method string
---@param template? string
---@param properties? resthost.properties|(fun(...: any): resthost.properties)
---@return resthost.definition|resthost.definition_maker
function service:define(method, template, properties) end

---The resource at base URL and path; the path is text, never read as a URL.
---@param path string
---@return resthost.resource
function service:resource(path) end

---The resource at an absolute URL, or at a path below another base.
---@param url? string
---@param path? string
---@return resthost.resource
function service:resource_at(url, path) end

---@class resthost.service.configure.options
---@field methods? string|string[]
---@field description? string

---Adds a configuration block.
---@param pattern? resthost.pattern
---@param options? resthost.service.configure.options
---@param fn fun(c: resthost.configuration)
---@return resthost.service
---@overload fun(self: resthost.service, options: resthost.service.configure.options, fn: fun(c: resthost.configuration)): resthost.service
---@overload fun(self: resthost.service, pattern: resthost.pattern, fn: fun(c: resthost.configuration)): resthost.service
---@overload fun(self: resthost.service, fn: fun(c: resthost.configuration)): resthost.service
function service:configure(pattern, options, fn) end

---@class resthost.service.configure_transformer.options
---@field stage? string
---@field action? "replace"|"append"
---@field methods? string|string[]
---@field content_types? string|string[]
---@field input? string|table
---@field output? string|table
---@field on_mismatch? "error"|"skip"|"skip_if_output_matches"
---@field transform_errors? boolean
---@field empty? boolean
---@field description? string

---Adds a transformer for the content of matching resources.
---@param pattern resthost.pattern
---@param options? resthost.service.configure_transformer.options
---@param transformer resthost.transformation
---@return resthost.service
---@overload fun(self: resthost.service, pattern: resthost.pattern, transformer: resthost.transformation): resthost.service
function service:configure_transformer(pattern, options, transformer) end

---Runs a plugin: a function of service and options, or the name of a module that returns one.
---@param plugin function|string
---@param options? any
---@return resthost.service
function service:use(plugin, options) end

---Blocks run again when they are next needed.
function service:invalidate_configuration() end

---Wipes all live resources, or those that match.
---@param matches? string|resthost.regex|resthost.resource|(fun(resource: resthost.resource): boolean)
function service:wipe_resources(matches) end

---Drops resources that nobody holds and nobody observes.
function service:flush_unused_resources() end

---A path of a service, and what its requests have in common. A value.
---@class resthost.endpoint
---@field url string Base URL and paths.
---@field service resthost.service Whose endpoint it is.
local endpoint = {}

---What requests below a path have in common; an empty path gives properties alone. Properties: `headers`, `query`, `path`, one of `body`, `text`, `json`, `form`, `multipart` and `file`, `content_type`, `charset`, `configure`, `idempotency_key`, `query_style`.
---@param path string
---@param properties? resthost.properties
---@return resthost.endpoint
function endpoint:endpoint(path, properties) end

---Defines a request. With names in the template, as in `{login}/repos`, or a function that gives properties it is called with their values and gives a definition.
---@param method string
---@param template? string
---@param properties? resthost.properties|(fun(...: any): resthost.properties)
---@return resthost.definition|resthost.definition_maker
function endpoint:define(method, template, properties) end

---Called with the values of a template or the arguments of a function it gives a definition.
---@class resthost.definition_maker
local definition_maker = {}

---Text of a URL that is escaped already; made by rest.raw.
---@class resthost.raw
local raw = {}

---A request as a value: what to send, where and how. What changes it gives a new one; `==` compares all of it.
---@class resthost.definition
---@field method string As it is sent.
---@field url string Base URL, paths and query.
---@field headers resthost.headers What it adds to those of blocks; read only.
---@field query table A new list of pairs of name and value.
---@field path table A new list of its components, without the paths of endpoints.
---@field body_kind? string `body`, `text`, `json`, `form`, `multipart` or `file`; nil without a body.
---@field service resthost.service Whose blocks, decorators and pipeline it has.
local definition = {}

---A started request, with blocks, decorators and pipeline of its service; the resource's state is untouched.
---@return resthost.request
function definition:send() end

---Waits for fresh content of its resource, which this request loads if it must; of a GET only.
---@return any|nil
---@return resthost.error?
function definition:get() end

---The resource at its URL.
---@return resthost.resource
function definition:resource() end

---@class resthost.definition.curl.options
---@field with_secrets? boolean

---A command line for a POSIX shell, with the headers of blocks, secrets masked and files by reference.
---@param options? resthost.definition.curl.options
---@return string|nil
---@return resthost.error?
function definition:curl(options) end

---Why its requests are what they are: blocks, properties with their levels, what would be sent. Nothing is.
---@return table
function definition:explain() end

---Behind what is there; headers that are lists are joined, others replaced, and so is a body.
---@param properties resthost.properties
---@return resthost.definition
function definition:adding(properties) end

---Replaces each kind that is given as a whole.
---@param properties resthost.properties
---@return resthost.definition
function definition:setting(properties) end

---Replaces a header; nil removes it.
---@param name string
---@param value? string
---@return resthost.definition
function definition:setting_header(name, value) end

---Joins a value to a header that is a list, and replaces any other.
---@param name string
---@param value string
---@return resthost.definition
function definition:adding_header(name, value) end

---Takes a header out; blocks may set it still.
---@param name string
---@return resthost.definition
function definition:removing_header(name) end

---Replaces all parameters of a name where the first stood; nil removes them.
---@param name string
---@param value any
---@return resthost.definition
function definition:setting_query(name, value) end

---Takes all parameters of a name out.
---@param name string
---@return resthost.definition
function definition:removing_query(name) end

---The same with another method.
---@param method string
---@return resthost.definition
function definition:with_method(method) end

---Configures it further, behind what is inherited.
---@param fn fun(c: resthost.configuration)
---@return resthost.definition
function definition:with_configuration(fn) end

---Something at a URL: its latest data and error, and how to ask for more.
---@class resthost.resource
---@field url string Its identity.
---@field service resthost.service Where it belongs.
---@field configuration resthost.configuration The frozen configuration for GET.
---@field latest_data? resthost.entity The last good data; survives later errors.
---@field latest_error? resthost.error The error of the last finished load.
---@field timestamp number The later of the times of data and error; 0 with neither.
---@field is_loading boolean A load is in flight.
---@field is_requesting boolean Any request is in flight.
---@field is_up_to_date boolean load_if_needed would do nothing.
---@field load_requests resthost.request[] Loads in flight, oldest first.
---@field all_requests resthost.request[] Requests in flight, oldest first.
---@field text string The latest content if it is text, else an empty string.
---@field json table The latest content if it is a table, else an empty one.
local resource = {}

---Always a new GET.
---@return resthost.request
function resource:load() end

---A load, or the one in flight; nil when up to date.
---@return resthost.request?
function resource:load_if_needed() end

---Makes any request a load of this resource.
---@param request resthost.request
---@return resthost.request
function resource:load_using(request) end

---@class resthost.resource.request.options
---@field body? string
---@field text? string
---@field json? any
---@field form? table
---@field multipart? table[]
---@field file? string
---@field content_type? string
---@field charset? string
---@field headers? resthost.headers|table<string, string|string[]>
---@field query? table
---@field mutate? fun(draft: resthost.draft)
---@field idempotency_key? string|true

---A started request; the resource's state is untouched. Paths of files are relative to the script's folder.
---@param method string
---@param options? resthost.resource.request.options
---@return resthost.request
function resource:request(method, options) end

---@class resthost.resource.get.options
---@field only_if_cached boolean

---Waits for up-to-date content; with `only_if_cached` nothing is sent, and what is there is given whatever its age.
---@param options? resthost.resource.get.options
---@return any|nil
---@return resthost.error?
function resource:get(options) end

---The resource below this one; in rest.raw(…) a slash inside a segment is `%2F`.
---@param text string|resthost.raw
---@return resthost.resource
function resource:child(text) end

---Where a link on this one would lead.
---@param href string
---@return resthost.resource
function resource:relative(href) end

---The same; nil gives nil.
---@param href? string
---@return resthost.resource?
function resource:optional_relative(href) end

---Sets a parameter; nil removes it, a list repeats it.
---@param name string
---@param value any
---@return resthost.resource
function resource:with_param(name, value) end

---Sets several parameters at once.
---@param params table
---@return resthost.resource
function resource:with_params(params) end

---Tells the observer what happens, from now on and as long as its owner lives: a table or an object such as a request. A table without an owner owns itself, a function lives as long as the script. The table's methods are `changed(self, resource, event)`, `progress(self, resource, fraction)` and `stopped_observing(self, resource)`.
---@param observer (fun(resource: resthost.resource, event: string))|{ changed?: fun(self: table, resource: resthost.resource, event: string), progress?: fun(...): number?, stopped_observing?: fun(self: table, resource: resthost.resource) }|resthost.status
---@param owner? table|resthost.request
---@return resthost.resource
function resource:add_observer(observer, owner) end

---Takes this owner from all observers; those without any other stop. nil does nothing.
---@param owner? table|resthost.request
function resource:remove_observers(owner) end

---Cancels the loads in flight when nobody observes, after the delay if there is one; then runs fn, whatever it found.
---@param delay? number
---@param fn? function
function resource:cancel_load_if_unobserved(delay, fn) end

---Puts an entity in place as it is.
---@param entity resthost.entity
function resource:override_local_data(entity) end

---Replaces the content alone.
---@param content any
function resource:override_local_content(content) end

---The next use loads again.
function resource:invalidate() end

---Forgets data and error and cancels what is in flight.
function resource:wipe() end

---The frozen configuration for a method.
---@param method string
---@return resthost.configuration
function resource:configuration_for(method) end

---One request: it starts once, ends once, and tells those who asked.
---@class resthost.request
---@field state string `not_started`, `in_progress` or `completed`.
---@field is_cancelled boolean It was cancelled before it ended.
---@field progress number 0 to 1; 1 for every request that has ended.
---@field response? resthost.response The outcome; nil before the end.
local request = {}

---Runs when the request has ended, however it did.
---@param fn fun(info: resthost.info)
---@return resthost.request
function request:on_completion(fn) end

---Runs after a success, new data or not.
---@param fn fun(entity: resthost.entity)
---@return resthost.request
function request:on_success(fn) end

---Runs after a success that brought data.
---@param fn fun(entity: resthost.entity)
---@return resthost.request
function request:on_new_data(fn) end

---Runs when a 304 confirmed the data.
---@param fn fun()
---@return resthost.request
function request:on_not_modified(fn) end

---Runs after a failure, cancellation included.
---@param fn fun(error: resthost.error)
---@return resthost.request
function request:on_failure(fn) end

---Runs as the request goes on, with 1 at its end.
---@param fn fun(fraction: number)
---@return resthost.request
function request:on_progress(fn) end

---Starts it, if it has not started.
---@return resthost.request
function request:start() end

---Ends it as cancelled; no effect on one that has ended.
function request:cancel() end

---A new request for the same call, not started.
---@return resthost.request
function request:repeated() end

---A request that waits for this one and then does what fn says; fn may wait. Cancelling it cancels what it waits for.
---@param fn fun(info: resthost.info): resthost.action
---@return resthost.request
function request:chained(fn) end

---Waits for the end.
---@return resthost.entity|nil
---@return resthost.error?
function request:await() end

---An outcome: an entity or an error.
---@class resthost.response
---@field ok boolean True for a success.
---@field entity? resthost.entity The entity of a success; nil of a failure, whose body is the error's entity.
---@field error? resthost.error The error of a failure.
---@field attempts resthost.attempt[] What was sent and what came of it, in order: tables with `number url status error waited queued reason timings http_version reused bytes_sent bytes_received remote_address`. Times are seconds. `bytes_sent` counts the head and the body of the request, `bytes_received` the body of the answer before it is decoded.
local response = {}

---What a completion hook gets.
---@class resthost.info
---@field response resthost.response The outcome.
---@field is_new boolean False when a 304 confirmed the data that was there.
---@field is_cancellation boolean The request was cancelled.
local info = {}

---What the function of a chain returns: `rest.use_this_response`, which ends the chain with the response that it got, or what `rest.use_response` and `rest.pass_to` give.
---@class resthost.action
local action = {}

---How to request a resource with one method; edited by configuration blocks.
---@class resthost.configuration
---@field expiration_time number Seconds that loaded data stays up to date.
---@field retry_time number Seconds after a failed load before the next.
---@field progress_interval number Seconds between progress reports.
---@field refresh_while_observed number Seconds after its last load in which a resource is loaded again while somebody observes it or a stream shows it; 0: never.
---@field timeouts resthost.timeouts In seconds; 0 means none.
---@field retry resthost.retry|boolean Whether and how a request that failed is sent again; `true` takes the usual values.
---@field limits resthost.limits|false How many requests may be on their way at once, and in some time.
---@field breaker resthost.breaker|boolean When a server that fails is left alone for a while; `true` takes the usual values.
---@field priority integer Of its requests in the queue of a limit; higher first.
---@field stale_if_error number Seconds past expiry in which data may stand in for a load that fails.
---@field stale_while_revalidate number Seconds past expiry in which data may be served while it is loaded anew.
---@field headers resthost.headers Request headers; assign nil to remove one.
---@field accept? string|string[] Short for the Accept header: a content type, or a list of them in order; nil leaves it out.
---@field pipeline resthost.pipeline The stages that a response passes.
---@field redirects resthost.redirects Whether and how far redirects are followed, and what goes along.
---@field max_body_bytes integer Cap on the decoded body of a response; the value of a JSON body may take twice that.
---@field collapse boolean Reads of a stale resource join the load in flight.
---@field stream string|boolean "events": a GET brings server-sent events, each of which becomes the resource's content. "body": clients of the gateway get the body of a success as it comes; it is not held, transformed or kept.
---@field trace boolean Requests say in `traceparent` which trace they belong to.
---@field method string What is being configured.
---@field url string What is being configured.
local configuration = {}

---Wraps or replaces requests before they start, in order.
---@param fn fun(resource: resthost.resource, request: resthost.request): resthost.request
function configuration:decorate_requests(fn) end

---Edits requests before they are sent, in order.
---@param fn fun(draft: resthost.draft)
function configuration:mutate_requests(fn) end

---A regular expression for the whole URL, query included; made by rest.regex.
---@class resthost.regex
local regex = {}

---Stages by name; a name that is not in use yet is an empty stage.
---@class resthost.pipeline
---@field order string[] Names of the stages that run; a name may occur once.
---@field [string] resthost.stage
local pipeline = {}

---Takes transformers and caches out of all stages.
function pipeline:clear() end

---Takes the transformers out of all stages.
function pipeline:remove_transformers() end

---Takes the caches from all stages.
function pipeline:remove_caches() end

---A stage of the pipeline: transformers in the order of adding, then a cache for their result.
---@class resthost.stage
---@field cache? resthost.cache Keeps what the stage made; assign nil to remove it.
local stage = {}

---@class resthost.stage.add.options
---@field content_types string[]

---Adds a transformer, for all content types or for some.
---@param transformer resthost.transformation
---@param options? resthost.stage.add.options
---@return string
function stage:add(transformer, options) end

---Takes its transformers out.
---@return string
function stage:remove_transformers() end

---Turns a response into another; added to a stage of the pipeline.
---@class resthost.transformer
---@field description string What it is.
local transformer = {}

---Where a stage keeps its entities; made by rest.cache.….
---@class resthost.cache
---@field description string What it is.
local cache = {}

---A request while it is put together.
---@class resthost.draft
---@field method string Any token.
---@field url string An absolute URL.
---@field headers resthost.headers What is sent; assign nil to remove one.
---@field body? string Bytes, or nil for none; also nil for a multipart or file body, which assigning replaces.
local draft = {}

---One status over several resources; made by rest.status. The rules of its priority, of which the first that applies decides: `loading` (one of them is), `manual_loading` (a tracked request is under way), `any_data` and `all_data` (success), `error` (one has one). It is an observer: `resource:add_observer(status)` adds a resource.
---@class resthost.status
---@field state string `loading`, `success` or `error`.
---@field error? resthost.error The error that decided.
local status = {}

---Runs when the state has become another, or the error. The status lives as long as the script then, or until it observes nothing.
---@param fn fun(status: resthost.status)
---@return resthost.status
function status:on_change(fn) end

---Loads again all that has an error, fresh data or not, and tracks the requests.
---@return resthost.status
function status:retry() end

---Counts a request as asked for by the user.
---@param request resthost.request
---@return resthost.status
function status:track(request) end

---A function that hears of events; made by rest.on_event.
---@class resthost.listener
local listener = {}

---It is not called any more, and what waits for it is forgotten.
function listener:cancel() end

---A function that runs by itself; made by rest.spawn.
---@class resthost.job
---@field is_finished boolean It has ended.
local job = {}

---Ends it at its next wait; no effect on one that has ended.
function job:cancel() end

---Waits for its end and gives what it returned.
---@return any
---@return resthost.error?
function job:await() end

---Made by rest.after and rest.every.
---@class resthost.timer
local timer = {}

---It does not run again.
function timer:cancel() end

---The HTTP gateway; made by rest.gateway.
---@class resthost.gateway
local gateway = {}

---@class resthost.gateway.route.options
---@field expiration_time? number

---Answers a path of the gateway's own with `fn(request)`, which may wait, and gives a content, a `rest.response`, or nil and an error. `{name}` in the path stands for one segment, `{name*}` at its end for all that are left: `request.params.name`. With `expiration_time` an answer to GET is kept for so many seconds, and made once for all who ask.
---@param method string
---@param path string
---@param options? resthost.gateway.route.options
---@param fn function
---@return resthost.gateway
---@overload fun(self: resthost.gateway, method: string, path: string, fn: function): resthost.gateway
function gateway:route(method, path, options, fn) end

---A client's request, for the function of a route.
---@class resthost.served_request
---@field method string `GET` for HEAD too.
---@field path string As the client sent it, without the query.
---@field params table What stands for the names of the route's path, by name.
---@field query table Decoded, by name; of a repeated name the last.
---@field headers resthost.headers Read only; names compare without case.
---@field body string Empty for none.
---@field json any The body if it is JSON, else nil.
---@field client? string The address of the other end, which may be a proxy; nil on a Unix socket.
local served_request = {}

---Granted variables of the environment; nil for one that is not set.
---@class resthost.env
---@field [string] string?
local env = {}

---Data with what was said about it.
---@class resthost.entity
---@field content any A Lua value of its own: changing it changes no resource.
---@field content_kind string `bytes`, `text`, `json`, `image` or `value`.
---@field content_type string With its parameters.
---@field charset? string As the server named it, in lower case.
---@field headers resthost.headers Read only; names compare without case.
---@field status? integer Of the response that the content came with; nil if it was made here. A 304 changes none.
---@field url? string Where that response came from, after redirects; without user and password.
---@field http_version? string `1.1` or `2`, for example.
---@field etag? string With its quotes.
---@field timestamp number When it was received or confirmed, Unix seconds.
---@field text string The content if it is text, else an empty string.
---@field json table The content if it is a table, else an empty one.
local entity = {}

---All values of a header, in order.
---@param name string
---@return string[]
function entity:header_values(name) end

---Why a request failed. tostring gives one readable line.
---@class resthost.error
---@field user_message string A sentence for people.
---@field http_status_code? integer The status of the answer, if there was one.
---@field entity? resthost.entity The body that came with the failure.
---@field cause? table `type` and the details of the cause.
---@field timestamp number Unix seconds.
---@field url? string The URL that was asked, without user and password.
---@field method? string The method that was used.
---@field attempt integer Which attempt failed, from 1.
---@field attempts resthost.attempt[] What was sent and what came of it, in order: tables with `number url status error waited queued reason timings http_version reused bytes_sent bytes_received remote_address`. Times are seconds. `bytes_sent` counts the head and the body of the request, `bytes_received` the body of the answer before it is decoded.
---@field text string The body if it is text, else an empty string.
---@field json table The body if it is a table, else an empty one.
local error = {}

---Header fields by name, whatever its case. Assign a string, a list, or nil to remove, which also keeps the host from sending its own: Accept (`*/*`), Accept-Encoding and User-Agent. In a table `rest.null` stands for nil.
---@class resthost.headers
---@field [string] string|string[]|nil
local headers = {}

---A string that is bytes, not text; made by rest.bytes.
---@class resthost.bytes
---@field string string The bytes as a Lua string.
local bytes = {}

---The content of an image resource.
---@class resthost.image
---@field format string `png`, `jpeg`, `gif`, `webp` or `bmp`.
---@field width integer In pixels.
---@field height integer In pixels.
---@field bytes string The file as it came.
local image = {}

---Values by key that survive a reload. Those of `rest.store` are shared with module transformers; those of `rest.store.open` survive the program, too.
---@class resthost.store
---@field open function `rest.store.open(path, { max_bytes = })` gives a store with the same methods that is kept in a file, relative to the script's folder, where `--allow-read` and `--allow-write` permit: see Reloading. 64 MiB at most, unless `max_bytes` says otherwise.
local store = {}

---The value; nil when there is none or its time is over.
---@param key string
---@return any?
function store:get(key) end

---@class resthost.store.set.options
---@field ttl number

---Keeps a value, for `ttl` seconds by the time of day or for ever; nil deletes it.
---@param key string
---@param value any
---@param options? resthost.store.set.options
---@return true|nil
---@return string?
function store:set(key, value, options) end

---Adds 1, or `by`, to a number that begins at 0.
---@param key string
---@param by? number
---@return number|nil
---@return string?
function store:incr(key, by) end

---False when there was nothing.
---@param key string
---@return boolean
function store:delete(key) end

---All keys, or those that begin so; sorted.
---@param prefix? string
---@return string[]
function store:keys(prefix) end

---@class resthost.timeouts
---@field connect number
---@field first_byte number
---@field idle number
---@field total number

---@class resthost.redirects
---@field follow boolean
---@field max integer
---@field keep_headers string[]
---@field on? (fun(from: string, to: string, status: integer): boolean|nil)

---@class resthost.retry
---@field attempts integer
---@field base number
---@field cap number
---@field budget number
---@field statuses integer[]
---@field when? (fun(err: resthost.error, attempt: integer): boolean|number|nil)

---@class resthost.limits
---@field in_flight? integer
---@field queue? integer
---@field queue_timeout number
---@field rate? resthost.rate
---@field scope "host"|"service"|string

---@class resthost.breaker
---@field ratio number
---@field requests integer
---@field window number
---@field open number

---@class resthost.rate
---@field requests integer
---@field per number
---@field burst? integer

---@class resthost
---@field use_this_response resthost.action
---@field env resthost.env
---@field store resthost.store
---@field version string
---@field null lightuserdata
local rest = {}

---@class resthost.service.options
---@field base_url? string
---@field name? string
---@field standard_transformers? string[]
---@field transport? table

---Declares a service.
---@param options resthost.service.options
---@return resthost.service
function rest.service(options) end

---Defines a request of any URL, with a service of its own that has all defaults.
---@param method string
---@param url string
---@param properties? resthost.properties
---@return resthost.definition
function rest.request(method, url, properties) end

---Text that is escaped already, for a component of a path, the value of a parameter and resource:child.
---@param text string
---@return resthost.raw
function rest.raw(text) end

---A request that has failed already.
---@param error resthost.error|string
---@return resthost.request
function rest.failed_request(error) end

---A response that is a success.
---@param entity resthost.entity
---@return resthost.response
function rest.success(entity) end

---A response that is a failure.
---@param error resthost.error
---@return resthost.response
function rest.failure(error) end

---Ends a chain with this response, which passes no pipeline.
---@param response resthost.response|resthost.info|resthost.entity|resthost.error
---@return resthost.action
function rest.use_response(response) end

---Has a chain wait for this request, which is started if need be.
---@param request resthost.request
---@return resthost.action
function rest.pass_to(request) end

---@class resthost.custom_request.options
---@field start fun(complete: fun(outcome: resthost.response|resthost.entity|resthost.error): boolean)
---@field cancel? fun()
---@field progress? fun(): number
---@field timeout? number

---A request with work of the script's own, not started. start gets `complete(response | entity | error) -> boolean`, to be called once, within `timeout` seconds: by default those of `c.timeouts.total`, 0 for any time.
---@param options resthost.custom_request.options
---@return resthost.request
function rest.custom_request(options) end

---A decorator that renews a token: fn runs once for all requests that were refused together, and each is repeated once.
---@param predicate integer|(fun(err: resthost.error): boolean)
---@param fn fun(): true|nil, resthost.error
---@return fun(resource: resthost.resource, request: resthost.request): resthost.request
function rest.refresh_on(predicate, fn) end

---A pattern for the whole URL.
---@param pattern string
---@param options? string
---@return resthost.regex
function rest.regex(pattern, options) end

---@class resthost.content_transformer.options
---@field transform resthost.transformation
---@field input? string|table
---@field output? string|table
---@field on_mismatch? "error"|"skip"|"skip_if_output_matches"
---@field transform_errors? boolean
---@field empty? boolean
---@field description? string

---A transformer with type rules.
---@param options resthost.content_transformer.options
---@return resthost.transformation
function rest.content_transformer(options) end

---A transformer of whole responses.
---@param fn function
---@param description? string
---@return resthost.transformation
function rest.response_transformer(fn, description) end

---Gives the body of a success to fn as it comes, in pieces, decoded; waits for the end, whose entity has no content. fn may wait: the server waits too. What fn raises ends the request, and is the error.
---@param request resthost.request|resthost.definition
---@param fn fun(chunk: string)
---@return resthost.entity|nil
---@return resthost.error?
function rest.stream(request, fn) end

---@class resthost.status.options
---@field resources resthost.resource[]
---@field priority? string[]

---One status over several resources.
---@param options resthost.status.options
---@return resthost.status
function rest.status(options) end

---Runs fn with each event of the engine of these kinds, one after the other: request, attempt, response, cache, breaker, limit, reload, state. When fn is slower than they come, the oldest of 1,024 that wait go, and `event.dropped` says how many.
---@param kinds string[]
---@param fn fun(event: string)
---@return resthost.listener
function rest.on_event(kinds, fn) end

---Runs fn as a job of its own; it may wait.
---@param fn function
---@param ... any
---@return resthost.job
function rest.spawn(fn, ...) end

---Waits.
---@param seconds number
function rest.sleep(seconds) end

---Runs fn once, later.
---@param seconds number
---@param fn function
---@return resthost.timer
function rest.after(seconds, fn) end

---@class resthost.every.options
---@field zone string

---Runs fn again and again, every so many seconds, or at times as of cron: `"*/5 * * * *"`, `"0 9 * * MON-FRI"`, `"@daily"`, in the local zone or in that of `zone = "Europe/Berlin"`. A run that is late is left out.
---@param seconds number|string
---@param options? resthost.every.options
---@param fn function
---@return resthost.timer
---@overload fun(seconds: number|string, fn: function): resthost.timer
function rest.every(seconds, options, fn) end

---Waits for all; the results in order.
---@param list (resthost.request|function)[]
---@return any[]|nil
---@return resthost.error?
---@return any[]?
function rest.all(list) end

---Runs fn on each item, so many at a time.
---@param list any[]
---@param limit integer
---@param fn fun(item: any, index: integer)
---@return any[]|nil
---@return resthost.error?
---@return any[]?
function rest.gather(list, limit, fn) end

---@class resthost.gateway.options
---@field listen? string
---@field expose? table<string, { paths?: string[], methods?: string[] }>
---@field auth? { bearer?: string, tokens?: table[], client_ca?: string, clients?: table[] }
---@field tls? { certificate: string, key: string }
---@field server_names? string[]
---@field forward? { headers: string[] }
---@field keep? { headers: string[] }
---@field limits? { connections?: integer, header_bytes?: integer, target_bytes?: integer, body?: integer|string, stream_body?: integer|string, header_timeout?: number, idle_timeout?: number, per_client?: { rate?: { requests: number, per?: number, burst?: number }, in_flight?: integer, streams?: integer } }
---@field timeout? number
---@field access_log? boolean

---Declares the HTTP gateway.
---@param options resthost.gateway.options
---@return resthost.gateway
function rest.gateway(options) end

---@class resthost.response.options
---@field status? resthost.status
---@field headers? resthost.headers|table<string, string|string[]>
---@field json? any
---@field text? string
---@field body? string
---@field content_type? string

---What a route answers, where its content alone doesn't say it: one of `json`, `text` and `body`, or none.
---@param options resthost.response.options
---@return resthost.response
function rest.response(options) end

---The content of a file, relative to the script's folder. It must lie where `--allow-read` permits, by default below that folder; of 64 MiB at most.
---@param path string
---@return string|nil
---@return string?
function rest.read_file(path) end

---Replaces a file, or makes it: whoever reads it sees the old content or the new, never a part. It must lie where `--allow-write` permits, by default below the script's folder; 64 MiB at most.
---@param path string
---@param bytes string
---@return true|nil
---@return string?
function rest.write_file(path, bytes) end

---@class resthost.permissions.options
---@field read? string[]|false
---@field write? string[]|false
---@field env? string[]|false
---@field net? string[]|false

---Gives up what the script doesn't need: lists of paths, names and hosts, or false for nothing at all. It grants nothing that was not granted from outside, and holds from here on.
---@param options resthost.permissions.options
function rest.permissions(options) end

---Runs fn when another version of the script has taken this one's place. Its timers and jobs are cancelled then; fn may wait.
---@param fn fun()
function rest.on_reload(fn) end

---Runs fn when the program is about to end; fn may wait, as long as requests in flight may take.
---@param fn fun()
function rest.on_shutdown(fn) end

---@class resthost.entity.options
---@field content any
---@field content_type? string
---@field headers? resthost.headers|table<string, string|string[]>
---@field charset? string
---@field timestamp? number
---@field status? integer
---@field url? string
---@field http_version? string

---An entity of the script's own; `headers` may be those of another.
---@param options resthost.entity.options
---@return resthost.entity
function rest.entity(options) end

---@class resthost.error.options
---@field user_message? string
---@field http_status_code? integer
---@field entity? resthost.entity
---@field cause? table

---An error of the script's own.
---@param options resthost.error.options
---@return resthost.error
function rest.error(options) end

---Makes a string bytes, where it would be text.
---@param s string
---@return string
function rest.bytes(s) end

---Unix time in seconds.
---@return number
function rest.now() end

---Gives the text back, and hides it from now on: as `***` in whatever is printed, logged, explained or recorded.
---@param text string
---@return string
function rest.secret(text) end

rest.auth = {}

---A decorator that sends user and password with each request (RFC 7617), to the resource's own origin only.
---@param user string
---@param password string
---@return fun(resource: resthost.resource, request: resthost.request): resthost.request
function rest.auth.basic(user, password) end

---A decorator that answers the server's Digest challenges (RFC 7616: MD5, SHA-256 and SHA-512-256), for the resource's own origin only. What refuses the answer is the request's failure.
---@param user string
---@param password string
---@return fun(resource: resthost.resource, request: resthost.request): resthost.request
function rest.auth.digest(user, password) end

rest.transformers = {}

---@class resthost.transformers.json.options
---@field transform_errors? boolean
---@field empty? boolean
---@field allow_fragments? boolean

---The standard json transformer.
---@param options? resthost.transformers.json.options
---@return resthost.transformation
function rest.transformers.json(options) end

---@class resthost.transformers.text.options
---@field transform_errors? boolean
---@field empty? boolean
---@field charset? string

---The standard text transformer.
---@param options? resthost.transformers.text.options
---@return resthost.transformation
function rest.transformers.text(options) end

---@class resthost.transformers.image.options
---@field transform_errors? boolean
---@field empty? boolean

---The standard image transformer.
---@param options? resthost.transformers.image.options
---@return resthost.transformation
function rest.transformers.image(options) end

---@class resthost.transformers.ndjson.options
---@field transform_errors? boolean
---@field empty? boolean

---The standard ndjson transformer.
---@param options? resthost.transformers.ndjson.options
---@return resthost.transformation
function rest.transformers.ndjson(options) end

rest.cache = {}

---@class resthost.cache.memory.options
---@field max_bytes? integer

---Keeps entities in this process, 16 MiB of them by default; those not used for longest go first. Make it once, outside of blocks; in a block, one line makes one cache, however often it runs.
---@param options? resthost.cache.memory.options
---@return resthost.cache
function rest.cache.memory(options) end

---@class resthost.cache.custom.options
---@field key fun(resource: resthost.resource, stage: string): any
---@field read fun(key: any): resthost.entity?
---@field write fun(key: any, entity: resthost.entity)
---@field remove fun(key: any)
---@field update_timestamp? fun(key: any, timestamp: number)

---Calls `key(resource, stage)`, `read(key)`, `write(key, entity)`, `remove(key)` and `update_timestamp(key, t)` (default: read, set, write). They may wait, 5 seconds in all, and fail by raising or by returning nil and a reason. A key is any value; nil keeps the resource out of the cache. `read` returns an entity or nil.
---@param options resthost.cache.custom.options
---@return resthost.cache
function rest.cache.custom(options) end

---@class resthost.cache.sqlite.options
---@field path string
---@field max_bytes? integer
---@field user? string|fun(): string?

---Keeps entities in a file of its own, relative to the script's folder, where `--allow-read` and `--allow-write` permit. `user`, a text or a function that returns one, keeps the entities of users apart; it may not wait.
---@param options resthost.cache.sqlite.options
---@return resthost.cache
function rest.cache.sqlite(options) end

---Not available in this build.
---@param options table
function rest.cache.redis(options) end

rest.log = {}

---Turns categories of the engine's log on, all others off; the ones that are on, or were before. Names: none, common, detailed, all, network, network_details, pipeline, state_changes, observers, staleness, cache, configuration.
---@param set string|string[]?
---@return string[]
function rest.log.categories(set) end

---Writes to a category of the engine's log, when it is on.
---@param category string
---@param text any
function rest.log.write(category, text) end

---Writes a line to the host's log.
---@param text any
---@param fields? table
function rest.log.debug(text, fields) end

---Writes a line to the host's log.
---@param text any
---@param fields? table
function rest.log.info(text, fields) end

---Writes a line to the host's log.
---@param text any
---@param fields? table
function rest.log.warn(text, fields) end

---Writes a line to the host's log.
---@param text any
---@param fields? table
function rest.log.error(text, fields) end

rest.json = {}

---JSON text of a value. A float is written with its fraction, so `10/2` is `5.0`: write `10//2`, or `math.tointeger(x)`, for an integer.
---@param value any
---@return string
function rest.json.encode(value) end

---@class resthost.json.decode.options
---@field big string

---The value of a JSON text. Integers beyond 64 bits become floats, or their digits as text with `{ big = "text" }`; of repeated keys the last counts.
---@param text string
---@param options? resthost.json.decode.options
---@return any|nil
---@return string?
function rest.json.decode(text, options) end

---Marks a table as an array, even when it is empty.
---@param t? table
---@return table
function rest.json.array(t) end

---Marks a table as an object, even when it is empty.
---@param t? table
---@return table
function rest.json.object(t) end

rest.base64 = {}

---RFC 4648, with padding.
---@param bytes string
---@return string
function rest.base64.encode(bytes) end

---Takes the URL alphabet too; padding may be missing.
---@param text string
---@return string|nil
---@return string?
function rest.base64.decode(text) end

rest.hex = {}

---Two hexadecimal digits for each byte, in lower case.
---@param bytes string
---@return string
function rest.hex.encode(bytes) end

---The bytes that pairs of hexadecimal digits stand for, in either case.
---@param text string
---@return string|nil
---@return string?
function rest.hex.decode(text) end

rest.crypto = {}

---The SHA-256 digest: 32 bytes, which `rest.hex.encode` makes readable.
---@param bytes string
---@return string
function rest.crypto.sha256(bytes) end

---HMAC with SHA-256 (RFC 2104): 32 bytes.
---@param key string
---@param bytes string
---@return string
function rest.crypto.hmac_sha256(key, bytes) end

---Bytes that nobody can guess, 1 to 65,536 of them.
---@param count integer
---@return string
function rest.crypto.random_bytes(count) end

---A random UUID (RFC 9562, version 4) in lower case.
---@return string
function rest.crypto.uuid() end

---Compares secrets, signatures for instance, in a time that does not tell where they differ.
---@param a string
---@param b string
---@return boolean
function rest.crypto.constant_time_equal(a, b) end

rest.url = {}

---Escapes text for a parameter or path segment.
---@param text string
---@return string
function rest.url.encode(text) end

---Resolves the escapes of a text.
---@param text string
---@return string
function rest.url.decode(text) end

---The parts of a URL.
---@param url string
---@return table|nil
---@return string?
function rest.url.parse(url) end

return rest
