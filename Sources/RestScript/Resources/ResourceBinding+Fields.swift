import LuaRuntime
import RestEngine

extension ResourceBinding {
    var resourceProperties: [LuaProperty] {
        [
            property("url", "string", "Its identity.") { call in
                call.lua.push(try call.receiver(as: Resource.self).urlString)
                return .one
            },
            property("partition", "string?", "The partition that it belongs to; nil: that of everybody.") {
                call in
                call.lua.push(optional: try call.receiver(as: Resource.self).partition)
                return .one
            },
            property("service", "service", "The service that it belongs to.") { call in
                values.push(try call.receiver(as: Resource.self).service, on: call.lua)
                return .one
            },
            property("configuration", "configuration", "The frozen configuration for GET.") { call in
                try pushConfiguration(of: call.receiver(as: Resource.self), "GET", on: call.lua)
                return .one
            },
            property("latest_data", "entity?", "The last good data; survives later errors.") { call in
                if let entity = try call.receiver(as: Resource.self).latestData {
                    values.push(entity, on: call.lua)
                } else {
                    call.lua.pushNil()
                }
                return .one
            },
            property("latest_error", "error?", "The error of the last finished load.") { call in
                if let error = try call.receiver(as: Resource.self).latestError {
                    values.pushError(error, on: call.lua)
                } else {
                    call.lua.pushNil()
                }
                return .one
            },
            property(
                "timestamp", "number",
                "The time of the data or of the error, whichever is later; 0 when it has neither."
            ) {
                call in
                call.lua.push(try call.receiver(as: Resource.self).timestamp)
                return .one
            },
            property("is_loading", "boolean", "True when a load is in flight.") { call in
                call.lua.push(try call.receiver(as: Resource.self).isLoading)
                return .one
            },
            property("is_requesting", "boolean", "True when any request is in flight.") { call in
                call.lua.push(try call.receiver(as: Resource.self).isRequesting)
                return .one
            },
            property("is_up_to_date", "boolean", "True when load_if_needed would do nothing.") { call in
                call.lua.push(try call.receiver(as: Resource.self).isUpToDate)
                return .one
            },
            property("load_requests", "request[]", "Loads in flight, oldest first.") { call in
                pushList(try call.receiver(as: Resource.self).loadRequests, on: call.lua)
                return .one
            },
            property("all_requests", "request[]", "Requests in flight, oldest first.") { call in
                pushList(try call.receiver(as: Resource.self).allRequests, on: call.lua)
                return .one
            },
            property("text", "string", "The latest content if it is text, else an empty string.") { call in
                values.pushText(of: try call.receiver(as: Resource.self).latestData?.content, on: call.lua)
                return .one
            },
            property("json", "table", "The latest content if it is a table, else an empty one.") { call in
                values.pushJSON(of: try call.receiver(as: Resource.self).latestData?.content, on: call.lua)
                return .one
            },
        ]
    }

    private func pushList(_ requests: [Request], on lua: Lua) {
        lua.newTable(array: Int32(requests.count))
        for (index, request) in requests.enumerated() {
            values.push(request, on: lua)
            lua.rawSet(-2, index + 1)
        }
    }

    /// Pushes the configuration in use, which is read only. Raises the error of a block, with which requests
    /// fail, too.
    func pushConfiguration(of resource: Resource, _ method: String, on lua: Lua) throws {
        if let failure = resource.resolvedConfiguration(for: method).failure {
            throw LuaUsageError(
                "the \(method) configuration of \(resource.urlString) failed: \(failure.reason)")
        }
        values.push(resource.configurationDraft(for: method), on: lua)
    }
}
