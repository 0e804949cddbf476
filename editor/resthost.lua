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

---A table with parts of a request: an endpoint, a definition or a modifier takes it.
---@class resthost.properties.multipart
---@field name string The name of the field.
---@field value? string|number|boolean Its value; a part has either this or `file`.
---@field file? string The path of a file that is read while it is sent.
---@field filename? string The name of the file for the server.
---@field content_type? string The content type of the part.

---@class resthost.properties
---@field headers? table<string, string|string[]>|string[][] Headers by name, or as a list of pairs in order.
---@field query? table<string, resthost.text|resthost.text[]>|any[][] Parameters by name, or as a list of pairs in order: strings, numbers, booleans or results of rest.raw.
---@field path? resthost.text[] Components that are appended to the path.
---@field content_type? string The body's content type, in place of the default for its kind.
---@field body? string Bytes that are sent unchanged. A request has one of `body`, `text`, `json`, `form`, `multipart` and `file`.
---@field charset? string Of `text`. Default: `"utf-8"`.
---@field text? string Text, in the charset that `charset` names.
---@field json? any A value that is sent as JSON.
---@field form? table The fields of an HTML form: a table, which is sorted by name, or a list of pairs in order.
---@field multipart? resthost.properties.multipart[] The parts of a form with files, in order.
---@field file? string The path of a file that is read while it is sent.
---@field configure? fun(c: resthost.configuration) Configures the requests, after the blocks of the service.
---@field idempotency_key? string|boolean Sent as `Idempotency-Key`, the same for a request and its repeats; `true` makes a random one. Default: `false`.
---@field query_style? "repeat"|"brackets"|"indices"|"comma" How lists in the query are written. The last style that was given applies to all. Default: `"repeat"`.

---An API: a base URL, configuration blocks, and resources.
---@class resthost.service
---@field name string The name, which is unique in a script.
---@field base_url? string The base URL, with a slash at its end.
---@field cached_resource_count_limit integer The number of live resources from which each new one replaces an unused one: first one without data, then the one that was not used for longest.
---@field cached_resource_bytes_limit integer The most bytes of its resources; beyond it those not used for longest are dropped. Default: the host's limit, which it can only lower.
local service = {}

---Defines the common properties of requests below a path, which may be empty (see properties).
---@param path string
---@param properties? resthost.properties
---@return resthost.endpoint
function service:endpoint(path, properties) end

---Defines a request. With names in the template, as in `{login}/repos`, or with a function that returns properties, the result is called with the values and returns a definition.
---@param method string
---@param template? string
---@param properties? resthost.properties|(fun(...: any): resthost.properties)
---@return resthost.definition|resthost.definition_maker
function service:define(method, template, properties) end

---@class resthost.service.resource.options
---@field partition? string The partition that it belongs to, such as a user's name; nil: that of everybody. 1 KiB at most.

---The resource at base URL and path; the path is text, never read as a URL.
---@param path string
---@param options? resthost.service.resource.options
---@return resthost.resource
function service:resource(path, options) end

---The resource at an absolute URL, or at a path below another base.
---@param url? string
---@param path? string
---@return resthost.resource
function service:resource_at(url, path) end

---@class resthost.service.configure.options
---@field methods? string|string[] The methods that the block is for; default: all.
---@field description? string The name of the block in `explain`. 4 KiB at most.

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
---@field stage? string The stage that it is added to. 1 KiB at most. Default: `"model"`.
---@field action? "replace"|"append" Whether it replaces the stage's transformers or is added behind them. Default: `"replace"`.
---@field methods? string|string[] The methods of requests whose content it gets; default: those that load content.
---@field content_types? string|string[] The content types that it is for; default: all.
---@field input? "any"|"bytes"|"text"|"json"|"image"|"table"|"number"|"boolean"|table The type of content that it takes, or a class table for objects of that class. Default: `"any"`.
---@field output? "any"|"bytes"|"text"|"json"|"image"|"table"|"number"|"boolean"|table The type of content that it returns, in the same form. Default: `"any"`.
---@field on_mismatch? "error"|"skip"|"skip_if_output_matches" How a content is treated that `input` doesn't take. Default: `"error"`.
---@field transform_errors? boolean Transforms the bodies of errors too. Default: `false`.
---@field empty? boolean Transforms a success without a body too. Default: `false`.
---@field description? string Its name in errors and explanations. 4 KiB at most.

---Adds a transformer for the content of matching resources.
---@param pattern resthost.pattern
---@param options? resthost.service.configure_transformer.options
---@param transformer resthost.transformation
---@return resthost.service
---@overload fun(self: resthost.service, pattern: resthost.pattern, transformer: resthost.transformation): resthost.service
function service:configure_transformer(pattern, options, transformer) end

---@class resthost.service.computed.options
---@field expiration_time? number How long the content stays up to date, counted from its computation; by default as configured. In seconds. 0 or more.
---@field follow? boolean Whether new data of a resource that the function read makes the content stale. While the resource is observed, it is then computed again. Default: `true`.

---Makes the content of a path's resources from other resources: `fn(params, resource)` reads them, and returns a content, or nil and an error. `{name}` in the path stands for one segment, `{name*}` at its end for all others: `params.name`.
---@param path string
---@param options? resthost.service.computed.options
---@param fn function
---@return resthost.service
---@overload fun(self: resthost.service, path: string, fn: function): resthost.service
function service:computed(path, options, fn) end

---@overload fun(self: resthost.service, plugin: "api_key", options: resthost.api_key.options): resthost.service
---@overload fun(self: resthost.service, plugin: "aws_sigv4", options: resthost.aws_sigv4.options): resthost.service
---@overload fun(self: resthost.service, plugin: "basic", options: resthost.basic.options): resthost.service
---@overload fun(self: resthost.service, plugin: "cbor", options: resthost.cbor.options): resthost.service
---@overload fun(self: resthost.service, plugin: "csv", options: resthost.csv.options): resthost.service
---@overload fun(self: resthost.service, plugin: "digest", options: resthost.digest.options): resthost.service
---@overload fun(self: resthost.service, plugin: "github_app", options: resthost.github_app.options): resthost.service
---@overload fun(self: resthost.service, plugin: "google_service_account", options: resthost.google_service_account.options): resthost.service
---@overload fun(self: resthost.service, plugin: "graphql", options: resthost.graphql.options): resthost.service
---@overload fun(self: resthost.service, plugin: "hmac", options: resthost.hmac.options): resthost.service
---@overload fun(self: resthost.service, plugin: "msgpack", options: resthost.msgpack.options): resthost.service
---@overload fun(self: resthost.service, plugin: "oauth2", options: resthost.oauth2.options): resthost.service
---@overload fun(self: resthost.service, plugin: "pages", options: resthost.pages.options): resthost.service
---@overload fun(self: resthost.service, plugin: "xml", options: resthost.xml.options): resthost.service
---@overload fun(self: resthost.service, plugin: "yaml", options: resthost.yaml.options): resthost.service
---Runs a plugin: a function of service and options, a table with one in `use`, or the name of a module that returns either. Without such a module in the script's folders, it is a plugin of the program: see [Plugins](plugins.md).
---@param plugin function|string|table
---@param options? any
---@return resthost.service
function service:use(plugin, options) end

---Makes blocks run again when they are next needed.
function service:invalidate_configuration() end

---@class resthost.service.wipe_resources.options
---@field partition? string Wipes only the resources of this partition. 1 KiB at most.
---@field pattern? string Wipes only resources whose URL matches this glob. 8 KiB at most.

---Wipes all live resources, or those that match. With a table also entries in caches whose resources are not in memory.
---@param matches? string|resthost.regex|resthost.resource|resthost.service.wipe_resources.options|(fun(resource: resthost.resource): boolean)
function service:wipe_resources(matches) end

---Drops resources that have no holders and no observers.
function service:flush_unused_resources() end

---A path of a service, with the common properties of its requests. It is a value.
---@class resthost.endpoint
---@field url string The URL: base URL and paths.
---@field service resthost.service The service that it belongs to.
local endpoint = {}

---Defines the common properties of requests below a path, which may be empty (see properties).
---@param path string
---@param properties? resthost.properties
---@return resthost.endpoint
function endpoint:endpoint(path, properties) end

---Defines a request. With names in the template, as in `{login}/repos`, or with a function that returns properties, the result is called with the values and returns a definition.
---@param method string
---@param template? string
---@param properties? resthost.properties|(fun(...: any): resthost.properties)
---@return resthost.definition|resthost.definition_maker
function endpoint:define(method, template, properties) end

---Returns a definition when it is called with the values of its template or the arguments of its function.
---@class resthost.definition_maker
local definition_maker = {}

---Text of a URL that is escaped already; made by rest.raw.
---@class resthost.raw
local raw = {}

---A request as a value: its method, URL, headers, body and configuration. Modifiers return a new one; `==` compares all of it.
---@class resthost.definition
---@field method string The method of the request.
---@field url string The URL: base URL, paths and query.
---@field headers resthost.headers The headers that it adds to those of blocks; read only.
---@field query table The parameters, as a new list of pairs of name and value.
---@field path table The components of its path, as a new list without the paths of endpoints.
---@field body_kind? string The kind of body: `body`, `text`, `json`, `form`, `multipart` or `file`; nil without a body.
---@field service resthost.service The service whose blocks, decorators and pipeline apply.
local definition = {}

---Sends it with the blocks, decorators and pipeline of its service. The resource keeps its state.
---@return resthost.request
function definition:send() end

---Waits for fresh content of its resource, and loads it with this request if necessary; for GET only.
---@return any|nil
---@return resthost.error?
function definition:get() end

---The resource at its URL.
---@return resthost.resource
function definition:resource() end

---@class resthost.definition.curl.options
---@field with_secrets? boolean Shows secrets unmasked. Default: `false`.

---A command line for a POSIX shell, with the headers of blocks, secrets masked and files by reference.
---@param options? resthost.definition.curl.options
---@return string|nil
---@return resthost.error?
function definition:curl(options) end

---Explains its requests: blocks, properties with their levels, and the request. It sends nothing.
---@return table
function definition:explain() end

---Adds properties. List headers are joined; other headers and the body are replaced.
---@param properties resthost.properties
---@return resthost.definition
function definition:adding(properties) end

---Replaces each given property as a whole.
---@param properties resthost.properties
---@return resthost.definition
function definition:setting(properties) end

---Replaces a header; nil removes it.
---@param name string
---@param value? string
---@return resthost.definition
function definition:setting_header(name, value) end

---Appends a value to a list header, and replaces any other header.
---@param name string
---@param value string
---@return resthost.definition
function definition:adding_header(name, value) end

---Removes a header; blocks may still set it.
---@param name string
---@return resthost.definition
function definition:removing_header(name) end

---Replaces all parameters of a name, at the place of the first one; nil removes them.
---@param name string
---@param value any
---@return resthost.definition
function definition:setting_query(name, value) end

---Removes all parameters of a name.
---@param name string
---@return resthost.definition
function definition:removing_query(name) end

---The same with another method.
---@param method string
---@return resthost.definition
function definition:with_method(method) end

---Adds a configuring function, which runs after the inherited ones.
---@param fn fun(c: resthost.configuration)
---@return resthost.definition
function definition:with_configuration(fn) end

---Something at a URL: its latest data and error, and how to ask for more.
---@class resthost.resource
---@field url string Its identity.
---@field partition? string The partition that it belongs to; nil: that of everybody.
---@field service resthost.service The service that it belongs to.
---@field configuration resthost.configuration The frozen configuration for GET.
---@field latest_data? resthost.entity The last good data; survives later errors.
---@field latest_error? resthost.error The error of the last finished load.
---@field timestamp number The time of the data or of the error, whichever is later; 0 when it has neither.
---@field is_loading boolean True when a load is in flight.
---@field is_requesting boolean True when any request is in flight.
---@field is_up_to_date boolean True when load_if_needed would do nothing.
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
---@field name string The name of the field.
---@field value? string|number|boolean Its value; a part has either this or `file`.
---@field file? string The path of a file that is read while it is sent.
---@field filename? string The name of the file for the server.
---@field content_type? string The content type of the part.

---@class resthost.resource.request.options
---@field content_type? string The content type, in place of the default for the kind of body.
---@field headers? resthost.headers|table<string, string|string[]> Headers, which replace those of blocks.
---@field query? table Parameters that are added to the URL, by name or as a list of pairs; `rest.null` removes one.
---@field mutate? fun(draft: resthost.draft) Edits the request before the mutators of blocks.
---@field idempotency_key? string|boolean Sent as `Idempotency-Key`, the same for a request and its repeats; `true` makes a random one. Default: `false`.
---@field to_file? string A path for the body of a success. The file is replaced when the body is complete; no transformer runs.
---@field body? string Bytes that are sent unchanged. A request has one of `body`, `text`, `json`, `form`, `multipart` and `file`.
---@field charset? string Of `text`. Default: `"utf-8"`.
---@field text? string Text, in the charset that `charset` names.
---@field json? any A value that is sent as JSON.
---@field form? table The fields of an HTML form: a table, which is sorted by name, or a list of pairs in order.
---@field multipart? resthost.resource.request.options.multipart[] The parts of a form with files, in order.
---@field file? string The path of a file that is read while it is sent.

---Starts a request. The resource keeps its state. Paths of files are relative to the script's folder.
---@param method string
---@param options? resthost.resource.request.options
---@return resthost.request
function resource:request(method, options) end

---@class resthost.resource.get.options
---@field only_if_cached? boolean Sends nothing, and gives the data in memory or in a cache, whatever its age. Default: `false`.

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

---Notifies the observer of events, as long as its owner lives: a table or an object such as a request. A table without an owner owns itself, a function lives as long as the script. The table's methods are `changed(self, resource, event)`, `progress(self, resource, fraction)` and `stopped_observing(self, resource)`.
---@param observer (fun(resource: resthost.resource, event: string))|{ changed?: fun(self: table, resource: resthost.resource, event: string), progress?: fun(...): number?, stopped_observing?: fun(self: table, resource: resthost.resource) }|resthost.status
---@param owner? table|resthost.request
---@return resthost.resource
function resource:add_observer(observer, owner) end

---Removes this owner from all observers; those without another owner stop. nil does nothing.
---@param owner? table|resthost.request
function resource:remove_observers(owner) end

---Cancels the loads in flight when there is no observer, after the delay if there is one. Then it runs fn in any case.
---@param delay? number
---@param fn? function
function resource:cancel_load_if_unobserved(delay, fn) end

---Sets the resource's data to this entity, unchanged.
---@param entity resthost.entity
function resource:override_local_data(entity) end

---Replaces only the content.
---@param content any
function resource:override_local_content(content) end

---Marks the data as stale, so that the next use loads it again.
function resource:invalidate() end

---Removes data and error, and cancels requests in flight.
function resource:wipe() end

---The frozen configuration for a method.
---@param method string
---@return resthost.configuration
function resource:configuration_for(method) end

---One request: it starts once, ends once, and then runs its hooks.
---@class resthost.request
---@field state string `not_started`, `in_progress` or `completed`.
---@field is_cancelled boolean It was cancelled before it ended.
---@field progress number 0 to 1; 1 for every request that has ended.
---@field response? resthost.response The outcome; nil before the end.
local request = {}

---Runs when the request has ended, after success and failure.
---@param fn fun(info: resthost.info)
---@return resthost.request
function request:on_completion(fn) end

---Runs after a success, with or without new data.
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

---A request that waits for this one and then acts on the result of fn; fn may wait. Cancelling it cancels what it waits for.
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
---@field entity? resthost.entity The entity of a success; nil for a failure, whose body is the error's entity.
---@field error? resthost.error The error of a failure.
---@field attempts resthost.attempt[] The attempts in order: tables with `number url status error waited queued reason timings http_version reused bytes_sent bytes_received remote_address`. Times are seconds. `bytes_sent` counts the head and the body of the request, `bytes_received` the body of the answer before it is decoded.
local response = {}

---The argument of a completion hook.
---@class resthost.info
---@field response resthost.response The outcome.
---@field is_new boolean False when a 304 confirmed the data that was there.
---@field is_cancellation boolean True when the request was cancelled.
local info = {}

---The result of a chain's function: `rest.use_this_response`, which ends the chain with the response that it got, or a result of `rest.use_response` or `rest.pass_to`.
---@class resthost.action
local action = {}

---How to request a resource with one method; edited by configuration blocks.
---@class resthost.configuration
---@field expiration_time number How long loaded data stays up to date. In seconds. 0 or more. Default: `30`.
---@field retry_time number How long a failed load stands before the next one, unless there is fresh data. In seconds. 0 or more. Default: `1`.
---@field stale_while_revalidate number How long past its expiry data may be served while it is loaded anew. In seconds. 0 or more. Default: `0`.
---@field stale_if_error number How long past its expiry data may stand in for a load that fails. In seconds. 0 or more. Default: `0`.
---@field collapse boolean|"shared" Reads of a stale resource join the load in flight; with `"shared"` also that of another host with the same `rest.shared`, as they do with a cache in it. Default: `true`.
---@field headers resthost.headers Request headers, by names that ignore case; assign nil to remove one.
---@field accept? string|string[] Short for the Accept header: a content type, or a list of them in order; nil leaves it out.
---@field trace boolean Requests say in `traceparent` which trace they belong to. Default: `false`.
---@field request_id boolean Requests made for a client of the gateway carry the ID of its request, in `X-Request-Id`. Default: `true`.
---@field timeouts resthost.timeouts Limits of time for a request; 0 is none.
---@field retry resthost.retry|boolean Whether and how a failed request is sent again; `true` takes the defaults, `false` switches it off. Default: `false`.
---@field limits resthost.limits|false How many requests may be in flight at once, and in some time. Default: `false`.
---@field breaker resthost.breaker|boolean When requests to a server that fails are held back; `true` takes the defaults, `false` switches it off. Default: `false`.
---@field priority integer Rank of the requests in the queue of a limit; the highest goes first. Default: `0`.
---@field redirects resthost.redirects Whether and how far redirects are followed, and what goes along.
---@field max_body_bytes integer The longest decoded body of a response; the value of a JSON body may take twice that. In bytes. 1 or more. Default: `67108864`.
---@field schema? resthost.schema|table A JSON Schema that the content of each success has to match, behind the stage parsing. Assign nil to remove it.
---@field pipeline resthost.pipeline The stages that a response passes.
---@field stream string|boolean "events": a GET brings server-sent events, each of which becomes the resource's content. "body": clients of the gateway get the body of a success as it comes; it is not held, transformed or kept. Default: `false`.
---@field refresh_while_observed number Time after its last load at which a resource is loaded again, while it is observed or a stream shows it; 0 is never. In seconds. 0 or more. Default: `0`.
---@field progress_interval number Time between progress reports. In seconds. 0 or more. Default: `0.05`.
---@field method string The method of the requests.
---@field url string The URL of the resource.
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

---The stages by name. A name that is not in use yet gives an empty stage.
---@class resthost.pipeline
---@field order string[] Names of the stages that run; a name may occur once.
---@field [string] resthost.stage
local pipeline = {}

---Removes the transformers and caches of all stages.
function pipeline:clear() end

---Removes the transformers of all stages.
function pipeline:remove_transformers() end

---Removes the caches of all stages.
function pipeline:remove_caches() end

---A stage of the pipeline: transformers in the order of adding, then a cache for their result.
---@class resthost.stage
---@field cache? resthost.cache The cache for the stage's result; assign nil to remove it.
local stage = {}

---@class resthost.stage.add.options
---@field content_types? string|string[] The content types that it is for; default: all.

---Adds a transformer, for all content types or for some.
---@param transformer resthost.transformation
---@param options? resthost.stage.add.options
---@return string
function stage:add(transformer, options) end

---Removes its transformers.
---@return string
function stage:remove_transformers() end

---Turns a response into another; added to a stage of the pipeline.
---@class resthost.transformer
---@field description string A description of the transformer.
local transformer = {}

---A cache for the entities of a stage; made by rest.cache.….
---@class resthost.cache
---@field description string A description of the cache.
local cache = {}

---Values by key that all hosts with the same shared memory see; `rest.store.shared`. Its functions wait. When the server can't be used they return nil and a message, within the timeout of `rest.shared`.
---@class resthost.shared_store
local shared_store = {}

---The value; nil when there is none.
---@param key string
---@return any?|nil
---@return string?
function shared_store:get(key) end

---@class resthost.shared_store.set.options
---@field ttl? number Time for which it is kept; without it for ever. In seconds. Above 0.

---Keeps a value; nil deletes it.
---@param key string
---@param value any
---@param options? resthost.shared_store.set.options
---@return true|nil
---@return string?
function shared_store:set(key, value, options) end

---Adds 1, or `by`, to a number that begins at 0, as one step of the server.
---@param key string
---@param by? number
---@return number|nil
---@return string?
function shared_store:incr(key, by) end

---Deletes a value. False when there was none.
---@param key string
---@return boolean|nil
---@return string?
function shared_store:delete(key) end

---All keys, or those with this prefix; sorted. It goes through all keys of the server.
---@param prefix? string
---@return string[]|nil
---@return string?
function shared_store:keys(prefix) end

---Sets the value to `new` if it is `old`, as one step of the server. Nil stands for no value.
---@param key string
---@param old any
---@param new any
---@return boolean|nil
---@return string?
function shared_store:compare_and_set(key, old, new) end

---A request that is being built.
---@class resthost.draft
---@field method string Any token.
---@field partition? string The partition of the resource; nil: that of everybody.
---@field url string An absolute URL.
---@field headers resthost.headers The request headers; assign nil to remove one.
---@field body? string The body as bytes; nil when there is none, or a multipart or file body, which an assignment replaces.
---@field body_kind? string `bytes`, or `stream` for a body that is read while it is sent: a file, a multipart form, or that of a client of the gateway; nil without a body.
local draft = {}

---One status over several resources; made by rest.status. The rules of its priority, of which the first that applies decides: `loading` (one of them is), `manual_loading` (a tracked request is under way), `any_data` and `all_data` (success), `error` (one has one). It is an observer: `resource:add_observer(status)` adds a resource.
---@class resthost.status
---@field state string `loading`, `success` or `error`.
---@field error? resthost.error The error that decided the state.
local status = {}

---Runs fn when the state or the error has changed. The status then lives as long as the script, or until it observes nothing.
---@param fn fun(status: resthost.status)
---@return resthost.status
function status:on_change(fn) end

---Loads all resources with an error again, even with fresh data, and tracks the requests.
---@return resthost.status
function status:retry() end

---Counts a request as started by the user.
---@param request resthost.request
---@return resthost.status
function status:track(request) end

---A function that gets events; made by rest.on_event.
---@class resthost.listener
local listener = {}

---Stops the calls; waiting events are dropped.
function listener:cancel() end

---A function that runs by itself; made by rest.spawn.
---@class resthost.job
---@field is_finished boolean True when it has ended.
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

---Stops the timer; it does not run again.
function timer:cancel() end

---The HTTP gateway; made by rest.gateway.
---@class resthost.gateway
local gateway = {}

---@class resthost.gateway.route.options
---@field expiration_time? number Seconds for which an answer to GET is kept and shared by all clients; by default it is not kept. In seconds. 0 or more.
---@field stream? boolean Call `fn` when the head has arrived. It reads the body as it arrives, with `request:read()` or `request:parts()`. Default: `false`.

---Answers a path of the gateway with `fn(request)`, which may wait and returns a content, a `rest.response`, or nil and an error. `{name}` in the path stands for one segment, `{name*}` at its end for all others: `request.params.name`; `**` at its end matches them too. The method `"*"` stands for GET, POST, PUT, PATCH and DELETE.
---@param method string|string[]
---@param path string
---@param options? resthost.gateway.route.options
---@param fn function
---@return resthost.gateway
---@overload fun(self: resthost.gateway, method: string|string[], path: string, fn: function): resthost.gateway
function gateway:route(method, path, options, fn) end

---@class resthost.gateway.before.options.rate
---@field requests number Requests in the time that `per` sets. Above 0.
---@field per? number The time for `requests`. In seconds. Above 0. Default: `1`.
---@field burst? number Requests that may come at once after a pause; without it as many as `requests`. 1 or more.

---@class resthost.gateway.before.options
---@field methods? string|string[] The methods that meet the function; without it all. `GET` is for HEAD, too.
---@field rate? resthost.gateway.before.options.rate Requests below this path that one client may send in some time; one more gets 429.

---Calls `fn(request)` before a request below this path is answered: by a route, by memory or by an API. It may wait. It returns nothing to let the request go on, or an answer as a route does. `request.forward` has the headers that the API gets. It doesn't run below `/-/`.
---@param path string
---@param options? resthost.gateway.before.options
---@param fn? function
---@return resthost.gateway
function gateway:before(path, options, fn) end

---@class resthost.gateway.after.options
---@field methods? string|string[] The methods that meet the function; without it all. `GET` is for HEAD, too.

---Calls `fn(request, response)` with the head of each answer below this path, errors and 304 included, before the client gets it. It may wait, and changes `response.headers`.
---@param path string
---@param options? resthost.gateway.after.options
---@param fn function
---@return resthost.gateway
---@overload fun(self: resthost.gateway, path: string, fn: function): resthost.gateway
function gateway:after(path, options, fn) end

---A client's request, for the function of a route or a hook.
---@class resthost.served_request
---@field method string The method; `GET` for HEAD, too.
---@field path string The path as the client sent it, without the query.
---@field id string The ID of the request: the client's `X-Request-Id` if it may choose one, else the gateway's.
---@field params table The values for the names in the route's path, by name.
---@field query resthost.parameters The decoded parameters; a field is the last one of its name.
---@field form? resthost.parameters The fields of a body that is `application/x-www-form-urlencoded`, else nil; 10,000 at most.
---@field cookies table The values of the client's cookies, by name.
---@field headers resthost.headers The headers, read only; names compare without case.
---@field body string The body; empty when there is none.
---@field json any The body if it is JSON, else nil.
---@field client resthost.served_client The client that sent the request.
---@field partition? string The partition of the resources that it is about; `gateway:before` may set it.
---@field forward? resthost.headers|table<string, string|string[]> In a hook before the answer: the headers that go to the API. They begin with those that `forward` lets through.
local served_request = {}

---Of the body: The next bytes that are there, 64 KiB at most; with a number that many bytes, fewer only at the end; with "a" all that are left. Nil at the end. It waits while no bytes are there.
---@param count? integer|"a"
---@return string|nil
function served_request:read(count) end

---An iterator over the parts of a `multipart/form-data` body: `for part in request:parts() do`. A part has `name`, `filename`, `content_type`, `headers` and `body`. 1,000 parts at most. Of a body that is read as it arrives, the content of a part can be read until the next part.
---@return fun(): resthost.served_part?
function served_request:parts() end

---Sends 103 with these headers, such as Link, before the answer is ready (RFC 8297).
---@param headers resthost.headers|table<string, string|string[]>
function served_request:early_hints(headers) end

---The client that sent a request; as text it is its address.
---@class resthost.served_client
---@field name? string The name of its token or certificate; nil without one.
---@field address? string The peer's address, which may be a proxy's; nil on a Unix socket.
---@field claims any The claims of its token (JWT); nil without one of an issuer.
---@field certificate? string[] The names in its certificate; nil without one.
local served_client = {}

---The head of an answer, for a hook after it.
---@class resthost.served_response
---@field status integer The status.
---@field headers resthost.headers The headers, which may be changed. The gateway itself sets Content-Length, Date, X-Request-Id and those of the connection.
local served_response = {}

---The content of a part of a form.
---@class resthost.served_body
local served_body = {}

---The next bytes that are there, 64 KiB at most; with a number that many bytes, fewer only at the end; with "a" all that are left. Nil at the end. It waits while no bytes are there.
---@param count? integer|"a"
---@return string|nil
function served_body:read(count) end

---A part of a client's form (`multipart/form-data`).
---@class resthost.served_part
---@field name string The field's name.
---@field filename? string The name of the file, without folders; nil for a plain field.
---@field content_type string Its type; `text/plain` if the client names none.
---@field headers resthost.headers The headers of the part, read only.
---@field body resthost.served_body Its content.
local served_part = {}

---An answer whose body is made while it is sent.
---@class resthost.stream_response
local stream_response = {}

---The decoded parameters of a client's query or form. A field is the last value of its name; `get` also reads names such as `all`.
---@class resthost.parameters
local parameters = {}

---The last value of a name.
---@param name string
---@return string?
function parameters:get(name) end

---All values of a name, in order.
---@param name string
---@return string[]
function parameters:all(name) end

---Granted environment variables; nil when the variable is not set.
---@class resthost.env
---@field [string] string?
local env = {}

---The data of a resource with its headers and metadata.
---@class resthost.entity
---@field content any The content as a separate Lua value: changing it does not change the resource.
---@field content_kind string `bytes`, `text`, `json`, `image` or `value`.
---@field content_type string The content type with its parameters.
---@field charset? string The charset as the server named it, in lower case.
---@field headers resthost.headers The headers, read only; names compare without case.
---@field status? integer The status of the content's response; nil if a script made it. A 304 does not change it.
---@field url? string The URL of that response, after redirects; without user and password.
---@field http_version? string The HTTP version, such as `1.1` or `2`.
---@field etag? string The entity tag with its quotes.
---@field timestamp number The time when it was received or confirmed, in Unix seconds.
---@field text string The content if it is text, else an empty string.
---@field json table The content if it is a table, else an empty one.
local entity = {}

---All values of a header, in order.
---@param name string
---@return string[]
function entity:header_values(name) end

---The failure of a request. tostring gives one readable line.
---@class resthost.error
---@field user_message string A sentence for people.
---@field http_status_code? integer The status of the response, if there was one.
---@field entity? resthost.entity The body that came with the failure.
---@field cause? table The cause: a table with `type` and details.
---@field path any Short for `cause.path`: of a GraphQL error, the keys that lead to the field.
---@field timestamp number Unix seconds.
---@field url? string The URL of the request, without user and password.
---@field method? string The method of the request.
---@field attempt integer The number of the attempt that failed, from 1.
---@field attempts resthost.attempt[] The attempts in order: tables with `number url status error waited queued reason timings http_version reused bytes_sent bytes_received remote_address`. Times are seconds. `bytes_sent` counts the head and the body of the request, `bytes_received` the body of the answer before it is decoded.
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
---@field shared resthost.shared_store The values that all hosts share, in the server of `rest.shared`; see Shared memory.
local store = {}

---The value; nil when there is none or it has expired.
---@param key string
---@return any?
function store:get(key) end

---@class resthost.store.set.options
---@field ttl? number Time for which it is kept, by the time of day; without it for ever. In seconds. Above 0.

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

---Deletes a value. False when there was none.
---@param key string
---@return boolean
function store:delete(key) end

---All keys, or those with this prefix; sorted.
---@param prefix? string
---@return string[]
function store:keys(prefix) end

---A compiled JSON Schema, made by rest.schema.compile.
---@class resthost.schema
---@field title? string Its `title`, or else its `$id`.
local schema = {}

---True for a value that matches. Otherwise nil and a list of at most 100 mismatches: `path` is a JSON pointer into the value, `schema` that of the keyword, `message` says what is wrong.
---@param value any
---@return boolean|nil
---@return table[]?
function schema:validate(value) end

---Reads records that come in pieces; made by rest.csv.reader and rest.json.reader. After a fault it reads no further.
---@class resthost.record_reader
---@field count integer The records so far.
local record_reader = {}

---Reads a piece. Returns the records that are complete, or how many they are if fn got them.
---@param chunk string
---@return any|nil
---@return string?
function record_reader:write(chunk) end

---Reads the end, where the last record needs no line break.
---@return any|nil
---@return string?
function record_reader:finish() end

---@class resthost.timeouts
---@field connect number Time for name lookup, connection and TLS handshake. In seconds. 0 or more. Default: `10`.
---@field first_byte number Time from the connection, or the beginning of one, to the first byte of the response. In seconds. 0 or more. Default: `30`.
---@field idle number Time without a byte in either direction. In seconds. 0 or more. Default: `30`.
---@field total number Time for a whole request, as its caller sees it: queues, attempts and redirects count. In seconds. 0 or more. Default: `120`.

---@class resthost.redirects
---@field follow boolean Follows redirects; else the redirect itself is the response. Default: `true`.
---@field max integer Redirects of a request that are followed; one more is an error. 0 or more. Default: `20`.
---@field keep_headers string[] Names of headers that go along to another origin, too. Default: `{}`.
---@field on? (fun(from: string, to: string, status: integer): boolean|nil) Gets both URLs and the status before a redirect is followed. With `false` the redirect itself is the response.

---@class resthost.retry
---@field attempts integer Attempts in all, the first included. 2 to 100. Default: `3`.
---@field base number The longest first wait; it doubles from one wait to the next. In seconds. Above 0. Default: `0.2`.
---@field cap number The longest wait of all, that of a server's `Retry-After` included. In seconds. `base` or more. Default: `10`.
---@field budget number Retries of a host as a share of its requests that may be sent again; three a second are always allowed. 0 to 1. Default: `0.2`.
---@field statuses integer[] Statuses that are tried again, beside failures of the network that may pass. 400 to 599. Default: `{ 408, 425, 429, 500, 502, 503, 504 }`.
---@field when? (fun(err: resthost.error, attempt: integer): boolean|number|nil) Gets the error and the number of the attempt that failed. Returns whether to try again, or after how many seconds; nil leaves it to the other fields.

---@class resthost.limits
---@field in_flight? integer Requests in flight at once. 1 or more.
---@field queue? integer Requests that may wait; 0 lets none wait. 0 or more. Default: `1000`.
---@field queue_timeout number Time that a request may wait. In seconds. Above 0, `timeouts.total` at most. Default: `10`.
---@field rate? resthost.rate Requests in some time: a table, which is set as a whole.
---@field shared boolean Whether `in_flight` and `rate` are those of all hosts with the same `rest.shared`, together. Default: `false`.
---@field scope "host"|"service"|"partition"|string The requests that share the limit: those to one origin, those of one service, those of one partition of a service, or all whose `scope` has the same name. Default: `"host"`.

---@class resthost.rate
---@field requests integer Requests in the time that `per` sets; a rate has to have it. 1 or more.
---@field per number The time for `requests`. In seconds. Above 0. Default: `1`.
---@field burst? integer Requests that may go out at once after a pause; without it as many as `requests`. 1 or more.

---@class resthost.breaker
---@field ratio number The share of failures that opens the breaker. Above 0, 1 at most. Default: `0.5`.
---@field requests integer Responses within `window` from which the breaker may open. 1 or more. Default: `20`.
---@field window number Time in which responses count. In seconds. Above 0. Default: `10`.
---@field open number Time in which requests fail at once; then one is let through, and decides. In seconds. Above 0. Default: `5`.

---@class resthost
---@field use_this_response resthost.action
---@field worker { number: integer, count: integer }
---@field env resthost.env
---@field store resthost.store
---@field version string
---@field null lightuserdata
local rest = {}

---@class resthost.service.options.transport.cookies
---@field path? string The path of a database, relative to the script's folder.

---@class resthost.service.options.transport
---@field cookies? boolean|resthost.service.options.transport.cookies Keeps cookies and sends them; a table names a file for persistent ones. Default: `false`.
---@field http2? boolean Speaks HTTP/2 with servers that choose it in the TLS handshake. Default: `true`.
---@field proxy? string `http://`, `https://`, `socks5h://` and so on, with `user:password@` if need be; an empty string is none. Without the option the usual environment variables count.
---@field no_proxy? string Hosts that are asked without a proxy: `"inside.example,10.0.0.0/8"`; `"*"` is all.
---@field ca_file? string A PEM file of certificates to trust in place of the system's, for the server and for a proxy with `https://`.
---@field ca_path? string A folder of such files, as `openssl rehash` makes it; with `ca_file` both count.
---@field client_certificate? string A PEM file of the certificate that says who the service is to the API.
---@field client_key? string A PEM file of its key, which may be in `client_certificate` too.
---@field pins? string[] Public keys, one of which the server must have: `{ "sha256//…" }`, the base64 of the SHA-256 of the key (RFC 7469 2.4). They hold for every host that is asked, after redirects too.
---@field min_tls? "1.2"|"1.3" The oldest version of TLS to speak.
---@field ip? "any"|"v4"|"v6" Which addresses of a host are used. Default: `"any"`.
---@field resolve? table<string, string> Where to connect for a host: `{ ["api.example.com:443"] = "192.0.2.1" }`; its certificate and Host stay.
---@field unix_socket? string A path to connect to, whatever the host is.
---@field max_connections_per_host? integer Connections to one host and port, of the whole program. With HTTP/2 a hundred requests share one, and those beyond open one each unless this says how many. 1 or more.
---@field max_connections? integer Connections in all, of the whole program. 1 or more.
---@field user_agent? string Sent when a request has no User-Agent; without the option `resthost/` and its version.

---@class resthost.service.options
---@field base_url? string The URL of the API; without it only absolute URLs work. 2 MiB at most.
---@field name? string A unique name in the script; default: the host of `base_url`, or `service`. 1 KiB at most.
---@field standard_transformers? ("json"|"text"|"image"|"ndjson"|"xml"|"csv"|"yaml"|"msgpack"|"cbor")[] The standard transformers of the pipeline; default: the first four; with `{}` bodies stay bytes.
---@field transport? resthost.service.options.transport The service's own connection settings.
---@field internal? boolean Hides the service: the gateway doesn't serve it, and `resthost get` takes it only by name. For what a script asks for itself, such as tokens. Default: `false`.

---Declares a service.
---@param options resthost.service.options
---@return resthost.service
function rest.service(options) end

---Defines a request of any URL. Its service has all defaults.
---@param method string
---@param url string
---@param properties? resthost.properties
---@return resthost.definition
function rest.request(method, url, properties) end

---Marks text as escaped already, for a path component, a parameter value, or resource:child.
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

---Ends a chain with this response, without a pipeline.
---@param response resthost.response|resthost.info|resthost.entity|resthost.error
---@return resthost.action
function rest.use_response(response) end

---Makes a chain wait for this request, which is started if necessary.
---@param request resthost.request
---@return resthost.action
function rest.pass_to(request) end

---@class resthost.custom_request.options
---@field start fun(complete: fun(outcome: resthost.response|resthost.entity|resthost.error): boolean) Begins the work. Its argument is `complete(response | entity | error) -> boolean`, which it calls once.
---@field cancel? fun() Ends the work.
---@field progress? fun(): number The progress of the work, from 0 to 1.
---@field timeout? number Time in which `complete` has to be called, 0 for any; without it that of `c.timeouts.total`. In seconds. 0 or more.

---A request whose work is done by functions of the script; not started.
---@param options resthost.custom_request.options
---@return resthost.request
function rest.custom_request(options) end

---@class resthost.refresh_on.options
---@field shared? string The name of credentials that all hosts with the same `rest.shared` have together. One host runs fn, which returns them, and the seconds for which they are valid. All get them with `rest.store:get(name)`, or `name:partition`, and their blocks run again. 1 to 128 bytes.

---A decorator that renews a token: fn runs once for all requests that were refused together, and each is repeated once. Each partition has a refresh of its own.
---@param predicate integer|(fun(err: resthost.error): boolean)
---@param fn fun(partition?: string): true|string|table|nil, number|resthost.error
---@param options? resthost.refresh_on.options
---@return fun(resource: resthost.resource, request: resthost.request): resthost.request
function rest.refresh_on(predicate, fn, options) end

---A pattern for the whole URL.
---@param pattern string
---@param options? string
---@return resthost.regex
function rest.regex(pattern, options) end

---@class resthost.content_transformer.options
---@field transform resthost.transformation A function of content and entity, the name of a module that returns one, or a transformer.
---@field input? "any"|"bytes"|"text"|"json"|"image"|"table"|"number"|"boolean"|table The type of content that it takes, or a class table for objects of that class. Default: `"any"`.
---@field output? "any"|"bytes"|"text"|"json"|"image"|"table"|"number"|"boolean"|table The type of content that it returns, in the same form. Default: `"any"`.
---@field on_mismatch? "error"|"skip"|"skip_if_output_matches" How a content is treated that `input` doesn't take. Default: `"error"`.
---@field transform_errors? boolean Transforms the bodies of errors too. Default: `false`.
---@field empty? boolean Transforms a success without a body too. Default: `false`.
---@field description? string Its name in errors and explanations. 4 KiB at most.

---A transformer with type rules.
---@param options resthost.content_transformer.options
---@return resthost.transformation
function rest.content_transformer(options) end

---A transformer of whole responses.
---@param fn function
---@param description? string
---@return resthost.transformation
function rest.response_transformer(fn, description) end

---@class resthost.shared.options
---@field redis string|string[] The server: `redis://user:password@host:6379/0`, `rediss://…` with TLS, or `unix:/run/redis/redis.sock`; or sentinels, `redis+sentinel://user:password@host:26379/name/0`; or a list, of which the primary is used.
---@field ca_file? string A PEM file of certificates to trust in place of the system's, for `rediss://`.
---@field prefix? string The first part of all its keys. Hosts with the same prefix share everything. 1 to 64 letters, digits, `.`, `_`, `-`. Default: `"resthost"`.
---@field timeout? number The longest that an operation may take. Then the request goes on without it. In seconds. 0.001 to 5. Default: `0.05`.
---@field coordinate? boolean Whether hosts load resources for each other, and tell each other of invalidations. Default: `true`.
---@field key? string Encrypts the credentials that hosts share with `rest.refresh_on`. Take it from a variable of the environment. 32 bytes or more, as of `openssl rand -base64 32`.

---Declares the memory that this host shares with others, for `rest.cache.redis` and `rest.store.shared`. Call it once, while the script is loaded. If `--allow-net` lists hosts, its host must be among them. See Shared memory.
---@param options resthost.shared.options
function rest.shared(options) end

---Calls fn with each decoded piece of a success's body as it arrives, and waits for the end, whose entity has no content. fn may wait: the server then waits, too. An error that fn raises ends the request and is its error.
---@param request resthost.request|resthost.definition
---@param fn fun(chunk: string)
---@return resthost.entity|nil
---@return resthost.error?
function rest.stream(request, fn) end

---@class resthost.status.options
---@field resources? resthost.resource[] The resources of the status.
---@field priority? string[] The rules; the first that applies decides.

---One status over several resources, which may be the items of the table itself.
---@param options resthost.status.options
---@return resthost.status
function rest.status(options) end

---Calls fn with each engine event of these kinds, one after the other: request, attempt, response, cache, breaker, limit, reload, state. At most 1,024 events wait for fn; then the oldest are dropped, and `event.dropped` has their number.
---@param kinds string[]
---@param fn fun(event: string)
---@return resthost.listener
function rest.on_event(kinds, fn) end

---@class resthost.spawn.options
---@field each_worker? boolean True to run it in every worker. Otherwise what the main file starts runs in the first one alone. Default: `false`.

---Runs fn as a job; it may wait.
---@param options? resthost.spawn.options
---@param fn function
---@param ... any
---@return resthost.job
---@overload fun(fn: function, ...: any): resthost.job
function rest.spawn(options, fn, ...) end

---Waits.
---@param seconds number
function rest.sleep(seconds) end

---@class resthost.after.options
---@field each_worker? boolean True to run it in every worker. Otherwise what the main file starts runs in the first one alone. Default: `false`.

---Runs fn once, later.
---@param seconds number
---@param options? resthost.after.options
---@param fn function
---@return resthost.timer
---@overload fun(seconds: number, fn: function): resthost.timer
function rest.after(seconds, options, fn) end

---@class resthost.every.options
---@field zone? string The time zone, such as `"Europe/Berlin"`; default: the local zone.
---@field each_worker? boolean True to run it in every worker. Otherwise what the main file starts runs in the first one alone. Default: `false`.

---Runs fn again and again, every so many seconds, or at times as of cron: `"*/5 * * * *"`, `"0 9 * * MON-FRI"`, `"@daily"`. A run that is late is left out.
---@param seconds number|string
---@param options? resthost.every.options
---@param fn function
---@return resthost.timer
---@overload fun(seconds: number|string, fn: function): resthost.timer
function rest.every(seconds, options, fn) end

---Waits for all of them and gives the results in order.
---@param list (resthost.request|function)[]
---@return any[]|nil
---@return resthost.error?
---@return any[]?
function rest.all(list) end

---Runs fn on each item, at most `limit` at a time.
---@param list any[]
---@param limit integer
---@param fn fun(item: any, index: integer)
---@return any[]|nil
---@return resthost.error?
---@return any[]?
function rest.gather(list, limit, fn) end

---@class resthost.gateway.options.listen.tls
---@field certificate string A PEM file of the certificate, followed by those between it and its issuer.
---@field key string A PEM file of its private key, without a passphrase.

---@class resthost.gateway.options.listen.expose
---@field paths? string[] Globs of the path behind the service's name, as in configuration blocks. Default: `{ "**" }`.
---@field methods? string[] Methods that are let through. Default: `{ "GET", "HEAD" }`.

---@class resthost.gateway.options.listen
---@field address string `host:port` or `unix:/path`.
---@field mode? string The mode of a Unix socket's file, in octal: `"0660"`.
---@field tls? false|resthost.gateway.options.listen.tls TLS of this address, in place of the gateway's; `false` switches it off.
---@field expose? table<string, resthost.gateway.options.listen.expose> Replaces `expose` of the gateway at this address.
---@field operator? boolean Makes operators of the address's clients, who may ask what the host does. Default: `false`.
---@field proxy_protocol? boolean Connections begin with a header of the PROXY protocol, version 1 or 2; only `trusted_proxies` may connect. Default: `false`.

---@class resthost.gateway.options.expose
---@field paths? string[] Globs of the path behind the service's name, as in configuration blocks. Default: `{ "**" }`.
---@field methods? string[] Methods that are let through. Default: `{ "GET", "HEAD" }`.

---@class resthost.gateway.options.auth.tokens.expose
---@field paths? string[] Globs of the path behind the service's name, as in configuration blocks. Default: `{ "**" }`.
---@field methods? string[] Methods that are let through. Default: `{ "GET", "HEAD" }`.

---@class resthost.gateway.options.auth.tokens
---@field name string The client's name in logs and metrics.
---@field token? string The token's text; a token has either this or `sha256`.
---@field sha256? string The SHA-256 of the token's text, as 64 hexadecimal digits.
---@field expose? table<string, resthost.gateway.options.auth.tokens.expose> Limits the client to this part of what its address exposes.
---@field operator? boolean Makes an operator of the client, who may ask what the host does. Default: `false`.

---@class resthost.gateway.options.auth.keys
---@field header? string The header in which clients send their key. Default: `"X-Api-Key"`.
---@field [integer] table Each item is the key of one client, with the options of a token.

---@class resthost.gateway.options.auth.jwt.expose
---@field paths? string[] Globs of the path behind the service's name, as in configuration blocks. Default: `{ "**" }`.
---@field methods? string[] Methods that are let through. Default: `{ "GET", "HEAD" }`.

---@class resthost.gateway.options.auth.jwt
---@field issuer string The issuer, exactly as in the claim `iss`.
---@field audience string|string[] The gateway's name for the issuer: one of these is in the claim `aud`.
---@field jwks string The issuer's public keys as a JWK Set: an `https` URL, which needs no grant, or a file.
---@field algorithms? ("RS256"|"RS384"|"RS512"|"PS256"|"PS384"|"PS512"|"ES256"|"ES384"|"ES512"|"EdDSA")[] The algorithms that a token may be signed with. Default: `{ "RS256", "ES256", "EdDSA" }`.
---@field clock_skew? number By how much the issuer's clock may differ from this machine's. In seconds. 0 to 300. Default: `30`.
---@field required_claims? table<string|integer, any> Claims that a token needs: an item is a name, and `name = value` its value too. A list in the token has to contain the value, `scope` has it as a word.
---@field expose? table<string, resthost.gateway.options.auth.jwt.expose> Limits clients with a token to this part of what their address exposes.
---@field operator? boolean Makes operators of clients with a token, who may ask what the host does. Default: `false`.

---@class resthost.gateway.options.auth.basic.users.expose
---@field paths? string[] Globs of the path behind the service's name, as in configuration blocks. Default: `{ "**" }`.
---@field methods? string[] Methods that are let through. Default: `{ "GET", "HEAD" }`.

---@class resthost.gateway.options.auth.basic.users
---@field name string The user's name, which has no colon.
---@field hash string The hash of the password, which `resthost hash` makes: `$scrypt$`, `$pbkdf2-sha256$`, `$pbkdf2-sha512$`, `$6$` or `$5$`.
---@field expose? table<string, resthost.gateway.options.auth.basic.users.expose> Limits the client to this part of what its address exposes.
---@field operator? boolean Makes an operator of the client, who may ask what the host does. Default: `false`.

---@class resthost.gateway.options.auth.basic
---@field users? resthost.gateway.options.auth.basic.users[] The users, each with a name.

---@class resthost.gateway.options.auth.clients.expose
---@field paths? string[] Globs of the path behind the service's name, as in configuration blocks. Default: `{ "**" }`.
---@field methods? string[] Methods that are let through. Default: `{ "GET", "HEAD" }`.

---@class resthost.gateway.options.auth.clients
---@field name string The common name, or an alternative name, in the client's certificate.
---@field expose? table<string, resthost.gateway.options.auth.clients.expose> Limits the client to this part of what its address exposes.
---@field operator? boolean Makes an operator of the client, who may ask what the host does. Default: `false`.

---@class resthost.gateway.options.auth.event_source
---@field cookie? string The name of a cookie that has the token.
---@field parameter? string The name of a parameter of the query that has the token. It is hidden everywhere, and the API doesn't get it.

---@class resthost.gateway.options.auth
---@field bearer? string One token for all clients.
---@field tokens? resthost.gateway.options.auth.tokens[] Tokens of several clients, each with a name.
---@field keys? resthost.gateway.options.auth.keys API keys, which clients send in a header of their own.
---@field jwt? resthost.gateway.options.auth.jwt Tokens of an issuer, signed with its keys (JWT).
---@field basic? resthost.gateway.options.auth.basic Clients that show a name and a password (Basic authentication).
---@field client_ca? string A PEM file of certificates, one of which has signed that of each client.
---@field clients? resthost.gateway.options.auth.clients[] The clients that are let in by certificate; without it all that `client_ca` has signed.
---@field event_source? resthost.gateway.options.auth.event_source Lets streams of events show a token in a cookie or a parameter, for browsers' `EventSource`.

---@class resthost.gateway.options.cors
---@field origins string[] Origins of pages, such as `https://app.example`, one at least; `"*"` is all.
---@field methods? string[] Methods that pages may use beside GET, HEAD and POST; without it all that are exposed.
---@field headers? string[] Headers that pages may send. Default: `{}`.
---@field credentials? boolean Lets pages send cookies and the like, which is not possible for `"*"`. Default: `false`.
---@field max_age? number Time for which a browser may remember the response to a preflight request. In seconds. 0 to 86400. Default: `600`.

---@class resthost.gateway.options.forward
---@field headers? string[] Names of clients' headers.
---@field credentials? boolean|string[] The headers that are a client's own credentials, or `true` for all: each client gets resources, caches and answers of its own. Default: `false`.

---@class resthost.gateway.options.keep
---@field headers? string[] Names of the API's headers.

---@class resthost.gateway.options.limits.per_client.rate
---@field requests number Requests in the time that `per` sets. Above 0.
---@field per? number The time for `requests`. In seconds. Above 0. Default: `1`.
---@field burst? number Requests that may come at once after a pause; without it as many as `requests`. 1 or more.

---@class resthost.gateway.options.limits.per_client
---@field rate? resthost.gateway.options.limits.per_client.rate Requests of one client in some time; one more gets 429.
---@field in_flight? integer Requests of one client in flight that wait for something; one more gets 429. 1 to 1000000.
---@field streams? integer Event streams of one client at the same time; without it a quarter of the connections. 1 to 1000000.

---@class resthost.gateway.options.limits
---@field connections? integer Connections at the same time; fewer where the process may not have the descriptors for them. 1 to 1000000. Default: `10000`.
---@field header_bytes? integer Length of a request line and its header together. In bytes. 1024 to 1048576. Default: `16384`.
---@field target_bytes? integer Length of a request's path and query. In bytes. 256 to 1048576. Default: `8192`.
---@field header_timeout? number Time from the first byte of a request to the end of its header, and for a handshake of TLS. In seconds. 0.1 to 86400. Default: `10`.
---@field idle_timeout? number Time after which a connection without a request is closed. In seconds. 0.1 to 86400. Default: `60`.
---@field body? integer|string Length of a request's body, which is held until it is whole; a longer one gets 413. In bytes. 1 TiB at most. Default: `"16MiB"`.
---@field stream_body? integer|string Length of a body that is longer than `body` and goes to the API as it comes; without it none does. In bytes. 1 TiB at most.
---@field per_client? resthost.gateway.options.limits.per_client Bounds one client, known by its token or else its address.

---@class resthost.gateway.options.tls
---@field certificate string A PEM file of the certificate, followed by those between it and its issuer.
---@field key string A PEM file of its private key, without a passphrase.

---@class resthost.gateway.options
---@field listen? string|(string|resthost.gateway.options.listen)[] Addresses: `host:port`, `unix:/path`, or a list of them. The system chooses port 0. A table sets options of one address. Default: `"127.0.0.1:8080"`.
---@field expose? table<string, resthost.gateway.options.expose> Services by name, with the paths and methods that clients may use. Without it: every service, all paths, GET and HEAD.
---@field auth? resthost.gateway.options.auth Clients that are let in: each shows one of these.
---@field cors? resthost.gateway.options.cors Lets pages of other origins use the gateway.
---@field timeout? number Time for one request; then it gets 504. Without it: twice `timeouts.total` of the resource's configuration. In seconds. Above 0.
---@field server_names? string[] Further names that clients may call the gateway by, in `Host`.
---@field trusted_proxies? string[] Addresses of proxies, networks such as `10.0.0.0/8`, or `unix`. From them `Forwarded` or `X-Forwarded-For` give the client's address.
---@field forward? resthost.gateway.options.forward Headers of clients that go to the API.
---@field keep? resthost.gateway.options.keep Headers of the API that go to clients, beside the usual ones.
---@field limits? resthost.gateway.options.limits Bounds what clients may use.
---@field access_log? boolean Writes a line of the log for each response. Default: `false`.
---@field tls? resthost.gateway.options.tls Speaks TLS at all addresses but Unix sockets.

---Declares the HTTP gateway.
---@param options resthost.gateway.options
---@return resthost.gateway
function rest.gateway(options) end

---@class resthost.response.options
---@field status? integer The status of the answer. 200 to 599. Default: `200`.
---@field headers? resthost.headers|table<string, string|string[]> The headers of the answer.
---@field content_type? string The default depends on the content: JSON, text, a file's extension, or `application/octet-stream`.
---@field cache_control? string Cache-Control of an answer that is not kept, `no-store` by default. 1 KiB at most.
---@field json? any A value that is sent as JSON.
---@field text? string Text, which is sent as UTF-8.
---@field body? string Bytes, which are sent unchanged.
---@field file? string A file with the bytes, relative to the script's folder, as for `rest.read_file`. 64 KiB at most.
---@field expiration_time? number Seconds for which this answer to GET is kept and shared, in place of the route's `expiration_time`. An answer whose function read `request.headers`, `request.cookies` or `request.client` is not kept. In seconds. 0 or more.

---An answer of a route with more than its content. Give one of `json`, `text`, `body` and `file`, or none.
---@param options resthost.response.options
---@return resthost.response
function rest.response(options) end

---@class resthost.stream_response.options
---@field status? integer The status of the answer. 200 to 599. Default: `200`.
---@field headers? resthost.headers|table<string, string|string[]> The headers of the answer.
---@field content_type? string The type of the body; `text/event-stream` for a stream of events, which gets heartbeats. Default: `"text/plain; charset=utf-8"`.
---@field cache_control? string Cache-Control of an answer that is not kept, `no-store` by default. 1 KiB at most.

---An answer of a route whose body `fn` writes while it is sent. `write(text)` waits while the client takes no more; for a stream of events `write{ event =, data =, id =, retry = }` sends one event. `fn` is cancelled when the client leaves. An error of `fn` breaks the answer off.
---@param options? resthost.stream_response.options
---@param fn fun(write: fun(text: string|table))
---@return resthost.stream_response
---@overload fun(fn: fun(write: fun(text: string|table))): resthost.stream_response
function rest.stream_response(options, fn) end

---The content of a file, relative to the script's folder. `--allow-read` must permit it, by default for files below that folder; 64 MiB at most.
---@param path string
---@return string|nil
---@return string?
function rest.read_file(path) end

---@class resthost.write_file.options
---@field mode? string The permissions of the file in octal, such as `"0600"`; default: those of the file that is there, or `"0644"`. 1 KiB at most.

---Makes or replaces a file. Readers see the old content or the new, never a part. It must lie where `--allow-write` permits, by default below the script's folder; 64 MiB at most.
---@param path string
---@param bytes string
---@param options? resthost.write_file.options
---@return true|nil
---@return string?
function rest.write_file(path, bytes, options) end

---@class resthost.permissions.options
---@field read? string[]|string|false Paths that it may read.
---@field write? string[]|string|false Paths that it may write.
---@field env? string[]|string|false Variables of the environment that it may read.
---@field net? string[]|string|false Hosts that it may send requests to.

---Limits the script to lists of paths, names and hosts; false permits none. It grants nothing beyond the grants from outside, and takes effect at once.
---@param options resthost.permissions.options
function rest.permissions(options) end

---Runs fn when another version of the script has replaced this one. Timers and jobs of this one are cancelled then; fn may wait.
---@param fn fun()
function rest.on_reload(fn) end

---Runs fn before the program ends; fn may wait for as long as requests in flight may take.
---@param fn fun()
function rest.on_shutdown(fn) end

---@class resthost.entity.options
---@field content any The content: a string, a table or rest.bytes(…).
---@field headers? resthost.headers|table<string, string|string[]> The headers: those of another entity, or a table.
---@field content_type? string The content type, in place of the one in `headers`.
---@field charset? string The charset of the content, as a server would name it.
---@field timestamp? number Unix time in seconds; without it now.
---@field status? integer Three digits.
---@field url? string The URL that it came from.
---@field http_version? string The HTTP version of its response.

---Makes an entity.
---@param options resthost.entity.options
---@return resthost.entity
function rest.entity(options) end

---@class resthost.error.options
---@field user_message? string A sentence for people; the default is made from the other options.
---@field http_status_code? integer The status of the response, if there was one.
---@field entity? resthost.entity The body of the response.
---@field cause? table|resthost.error The cause: `{ type = "mine", … }`, or another error.

---Makes an error.
---@param options resthost.error.options
---@return resthost.error
function rest.error(options) end

---Marks a string as bytes, where it would count as text.
---@param s string
---@return string
function rest.bytes(s) end

---Unix time in seconds.
---@return number
function rest.now() end

---Returns the text, and from now on replaces it by `***` in everything that is printed, logged, explained or recorded.
---@param text string
---@return string
function rest.secret(text) end

rest.auth = {}

---A decorator that sends user and password with each request (RFC 7617), to the resource's own origin only.
---@param user string
---@param password string
---@return fun(resource: resthost.resource, request: resthost.request): resthost.request
function rest.auth.basic(user, password) end

---A decorator that answers the server's Digest challenges (RFC 7616: MD5, SHA-256 and SHA-512-256), for the resource's own origin only. When the server refuses the answer, the request fails.
---@param user string
---@param password string
---@return fun(resource: resthost.resource, request: resthost.request): resthost.request
function rest.auth.digest(user, password) end

rest.transformers = {}

---@class resthost.transformers.json.options
---@field transform_errors? boolean Transforms the bodies of errors too. Default: `true`.
---@field empty? boolean Transforms a success without a body too. Default: `false`.
---@field allow_fragments? boolean Accepts a text that is a single value, neither an object nor an array. Default: `false`.

---The standard json transformer.
---@param options? resthost.transformers.json.options
---@return resthost.transformation
function rest.transformers.json(options) end

---@class resthost.transformers.text.options
---@field transform_errors? boolean Transforms the bodies of errors too. Default: `true`.
---@field empty? boolean Transforms a success without a body too. Default: `false`.
---@field charset? string The charset of the body, which overrides the response's own.

---The standard text transformer.
---@param options? resthost.transformers.text.options
---@return resthost.transformation
function rest.transformers.text(options) end

---@class resthost.transformers.image.options
---@field transform_errors? boolean Transforms the bodies of errors too. Default: `false`.
---@field empty? boolean Transforms a success without a body too. Default: `false`.

---The standard image transformer.
---@param options? resthost.transformers.image.options
---@return resthost.transformation
function rest.transformers.image(options) end

---@class resthost.transformers.ndjson.options
---@field transform_errors? boolean Transforms the bodies of errors too. Default: `true`.
---@field empty? boolean Transforms a success without a body too. Default: `true`.

---The standard ndjson transformer.
---@param options? resthost.transformers.ndjson.options
---@return resthost.transformation
function rest.transformers.ndjson(options) end

---@class resthost.transformers.xml.options
---@field transform_errors? boolean Transforms the bodies of errors too. Default: `true`.
---@field empty? boolean Transforms a success without a body too. Default: `false`.
---@field mixed? boolean Keeps each piece of text as a string among the children. Default: `false`.
---@field max_nodes? integer Elements and attributes of the document. 1 to 100000000. Default: `1000000`.
---@field max_depth? integer Elements inside each other. 1 to 512. Default: `256`.

---The xml transformer, which services don't have by default.
---@param options? resthost.transformers.xml.options
---@return resthost.transformation
function rest.transformers.xml(options) end

---@class resthost.transformers.csv.options
---@field transform_errors? boolean Transforms the bodies of errors too. Default: `true`.
---@field empty? boolean Transforms a success without a body too. Default: `false`.
---@field header? boolean|string[] Whether the first row has the names of the columns; or the names, for a table without them. Default: `true`.
---@field separator? string The character between fields, such as `";"` or `"\t"`. Default: `","`.
---@field ragged? boolean Allows rows with fewer or more fields. Default: `false`.
---@field types? table The types of columns, `"string"`, `"number"`, `"integer"` or `"boolean"`, by name or number. An empty field that is no string is `rest.null`.
---@field max_row? integer|string The fields of a row together. In bytes. 1 TiB at most. Default: `"1MiB"`.

---The csv transformer, which services don't have by default.
---@param options? resthost.transformers.csv.options
---@return resthost.transformation
function rest.transformers.csv(options) end

---@class resthost.transformers.yaml.options
---@field transform_errors? boolean Transforms the bodies of errors too. Default: `true`.
---@field empty? boolean Transforms a success without a body too. Default: `false`.
---@field documents? boolean Gives a list of all documents; otherwise there is one at most. Default: `false`.
---@field max_depth? integer Lists and tables inside each other. 1 to 512. Default: `256`.

---The yaml transformer, which services don't have by default.
---@param options? resthost.transformers.yaml.options
---@return resthost.transformation
function rest.transformers.yaml(options) end

---@class resthost.transformers.msgpack.options
---@field transform_errors? boolean Transforms the bodies of errors too. Default: `true`.
---@field empty? boolean Transforms a success without a body too. Default: `false`.
---@field sequence? boolean Gives a list of all values that follow each other. Default: `false`.
---@field max_depth? integer Lists and tables inside each other. 1 to 512. Default: `256`.

---The msgpack transformer, which services don't have by default.
---@param options? resthost.transformers.msgpack.options
---@return resthost.transformation
function rest.transformers.msgpack(options) end

---@class resthost.transformers.cbor.options
---@field transform_errors? boolean Transforms the bodies of errors too. Default: `true`.
---@field empty? boolean Transforms a success without a body too. Default: `false`.
---@field sequence? boolean Gives a list of all values that follow each other. Default: `false`.
---@field max_depth? integer Lists and tables inside each other. 1 to 512. Default: `256`.

---The cbor transformer, which services don't have by default.
---@param options? resthost.transformers.cbor.options
---@return resthost.transformation
function rest.transformers.cbor(options) end

rest.cache = {}

---@class resthost.cache.memory.options
---@field max_bytes? integer Size of all that it holds; without it 16 MiB in memory, 256 MiB in a file. In bytes. 1 or more.

---Keeps entities in this process; those not used for longest go first. Make it outside of blocks. In a block, a line makes one cache, however often it runs.
---@param options? resthost.cache.memory.options
---@return resthost.cache
function rest.cache.memory(options) end

---@class resthost.cache.custom.options
---@field key fun(resource: resthost.resource, stage: string): any Returns the key, any value, for the other functions; nil keeps the resource out of the cache.
---@field read fun(key: any): resthost.entity? Gives the entity, or nil.
---@field write fun(key: any, entity: resthost.entity) Keeps the entity.
---@field remove fun(key: any) Forgets it.
---@field update_timestamp? fun(key: any, timestamp: number) Sets the entity's time; by default the entity is read, changed and written.
---@field partitions? boolean True if `key` depends on `resource.partition`. Without it, resources with a partition are not kept. Default: `false`.

---Keeps entities with functions of the script. They may wait, 5 seconds in all. They fail by raising, or by returning nil and a reason.
---@param options resthost.cache.custom.options
---@return resthost.cache
function rest.cache.custom(options) end

---@class resthost.cache.sqlite.options
---@field path string The path of its file, relative to the script's folder.
---@field max_bytes? integer Size of all that it holds; without it 16 MiB in memory, 256 MiB in a file. In bytes. 1 or more.
---@field user? string|(fun(): string?) The user whose entities these are. A function is called for each key, and may not wait.

---Keeps entities in a file, which `--allow-read` and `--allow-write` must permit.
---@param options resthost.cache.sqlite.options
---@return resthost.cache
function rest.cache.sqlite(options) end

---@class resthost.cache.redis.options
---@field url? string A server other than that of `rest.shared`, in the same forms. 64 KiB at most.
---@field ttl? number Time for which an entry is kept after its last write or confirmation. It bounds the server's memory; the age of data has its own limits. In seconds. 1 to 31536000. Default: `86400`.
---@field max_entry_bytes? integer The largest entry; larger content is not kept. In bytes. 1 to 33554432. Default: `1048576`.
---@field compress? boolean Compresses entries with zstd. Default: `false`.
---@field user? string|(fun(): string?) The user whose entities these are. A function is called for each key, and may not wait.

---Keeps entities in the server of `rest.shared`, or in one of its own, where all hosts find them. While the server can't be used, requests go on without it.
---@param options? resthost.cache.redis.options
---@return resthost.cache
function rest.cache.redis(options) end

rest.log = {}

---Turns these categories of the engine's log on and all others off. Gives those that were on before. Names: none, common, detailed, all, network, network_details, pipeline, state_changes, observers, staleness, cache, configuration.
---@param set string|string[]?
---@return string[]
function rest.log.categories(set) end

---Writes to a category of the engine's log if it is on.
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
---@field big? "float"|"text" The form of integers beyond 64 bits: floats, or strings of their digits. Default: `"float"`.

---The value of a JSON text; the last one of repeated keys counts.
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

---The part of a value at a JSON pointer (RFC 6901), such as `/items/0/name`, itself and no copy; nil if there is none, `rest.null` for null.
---@param value any
---@param pointer string
---@return any|nil
function rest.json.pointer(value, pointer) end

---The value after the operations of a JSON patch (RFC 6902), all of them or none. The arguments stay as they are.
---@param value any
---@param operations table[]
---@return any|nil
---@return string?
function rest.json.patch(value, operations) end

---The value after a JSON merge patch (RFC 7396): objects are merged, `rest.null` removes a member, other values replace. The arguments stay as they are.
---@param value any
---@param patch any
---@return any
function rest.json.merge(value, patch) end

---@class resthost.json.path.options
---@field most? integer The most parts that may be found; more are an error. 1 to 1000000. Default: `100000`.

---The parts of a value that a JSONPath (RFC 9535) finds, in order.
---@param value any
---@param path string
---@param options? resthost.json.path.options
---@return any[]|nil
---@return string?
function rest.json.path(value, path, options) end

---@class resthost.json.paths.options
---@field most? integer The most parts that may be found; more are an error. 1 to 1000000. Default: `100000`.

---The normalized paths of the same parts, such as `$['items'][0]`.
---@param value any
---@param path string
---@param options? resthost.json.paths.options
---@return string[]|nil
---@return string?
function rest.json.paths(value, path, options) end

---@class resthost.json.reader.options
---@field max_line? integer|string The bytes of a line. In bytes. 1 TiB at most. Default: `"1MiB"`.

---Reads lines of JSON (NDJSON) that come in pieces, such as those of `rest.stream`, in little memory. It calls fn with each value; without fn its methods return the values.
---@param options? resthost.json.reader.options
---@param fn? fun(value: any)
---@return resthost.record_reader
function rest.json.reader(options, fn) end

rest.schema = {}

---@class resthost.schema.compile.options
---@field documents? table Other schemas that `$ref` may name, by their URI: `{ ["https://…/user.json"] = { … } }`. The host loads none.
---@field formats? boolean Whether `format` is checked, too, such as `date-time`, `email`, `uri`, `uuid` and `ipv4`. Default: `false`.

---Compiles a JSON Schema (2020-12). A wrong keyword or a reference that leads nowhere is an error with its place.
---@param schema table|boolean
---@param options? resthost.schema.compile.options
---@return resthost.schema
function rest.schema.compile(schema, options) end

rest.yaml = {}

---@class resthost.yaml.decode.options
---@field documents? boolean Gives a list of all documents; otherwise there is one at most. Default: `false`.
---@field max_depth? integer Lists and tables inside each other. 1 to 512. Default: `256`.

---The value of a YAML text by the core schema of YAML 1.2. Keys are strings, as they are written. A key that occurs twice is an error.
---@param text string
---@param options? resthost.yaml.decode.options
---@return any|nil
---@return string?
function rest.yaml.decode(text, options) end

---A YAML text of a value, which parsers of YAML 1.1 read in the same way.
---@param value any
---@return string
function rest.yaml.encode(value) end

rest.xml = {}

---@class resthost.xml.decode.options
---@field mixed? boolean Keeps each piece of text as a string among the children. Default: `false`.
---@field max_nodes? integer Elements and attributes of the document. 1 to 100000000. Default: `1000000`.
---@field max_depth? integer Elements inside each other. 1 to 512. Default: `256`.

---The outermost element of an XML document: a table with `name`, `namespace` (nil without one), `attributes` by name, `children` and `text`. Space between elements is no text. A DOCTYPE that declares something is an error.
---@param text string
---@param options? resthost.xml.decode.options
---@return table|nil
---@return string?
function rest.xml.decode(text, options) end

---@class resthost.xml.encode.options
---@field declaration? boolean Begins with `<?xml version="1.0" encoding="UTF-8"?>`. Default: `false`.

---The text of an element in the form of `decode`; `name` alone is needed. `text` comes before the children, and doesn't count if strings are among them.
---@param element table
---@param options? resthost.xml.encode.options
---@return string
function rest.xml.encode(element, options) end

---@class resthost.xml.find.options
---@field namespaces? table Namespaces by the prefixes of the path. A name without prefix is one of any namespace; `{uri}name` needs no prefix.

---The first element below the given one that a path leads to, such as `channel/item[2]/title`, `//item[@type='x']` or `*`; for a path that ends with `@name`, the attribute's value.
---@param element table
---@param path string
---@param options? resthost.xml.find.options
---@return table|string|nil
function rest.xml.find(element, path, options) end

---@class resthost.xml.find_all.options
---@field namespaces? table Namespaces by the prefixes of the path. A name without prefix is one of any namespace; `{uri}name` needs no prefix.

---All of them, in the document's order.
---@param element table
---@param path string
---@param options? resthost.xml.find_all.options
---@return table
function rest.xml.find_all(element, path, options) end

rest.csv = {}

---@class resthost.csv.decode.options
---@field header? boolean|string[] Whether the first row has the names of the columns; or the names, for a table without them. Default: `true`.
---@field separator? string The character between fields, such as `";"` or `"\t"`. Default: `","`.
---@field ragged? boolean Allows rows with fewer or more fields. Default: `false`.
---@field types? table The types of columns, `"string"`, `"number"`, `"integer"` or `"boolean"`, by name or number. An empty field that is no string is `rest.null`.
---@field max_row? integer|string The fields of a row together. In bytes. 1 TiB at most. Default: `"1MiB"`.

---The rows of a table (RFC 4180): tables with the values by the names of the first row, or lists. A row with fewer or more fields is an error, and blank lines are no rows.
---@param text string
---@param options? resthost.csv.decode.options
---@return table|nil
---@return string?
function rest.csv.decode(text, options) end

---@class resthost.csv.encode.options
---@field header? string[] The columns in their order; default: those of the first row if it has names, sorted.
---@field separator? string The character between fields, such as `";"` or `"\t"`. Default: `","`.

---The text of rows, which are lists, or tables with names. A value is a string, number or boolean; `rest.null` is an empty field.
---@param rows table
---@param options? resthost.csv.encode.options
---@return string
function rest.csv.encode(rows, options) end

---@class resthost.csv.reader.options
---@field header? boolean|string[] Whether the first row has the names of the columns; or the names, for a table without them. Default: `true`.
---@field separator? string The character between fields, such as `";"` or `"\t"`. Default: `","`.
---@field ragged? boolean Allows rows with fewer or more fields. Default: `false`.
---@field types? table The types of columns, `"string"`, `"number"`, `"integer"` or `"boolean"`, by name or number. An empty field that is no string is `rest.null`.
---@field max_row? integer|string The fields of a row together. In bytes. 1 TiB at most. Default: `"1MiB"`.

---Reads a table that comes in pieces, such as those of `rest.stream`, in little memory. It calls fn with each row; without fn its methods return the rows.
---@param options? resthost.csv.reader.options
---@param fn? fun(row: any)
---@return resthost.record_reader
function rest.csv.reader(options, fn) end

rest.msgpack = {}

---@class resthost.msgpack.decode.options
---@field sequence? boolean Gives a list of all values that follow each other. Default: `false`.
---@field max_depth? integer Lists and tables inside each other. 1 to 512. Default: `256`.

---The value of MessagePack bytes. Texts and bytes are strings, and the keys of maps are strings, numbers or booleans. A time (extension -1) is its seconds since 1970; other extensions are an error.
---@param bytes string
---@param options? resthost.msgpack.decode.options
---@return any|nil
---@return string?
function rest.msgpack.decode(bytes, options) end

---@class resthost.msgpack.encode.options
---@field binary? boolean Writes all strings but keys as bytes. Default: `false`.

---The MessagePack bytes of a value. A string that is UTF-8 is written as text, another one and `rest.bytes` as bytes.
---@param value any
---@param options? resthost.msgpack.encode.options
---@return string
function rest.msgpack.encode(value, options) end

rest.cbor = {}

---@class resthost.cbor.decode.options
---@field sequence? boolean Gives a list of all values that follow each other. Default: `false`.
---@field max_depth? integer Lists and tables inside each other. 1 to 512. Default: `256`.

---The value of CBOR bytes. Texts and bytes are strings, and the keys of maps are strings, numbers or booleans. Tags for times, texts and large integers give the value inside; other tags are an error.
---@param bytes string
---@param options? resthost.cbor.decode.options
---@return any|nil
---@return string?
function rest.cbor.decode(bytes, options) end

---@class resthost.cbor.encode.options
---@field binary? boolean Writes all strings but keys as bytes. Default: `false`.

---The CBOR bytes of a value. A string that is UTF-8 is written as text, another one and `rest.bytes` as bytes.
---@param value any
---@param options? resthost.cbor.encode.options
---@return string
function rest.cbor.encode(value, options) end

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

---The digest by `md5`, `sha1`, `sha256`, `sha384` or `sha512`. MD5 and SHA-1 are for old protocols only.
---@param hash string
---@param bytes string
---@return string
function rest.crypto.digest(hash, bytes) end

---HMAC (RFC 2104) with one of the same hashes.
---@param hash string
---@param key string
---@param bytes string
---@return string
function rest.crypto.hmac(hash, key, bytes) end

---Signs with a private key in PEM. The algorithms are those of JSON Web Tokens: `RS256`, `PS256`, `ES256`, their forms with 384 and 512, and `EdDSA`.
---@param algorithm string
---@param key string
---@param bytes string
---@return string
function rest.crypto.sign(algorithm, key, bytes) end

---Whether a signature is valid, by a public key or a certificate in PEM.
---@param algorithm string
---@param key string
---@param bytes string
---@param signature string
---@return boolean
function rest.crypto.verify(algorithm, key, bytes, signature) end

---Cryptographically random bytes, 1 to 65,536 of them.
---@param count integer
---@return string
function rest.crypto.random_bytes(count) end

---A random UUID (RFC 9562, version 4) in lower case.
---@return string
function rest.crypto.uuid() end

---Compares secrets, such as signatures, in a time that does not depend on where they differ.
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

---The parts of a URL. `params` has the decoded values of its query by name, a list for a repeated one.
---@param url string
---@return table|nil
---@return string?
function rest.url.parse(url) end

return rest
