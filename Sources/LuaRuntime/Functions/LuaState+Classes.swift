import CLua

extension LuaState {
    /// Makes the metatable of a class, once for each state.
    func register<Object: LuaObject>(_ luaClass: LuaClass, of objectType: Object.Type, on lua: Lua) {
        // An object may keep more, or less, when a script has set something of it. The function lives in the
        // state, and must not keep it alive.
        func measuring(_ set: @escaping HostFunction) -> HostFunction {
            { arguments in
                let result = try set(arguments)
                if let object = arguments.lua.object(1, as: Object.self) {
                    arguments.lua.state.measure(object)
                }
                return result
            }
        }
        classes.append(luaClass)
        let type = ObjectIdentifier(objectType)
        classNames.removeAll { $0.type == type }
        classNames.append((type, luaClass.name))
        lua.checkStack(12)
        pushFunctions(luaClass.methods.map { ($0.name, $0.function) }, .method, luaClass, lua)
        pushFunctions(luaClass.properties.map { ($0.name, $0.get) }, .field, luaClass, lua)
        pushFunctions(
            luaClass.properties.compactMap { property in property.set.map { (property.name, measuring($0)) }
            },
            .field, luaClass, lua)
        let read = luaClass.index ?? { throw luaClass.unknownField(try $0.fieldName()) }
        let write =
            luaClass.newIndex.map(measuring) ?? { throw luaClass.readOnlyField(try $0.fieldName()) }
        lua.push(box: HostBox(name: "index", role: .method, className: luaClass.name, function: read))
        lua.push(box: HostBox(name: "newindex", role: .method, className: luaClass.name, function: write))
        pushFunctions(metamethods(of: luaClass), .method, luaClass, lua)
        clua_new_class(lua.raw, address(of: luaClass), luaClass.name)
    }

    /// The name of objects of a type in messages.
    func name(ofObjectsOf type: any AnyObject.Type) -> String {
        let id = ObjectIdentifier(type)
        for known in classNames where known.type == id { return known.name }
        return "\(type)".lowercased()
    }

    /// Forgets classes whose script has ended. Objects of them that Lua still holds keep their methods.
    public func unregister(_ gone: [LuaClass]) {
        verifyOwner()
        guard !isClosed, !gone.isEmpty else { return }
        let keys = Set(gone.map(ObjectIdentifier.init))
        for luaClass in gone {
            clua_forget_class(main.raw, address(of: luaClass))
        }
        classes.removeAll { keys.contains(ObjectIdentifier($0)) }
    }

    private func metamethods(of luaClass: LuaClass) -> [(String, HostFunction)] {
        let describe = luaClass.tostring ?? { _ in luaClass.name }
        var functions: [(String, HostFunction)] = [
            (
                "__tostring",
                { arguments in
                    arguments.lua.push(describe(try arguments.receiver(as: AnyObject.self)))
                    return .results(1)
                }
            )
        ]
        if let equals = luaClass.equals {
            functions.append(
                (
                    "__eq",
                    { arguments in
                        // Lua asks for any two host objects, of which one has this.
                        let other = arguments.lua.object(arguments.slot(1))
                        arguments.lua.push(
                            try other.map { equals(try arguments.receiver(as: AnyObject.self), $0) } ?? false)
                        return .results(1)
                    }
                ))
        }
        if let length = luaClass.length { functions.append(("__len", length)) }
        if let pairs = luaClass.pairs { functions.append(("__pairs", pairs)) }
        if let call = luaClass.call { functions.append(("__call", call)) }
        return functions
    }

    private func pushFunctions(
        _ functions: [(String, HostFunction)], _ role: HostBox.Role, _ luaClass: LuaClass, _ lua: Lua
    ) {
        lua.newTable(record: Int32(functions.count))
        for (name, function) in functions {
            lua.push(box: HostBox(name: name, role: role, className: luaClass.name, function: function))
            lua.rawSet(-2, name)
        }
    }
}

extension Arguments {
    /// The name that was read or written; fields of host objects are strings.
    fileprivate func fieldName() throws -> String {
        if let name = lua.string(2) { return name }
        throw LuaUsageError("a \(box.className) has no field of type \(lua.typeName(2))")
    }
}
