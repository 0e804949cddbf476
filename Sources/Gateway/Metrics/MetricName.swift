/// The metrics of a host, by their Prometheus names (rules 65). The meaning of a name never changes. The
/// guide to operating a host lists them.
public enum MetricName: String, CaseIterable, Sendable {
    case gatewayRequests = "resthost_gateway_requests_total"
    case gatewayRequestSeconds = "resthost_gateway_request_seconds"
    case gatewayBodyBytes = "resthost_gateway_body_bytes_total"
    case gatewayConnections = "resthost_gateway_connections"
    case gatewayFailures = "resthost_gateway_failures_total"
    case certificateExpiry = "resthost_gateway_certificate_expiry_timestamp_seconds"
    case certificateRenewal = "resthost_gateway_certificate_renewal_successful"
    case gatewayStreams = "resthost_gateway_streams"
    case upstreamRequests = "resthost_upstream_requests_total"
    case upstreamRequestSeconds = "resthost_upstream_request_seconds"
    case upstreamMessages = "resthost_upstream_messages_total"
    case upstreamPhaseSeconds = "resthost_upstream_phase_seconds"
    case upstreamBytes = "resthost_upstream_bytes_total"
    case upstreamConnections = "resthost_upstream_connections_total"
    case transformSeconds = "resthost_transform_seconds"
    case cacheOperations = "resthost_cache_operations_total"
    case sharedCommands = "resthost_shared_commands_total"
    case sharedConnected = "resthost_shared_connected"
    case sharedUnreadable = "resthost_shared_unreadable_total"
    case sharedLoads = "resthost_shared_loads_total"
    case sharedLimits = "resthost_shared_limit_messages_total"
    case sharedInvalidations = "resthost_shared_invalidations_total"
    case sharedInvalidationsWaiting = "resthost_shared_invalidations_waiting"
    case limitActions = "resthost_limit_actions_total"
    case limitInFlight = "resthost_limit_in_flight"
    case limitWaiting = "resthost_limit_waiting"
    case breakerChanges = "resthost_breaker_changes_total"
    case breakerOpen = "resthost_breaker_open"
    case reloads = "resthost_reloads_total"
    case lastReload = "resthost_last_reload_successful"
    case openRequests = "resthost_open_requests"
    case offloadedWork = "resthost_offloaded_work"
    case resources = "resthost_resources"
    case partitions = "resthost_partitions"
    case evictedResources = "resthost_resources_evicted_total"
    case contentBytes = "resthost_content_bytes"
    case generation = "resthost_generation"
    case generationsAlive = "resthost_generations_alive"
    case jobs = "resthost_jobs"
    case failedJobs = "resthost_failed_jobs_total"
    case luaMemory = "resthost_lua_memory_bytes"
    case luaCPU = "resthost_lua_cpu_seconds_total"
    case threadCPU = "resthost_thread_cpu_seconds_total"
    case startTime = "process_start_time_seconds"
    case processCPU = "process_cpu_seconds_total"
    case residentMemory = "process_resident_memory_bytes"
    case openDescriptors = "process_open_fds"

    /// The type of a metric for Prometheus.
    public enum Kind: String, Sendable {
        case counter, gauge, histogram
    }

    /// The type of all metrics with this name.
    public var kind: Kind {
        if rawValue.hasSuffix("_total") { return .counter }
        switch self {
        case .gatewayRequestSeconds, .upstreamRequestSeconds, .upstreamPhaseSeconds, .transformSeconds:
            return .histogram
        default: return .gauge
        }
    }

    /// A description in one line.
    public var help: String {
        switch self {
        case .gatewayRequests: "Requests that clients got an answer to."
        case .gatewayRequestSeconds: "From the end of a request's head to the hand-over of its answer."
        case .gatewayFailures: "Failures of the script, the host or an API that clients got, by code."
        case .gatewayBodyBytes: "Bytes of content sent to clients."
        case .gatewayConnections: "Open connections of clients."
        case .certificateExpiry: "Unix time at which the first certificate in a file ends."
        case .certificateRenewal:
            "0 while a renewed certificate can't be used and the one before goes on, else 1."
        case .gatewayStreams: "Open event streams of clients."
        case .upstreamRequests: "Requests to APIs that ended, each with all its messages."
        case .upstreamRequestSeconds: "From the start of a request to the end of its pipeline."
        case .upstreamMessages: "Messages sent to APIs: requests, repeats, redirects, challenges."
        case .upstreamPhaseSeconds: "Time of the messages to APIs, by phase."
        case .upstreamBytes:
            "Bytes on the wire: requests to APIs with their heads, and bodies of answers."
        case .upstreamConnections: "Connections that messages to APIs used, new and reused."
        case .transformSeconds: "From an API's last byte to the end of the pipeline, waits included."
        case .cacheOperations: "Operations of the stages' caches, and their results."
        case .sharedCommands: "Commands to the servers of shared memories, by their result."
        case .sharedConnected: "1 while there is a connection to the server of a shared memory, else 0."
        case .sharedUnreadable: "Entries of caches in shared memories that were damaged or foreign."
        case .sharedLoads:
            "Loads of resources that hosts share: made for all, used of another host, or made alone."
        case .sharedLimits: "Messages about limits that hosts share: answered in time, or not."
        case .sharedInvalidations:
            "Invalidations that were sent to and received from other hosts, and times at which some may be missing."
        case .sharedInvalidationsWaiting: "Invalidations that the server doesn't have yet."
        case .limitActions: "Requests that a limit queued, released or refused."
        case .limitInFlight: "Requests under way that share a limit."
        case .limitWaiting: "Requests that wait for a limit."
        case .breakerChanges: "Changes of circuit breakers."
        case .breakerOpen: "1 for an origin whose circuit is open, 0.5 while it is half open."
        case .reloads: "Reloads of the script or of its modules."
        case .lastReload: "0 while the last reload is a failed one, else 1."
        case .openRequests: "Requests of the engine that have not ended."
        case .offloadedWork: "Pieces of work that other threads do for the engine."
        case .resources: "Resources in memory."
        case .partitions: "Partitions that have resources in memory."
        case .evictedResources: "Unused resources that went to make room."
        case .contentBytes: "Bytes that resources hold, themselves included."
        case .generation: "Number of the running generation of the script."
        case .generationsAlive: "Generations that run or still finish something."
        case .jobs: "Jobs and timers of the script that are alive."
        case .failedJobs: "Jobs and runs of timers that raised an error while nothing waited for them."
        case .luaMemory:
            "Bytes in the Lua states of the script and its modules, earlier generations included."
        case .luaCPU: "CPU time of functions of the script and its modules, to a hundredth of a second."
        case .threadCPU: "CPU time of the threads, by their names."
        case .startTime: "Unix time at which the process began."
        case .processCPU: "CPU time of the process."
        case .residentMemory: "Bytes of the process in memory."
        case .openDescriptors: "Open file descriptors."
        }
    }
}
