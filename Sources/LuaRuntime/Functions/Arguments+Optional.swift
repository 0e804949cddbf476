/// Readers that take a missing argument or nil as nil, and are as strict as the others otherwise.
extension Arguments {
    public func optionalString(_ index: Int32, _ name: String) throws -> String? {
        isAbsent(index) ? nil : try string(index, name)
    }

    public func optionalInteger(_ index: Int32, _ name: String) throws -> Int64? {
        isAbsent(index) ? nil : try integer(index, name)
    }

    public func optionalNumber(_ index: Int32, _ name: String) throws -> Double? {
        isAbsent(index) ? nil : try number(index, name)
    }

    public func optionalBoolean(_ index: Int32, _ name: String) throws -> Bool? {
        isAbsent(index) ? nil : try boolean(index, name)
    }

    public func optionalFunction(_ index: Int32, _ name: String) throws -> LuaReference? {
        isAbsent(index) ? nil : try function(index, name)
    }

    public func optionalTable(_ index: Int32, _ name: String) throws -> Int32? {
        isAbsent(index) ? nil : try table(index, name)
    }

    public func optionalObject<Object: AnyObject>(
        _ index: Int32, _ name: String, as type: Object.Type, expected: String? = nil
    ) throws -> Object? {
        isAbsent(index) ? nil : try object(index, name, as: type, expected: expected)
    }
}
