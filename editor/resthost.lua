---@meta resthost
-- Written by `resthost types`; changes are lost.

---A glob relative to base_url, a regular expression, a resource, or a function of the URL.
---@alias resthost.pattern string|resthost.regex|resthost.resource|fun(url: resthost.url): boolean

---A function of content and entity, the name of a module that returns one, or a transformer of rest.
---@alias resthost.transformation resthost.transformer|string|fun(content: any, entity: resthost.entity): any

---The value of a path's component, or of a query's parameter.
---@alias resthost.text string|number|boolean|resthost.raw

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

---A table of what is sent: an endpoint, a definition or a modifier takes it.
---@class resthost.properties.multipart
---@field name string Of the field.
---@field value? string|number|boolean Its value; a part has either this or `file`.
---@field file? string The path of a file that is read while it is sent.
---@field filename? string What the server hears as the file's name.
---@field content_type? string Of the part.

---@class resthost.properties
---@field headers? table<string, string|string[]>|string[][] By name, or a list of pairs in its order.
---@field query? table<string, resthost.text|resthost.text[]>|any[][] Parameters by name, or a list of pairs in its order: texts, numbers, booleans or what rest.raw gives.
---@field path? resthost.text[] Components of the path, behind what is there.
---@field content_type? string Of the body, in place of the one that its kind brings.
---@field body? string Bytes that are sent as they are. A request has one of `body`, `text`, `json`, `form`, `multipart` and `file`.
---@field charset? string Of `text`.
---@field text? string Text, in the charset that `charset` names.
---@field json? any A value that is sent as JSON.
---@field form? table Names and values, sorted by name, or a list of pairs in its order; sent as a form of a page is.
---@field multipart? resthost.properties.multipart[] Parts, in their order, as of a form with files.
---@field file? string The path of a file that is read while it is sent.
---@field configure? fun(c: resthost.configuration) Configures the requests, behind the blocks of the service.
---@field idempotency_key? string|boolean Sent as `Idempotency-Key`, the same for a request and its repeats; `true` makes a random one.
---@field query_style? "repeat"|"brackets"|"indices"|"comma" How lists in the query are written; the last one given holds for all.

---An API: a base URL, configuration blocks, and resources.
---@class resthost.service
---@field name string Unique in a script.
---@field base_url? string With a slash at its end.
---@field cached_resource_count_limit integer When so many resources are live, one that nobody uses goes for each that comes: of those without data first, then the one that was not used for longest.
---@field cached_resource_bytes_limit integer Bytes that its resources hold at the most; beyond it what was not used for longest goes. The host's limit, unless it is set to less.
local service = {}

---What requests below a path have in common; an empty path gives properties alone (see properties).
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
---@field methods? string|string[] Those that the block is for; without it all.
---@field description? string What `explain` calls the block. 4 KiB at most.

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
---@field stage? string The stage that it is added to. 1 KiB at most.
---@field action? "replace"|"append" Whether it takes the place of the stage's transformers or stands behind them.
---@field methods? string|string[] Of the requests whose content it gets; without it those that bring content.
---@field content_types? string|string[] Those that it is for; without it all.
---@field input? "any"|"bytes"|"text"|"json"|"image"|"table"|"number"|"boolean"|table What it takes: a type of content, or a class table whose objects it is for.
---@field output? "any"|"bytes"|"text"|"json"|"image"|"table"|"number"|"boolean"|table What it gives, in the same words.
---@field on_mismatch? "error"|"skip"|"skip_if_output_matches" What becomes of a content that `input` doesn't take.
---@field transform_errors? boolean Transforms the bodies of errors too.
---@field empty? boolean Transforms a success without a body too.
---@field description? string What errors and explanations call it. 4 KiB at most.

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

---What requests below a path have in common; an empty path gives properties alone (see properties).
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
---@field with_secrets? boolean Shows secrets as they are.

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

---@class resthost.resource.request.options.multipart
---@field name string Of the field.
---@field value? string|number|boolean Its value; a part has either this or `file`.
---@field file? string The path of a file that is read while it is sent.
---@field filename? string What the server hears as the file's name.
---@field content_type? string Of the part.

---@class resthost.resource.request.options
---@field content_type? string In place of the one that the kind of body brings.
---@field headers? resthost.headers|table<string, string|string[]> Set over those of blocks.
---@field query? table Parameters that are added to the URL, by name or as a list of pairs; `rest.null` removes one.
---@field mutate? fun(draft: resthost.draft) Edits the request before the mutators of blocks do.
---@field idempotency_key? string|boolean Sent as `Idempotency-Key`, the same for a request and its repeats; `true` makes a random one.
---@field to_file? string The path of a file that gets the body of a success, and takes its place when it is whole; no transformer runs.
---@field body? string Bytes that are sent as they are. A request has one of `body`, `text`, `json`, `form`, `multipart` and `file`.
---@field charset? string Of `text`.
---@field text? string Text, in the charset that `charset` names.
---@field json? any A value that is sent as JSON.
---@field form? table Names and values, sorted by name, or a list of pairs in its order; sent as a form of a page is.
---@field multipart? resthost.resource.request.options.multipart[] Parts, in their order, as of a form with files.
---@field file? string The path of a file that is read while it is sent.

---A started request; the resource's state is untouched. Paths of files are relative to the script's folder.
---@param method string
---@param options? resthost.resource.request.options
---@return resthost.request
function resource:request(method, options) end

---@class resthost.resource.get.options
---@field only_if_cached? boolean Sends nothing, and gives what is there, whatever its age.

---Waits for up-to-date content.
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
---@field content_types? string|string[] Those that it is for; without it all.

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
---@field expiration_time? number How long an answer to GET is kept, and made once for all who ask; without it no answer is. In seconds. 0 or more.

---Answers a path of the gateway's own with `fn(request)`, which may wait, and gives a content, a `rest.response`, or nil and an error. `{name}` in the path stands for one segment, `{name*}` at its end for all that are left: `request.params.name`.
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
---@field ttl? number Seconds for which it is kept, by the time of day; without it for ever.

---Keeps a value; nil deletes it.
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
---@field connect number For name look-up, connection and TLS handshake.
---@field first_byte number From then to the first byte of the response.
---@field idle number Without a byte in either direction.
---@field total number For a whole request, as its caller sees it.

---@class resthost.redirects
---@field follow boolean Whether they are followed; else the redirect itself is the response.
---@field max integer So many are followed; one more is an error.
---@field keep_headers string[] Names of headers that go along to another origin, too.
---@field on? (fun(from: string, to: string, status: integer): boolean|nil) Is asked before each; with `false` the redirect itself is the response.

---@class resthost.retry
---@field attempts integer In all, the first included.
---@field base number Seconds: the longest first wait, which doubles from one to the next.
---@field cap number Seconds: the longest wait of all.
---@field budget number Retries of a host as a share of its requests that may be sent again.
---@field statuses integer[] Those that are tried again, besides failures of the network that may pass.
---@field when? (fun(err: resthost.error, attempt: integer): boolean|number|nil) Says whether to try again, or after so many seconds; nil is as usual.

---@class resthost.limits
---@field in_flight? integer Requests on their way at once.
---@field queue? integer So many may wait; 0 lets none.
---@field queue_timeout number So many seconds each of them.
---@field rate? resthost.rate So many in so many seconds: a table, set as a whole.
---@field scope "host"|"service"|string Which requests share it: those to one origin, those of one service, or all that have this name.

---@class resthost.rate
---@field requests integer In the time that `per` says.
---@field per number That time, in seconds.
---@field burst? integer At once after a rest; without it as many as `requests`.

---@class resthost.breaker
---@field ratio number The share of failures that opens it.
---@field requests integer Fewer answers than these say nothing.
---@field window number Seconds whose answers count.
---@field open number Seconds in which requests fail at once; then one is let through, and decides.

---@class resthost
---@field use_this_response resthost.action
---@field env resthost.env
---@field store resthost.store
---@field version string
---@field null lightuserdata
local rest = {}

---@class resthost.service.options.transport.cookies
---@field path? string Of a database, relative to the script's folder.

---@class resthost.service.options.transport
---@field cookies? boolean|resthost.service.options.transport.cookies Keeps the cookies of answers and sends them; in a table, with a file for those that last.
---@field http2? boolean Speaks HTTP/2 with servers that choose it in the TLS handshake.
---@field proxy? string `http://`, `https://`, `socks5h://` and so on, with `user:password@` if need be; an empty string is none. Without the option the usual environment variables count.
---@field no_proxy? string Hosts that are asked without a proxy: `"inside.example,10.0.0.0/8"`; `"*"` is all.
---@field ca_file? string A PEM file of certificates to trust in place of the system's, for the server and for a proxy with `https://`.
---@field ca_path? string A folder of such files, as `openssl rehash` makes it; with `ca_file` both count.
---@field client_certificate? string A PEM file of the certificate that says who the service is to the API.
---@field client_key? string A PEM file of its key, which may be in `client_certificate` too.
---@field pins? string[] Public keys, one of which the server must have: `{ "sha256//…" }`, the base64 of the SHA-256 of the key (RFC 7469 2.4). They hold for every host that is asked, after redirects too.
---@field min_tls? "1.2"|"1.3" The oldest version of TLS to speak.
---@field ip? "any"|"v4"|"v6" Which addresses of a host are used.
---@field resolve? table<string, string> Where to connect for a host: `{ ["api.example.com:443"] = "192.0.2.1" }`; its certificate and Host stay.
---@field unix_socket? string A path to connect to, whatever the host is.
---@field max_connections_per_host? integer Connections to one host and port, of the whole program. With HTTP/2 a hundred requests share one, and those beyond open one each unless this says how many. 1 or more.
---@field max_connections? integer Connections in all, of the whole program. 1 or more.
---@field user_agent? string Sent when a request has no User-Agent; without the option `resthost/` and its version.

---@class resthost.service.options
---@field base_url? string Where the API is; without it only absolute URLs work. 2 MiB at most.
---@field name? string Unique in a script; without it the host of `base_url`, or `service`. 1 KiB at most.
---@field standard_transformers? ("json"|"text"|"image"|"ndjson")[] Which of them the pipeline begins with: all, unless this says so; with `{}` bodies stay bytes.
---@field transport? resthost.service.options.transport How the service connects, as far as that is not like everybody else.

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
---@field start fun(complete: fun(outcome: resthost.response|resthost.entity|resthost.error): boolean) Begins the work. It gets `complete(response | entity | error) -> boolean`, to be called once.
---@field cancel? fun() Ends the work.
---@field progress? fun(): number How far the work is, from 0 to 1.
---@field timeout? number Seconds in which `complete` has to be called, 0 for any time; without it those of `c.timeouts.total`.

---A request with work of the script's own, not started.
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
---@field transform resthost.transformation A function of content and entity, the name of a module that returns one, or a transformer.
---@field input? "any"|"bytes"|"text"|"json"|"image"|"table"|"number"|"boolean"|table What it takes: a type of content, or a class table whose objects it is for.
---@field output? "any"|"bytes"|"text"|"json"|"image"|"table"|"number"|"boolean"|table What it gives, in the same words.
---@field on_mismatch? "error"|"skip"|"skip_if_output_matches" What becomes of a content that `input` doesn't take.
---@field transform_errors? boolean Transforms the bodies of errors too.
---@field empty? boolean Transforms a success without a body too.
---@field description? string What errors and explanations call it. 4 KiB at most.

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
---@field resources? resthost.resource[] Those that it is over.
---@field priority? string[] The rules that decide, the first that applies before the others.

---One status over several resources, which may be the items of the table itself.
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
---@field zone? string Whose times they are, such as `"Europe/Berlin"`; without it the local zone.

---Runs fn again and again, every so many seconds, or at times as of cron: `"*/5 * * * *"`, `"0 9 * * MON-FRI"`, `"@daily"`. A run that is late is left out.
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

---@class resthost.gateway.options.listen.tls
---@field certificate string A PEM file of the certificate, with those between it and its issuer.
---@field key string A PEM file of its private key.

---@class resthost.gateway.options.listen.expose
---@field paths? string[] Globs as of configuration blocks; without it all paths.
---@field methods? string[] Which are let through.

---@class resthost.gateway.options.listen
---@field address string `host:port` or `unix:/path`.
---@field mode? string Who may open a Unix socket, in octal: `"0660"`.
---@field tls? false|resthost.gateway.options.listen.tls As for all addresses, unless it says otherwise; `false` is none.
---@field expose? table<string, resthost.gateway.options.listen.expose> What this address shows of it.
---@field operator? boolean Its clients may ask what the host does.

---@class resthost.gateway.options.expose
---@field paths? string[] Globs as of configuration blocks; without it all paths.
---@field methods? string[] Which are let through.

---@class resthost.gateway.options.auth.tokens.expose
---@field paths? string[] Globs as of configuration blocks; without it all paths.
---@field methods? string[] Which are let through.

---@class resthost.gateway.options.auth.tokens
---@field name string Of who has it, for logs and metrics.
---@field token? string Its text; either this or `sha256`.
---@field sha256? string The hash of its text: 64 hexadecimal digits.
---@field expose? table<string, resthost.gateway.options.auth.tokens.expose> What is shown to it, of what its address shows.
---@field operator? boolean It may ask what the host does.

---@class resthost.gateway.options.auth.clients.expose
---@field paths? string[] Globs as of configuration blocks; without it all paths.
---@field methods? string[] Which are let through.

---@class resthost.gateway.options.auth.clients
---@field name string A name in its certificate.
---@field expose? table<string, resthost.gateway.options.auth.clients.expose> What is shown to it, of what its address shows.
---@field operator? boolean It may ask what the host does.

---@class resthost.gateway.options.auth
---@field bearer? string The token of all clients.
---@field tokens? resthost.gateway.options.auth.tokens[] Tokens of several clients.
---@field client_ca? string A PEM file of certificates: a client's has to be signed by one of them.
---@field clients? resthost.gateway.options.auth.clients[] Which of those clients are let in; without it all of them.

---@class resthost.gateway.options.cors
---@field origins? string[] Those of the pages: `https://app.example`; `*` is all.
---@field methods? string[] Which a page may use beside GET, HEAD and POST; without it whatever is exposed.
---@field headers? string[] Which a page may send.
---@field credentials? boolean Pages may send cookies and the like; not for `*`.
---@field max_age? number How long a browser may remember the answer to its question. In seconds. 0 to 86400.

---@class resthost.gateway.options.forward
---@field headers? string[] Their names.

---@class resthost.gateway.options.keep
---@field headers? string[] Their names.

---@class resthost.gateway.options.limits.per_client.rate
---@field requests number So many in the time that `per` says.
---@field per? number That time, in seconds.
---@field burst? number So many may come at once; without it as many as `requests`.

---@class resthost.gateway.options.limits.per_client
---@field rate? resthost.gateway.options.limits.per_client.rate How often it may ask; beyond it the answer is 429.
---@field in_flight? integer Requests under way that wait for something. 1 to 1000000.
---@field streams? integer Streams of events. 1 to 1000000.

---@class resthost.gateway.options.limits
---@field connections? integer At once. 1 to 1000000.
---@field header_bytes? integer A request line and its header together. 1024 to 1048576.
---@field target_bytes? integer A request's path and query. 256 to 1048576.
---@field header_timeout? number For the header of a request to come. In seconds. 0.1 to 86400.
---@field idle_timeout? number After which a connection without a request is closed. In seconds. 0.1 to 86400.
---@field body? integer|string A request's body, which is held until it is whole. 1 TiB at most.
---@field stream_body? integer|string A longer one, which goes to the API as it comes. 1 TiB at most.
---@field per_client? resthost.gateway.options.limits.per_client What one client, by its token or else its address, may use.

---@class resthost.gateway.options.tls
---@field certificate string A PEM file of the certificate, with those between it and its issuer.
---@field key string A PEM file of its private key.

---@class resthost.gateway.options
---@field listen? string|(string|resthost.gateway.options.listen)[] `host:port`, or `unix:/path`, or a list of them; port 0 is chosen by the system. A table has what is different about one.
---@field expose? table<string, resthost.gateway.options.expose> Services by name, and what of them clients see; without it every service, all paths, GET and HEAD.
---@field auth? resthost.gateway.options.auth Who may use it: each has to show a token, or a certificate.
---@field cors? resthost.gateway.options.cors Which pages of other origins may use it.
---@field timeout? number For one request; then it is answered with 504. Without it twice `timeouts.total` of the resource's configuration. In seconds. Above 0.
---@field server_names? string[] Names that clients may call it by, in `Host`.
---@field forward? resthost.gateway.options.forward Which of a client's headers go to the API.
---@field keep? resthost.gateway.options.keep Which of the API's headers go to clients, beside the usual ones.
---@field limits? resthost.gateway.options.limits What clients may use.
---@field access_log? boolean Writes a line of the log for each answer.
---@field tls? resthost.gateway.options.tls Speaks TLS on all addresses but Unix sockets.

---Declares the HTTP gateway.
---@param options resthost.gateway.options
---@return resthost.gateway
function rest.gateway(options) end

---@class resthost.response.options
---@field status? integer Of the answer. 200 to 599.
---@field headers? resthost.headers|table<string, string|string[]> Of the answer.
---@field json? any A value that is sent as JSON.
---@field text? string It is sent as UTF-8.
---@field body? string It is sent as it is.
---@field content_type? string Without it that of the content: JSON, text, or `application/octet-stream`.

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
---@field read? string[]|string|false Paths that it may read.
---@field write? string[]|string|false Paths that it may write.
---@field env? string[]|string|false Variables of the environment that it may read.
---@field net? string[]|string|false Hosts that it may ask.

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
---@field content any A text, a table or rest.bytes(…).
---@field headers? resthost.headers|table<string, string|string[]> Those of another entity, or a table.
---@field content_type? string In place of the one in `headers`.
---@field charset? string Of the content, as the server says it.
---@field timestamp? number Unix time in seconds; without it now.
---@field status? integer Three digits.
---@field url? string Where it came from.
---@field http_version? string By which it came.

---An entity of the script's own.
---@param options resthost.entity.options
---@return resthost.entity
function rest.entity(options) end

---@class resthost.error.options
---@field user_message? string A sentence for people; without it one is made of the others.
---@field http_status_code? integer Of the response, where there was one.
---@field entity? resthost.entity The body of the response.
---@field cause? table|resthost.error What went wrong: `{ type = "mine", … }`, or another error.

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
---@field transform_errors? boolean Transforms the bodies of errors too.
---@field empty? boolean Transforms a success without a body too.
---@field allow_fragments? boolean Takes a text that is one value, neither an object nor an array.

---The standard json transformer.
---@param options? resthost.transformers.json.options
---@return resthost.transformation
function rest.transformers.json(options) end

---@class resthost.transformers.text.options
---@field transform_errors? boolean Transforms the bodies of errors too.
---@field empty? boolean Transforms a success without a body too.
---@field charset? string Of the body, whatever it says itself.

---The standard text transformer.
---@param options? resthost.transformers.text.options
---@return resthost.transformation
function rest.transformers.text(options) end

---@class resthost.transformers.image.options
---@field transform_errors? boolean Transforms the bodies of errors too.
---@field empty? boolean Transforms a success without a body too.

---The standard image transformer.
---@param options? resthost.transformers.image.options
---@return resthost.transformation
function rest.transformers.image(options) end

---@class resthost.transformers.ndjson.options
---@field transform_errors? boolean Transforms the bodies of errors too.
---@field empty? boolean Transforms a success without a body too.

---The standard ndjson transformer.
---@param options? resthost.transformers.ndjson.options
---@return resthost.transformation
function rest.transformers.ndjson(options) end

rest.cache = {}

---@class resthost.cache.memory.options
---@field max_bytes? integer Bytes that it holds; without it 16 MiB in memory, 256 MiB in a file. 1 or more.

---Keeps entities in this process; those not used for longest go first. Make it once, outside of blocks; in a block, one line makes one cache, however often it runs.
---@param options? resthost.cache.memory.options
---@return resthost.cache
function rest.cache.memory(options) end

---@class resthost.cache.custom.options
---@field key fun(resource: resthost.resource, stage: string): any Gives any value, by which the others know the entity; nil keeps the resource out of the cache.
---@field read fun(key: any): resthost.entity? Gives the entity, or nil.
---@field write fun(key: any, entity: resthost.entity) Keeps the entity.
---@field remove fun(key: any) Forgets it.
---@field update_timestamp? fun(key: any, timestamp: number) Sets its time; without it, it is read, set and written.

---Keeps entities by functions of the script's own. They may wait, 5 seconds in all, and fail by raising or by returning nil and a reason.
---@param options resthost.cache.custom.options
---@return resthost.cache
function rest.cache.custom(options) end

---@class resthost.cache.sqlite.options
---@field path string Of its file, relative to the script's folder.
---@field max_bytes? integer Bytes that it holds; without it 16 MiB in memory, 256 MiB in a file. 1 or more.
---@field user? string|(fun(): string?) Keeps the entities of users apart: whose they are. A function is asked for each key, and may not wait.

---Keeps entities in a file of its own, where `--allow-read` and `--allow-write` permit.
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
---@field big? "float"|"text" What integers beyond 64 bits become: floats, or texts of their digits.

---The value of a JSON text; of repeated keys the last counts.
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
