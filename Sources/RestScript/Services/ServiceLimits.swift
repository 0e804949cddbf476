import LuaRuntime
import RestEngine

extension ScriptContext {
    /// What a service may keep.
    var limitsOfService: [LuaProperty] {
        [
            property(
                "cached_resource_count_limit", "integer",
                "When so many resources are live, adding one drops those that nobody holds.",
                { call in
                    call.lua.push(try call.receiver(as: Service.self).cachedResourceCountLimit)
                    return .one
                },
                set: { [unowned self] call in
                    let limit = try call.integer(1, "limit")
                    guard limit >= 1 else { throw call.bad(1, "limit", "it is 1 or more") }
                    let service = try call.receiver(as: Service.self)
                    service.cachedResourceCountLimit = Int(limit)
                    limitedServices.insert(service.name)
                    return .none
                }),
            property(
                "cached_resource_bytes_limit", "integer",
                "Bytes of content that its resources hold at the most; beyond it what was not used for longest goes. The "
                    + "host's limit, unless it is set to less.",
                { call in
                    call.lua.push(try call.receiver(as: Service.self).contentLimit)
                    return .one
                },
                set: { [unowned self] call in
                    let limit = try call.integer(1, "limit")
                    guard limit >= 1 else { throw call.bad(1, "limit", "it is 1 or more") }
                    let service = try call.receiver(as: Service.self)
                    service.cachedResourceBytesLimit = Int(limit)
                    byteLimitedServices.insert(service.name)
                    return .none
                }),
        ]
    }
}
