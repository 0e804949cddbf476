public import RestEngine

/// Each gives another call, and leaves this one as it is.
extension Call {
    /// Adds the properties of a block behind those that there are. Headers that are lists are joined, others
    /// and a body take the place of what is there.
    public func adding(
        fileID: String = #fileID, line: Int = #line, @PropertiesBuilder _ properties: () -> CallProperties
    ) -> Call {
        let properties = properties()
        return changed { definition throws(DefinitionError) in
            try definition.adding(try properties.checked(), origin: "\(fileID):\(line)")
        }
    }

    /// Adds one property, or a group of them.
    public func adding(
        _ property: some RequestProperty, fileID: String = #fileID, line: Int = #line
    ) -> Call {
        adding(fileID: fileID, line: line) { property }
    }

    /// Replaces all properties of each kind that the block has, inherited ones too: its headers all headers,
    /// its parameters the whole query.
    public func setting(
        fileID: String = #fileID, line: Int = #line, @PropertiesBuilder _ properties: () -> CallProperties
    ) -> Call {
        let properties = properties()
        return changed { definition throws(DefinitionError) in
            try definition.setting(try properties.checked(), origin: "\(fileID):\(line)")
        }
    }

    /// Replaces all properties of one kind: `setting(QueryItems {})` removes the query.
    public func setting(
        _ property: some RequestProperty, fileID: String = #fileID, line: Int = #line
    ) -> Call {
        setting(fileID: fileID, line: line) { property }
    }

    /// Replaces a header; nil removes it, if no block of the service sets it. To join a value to a list there
    /// is `adding(Header(…))`.
    public func header(
        _ name: HeaderName, _ value: String?, fileID: String = #fileID, line: Int = #line
    ) -> Call {
        changed { definition throws(DefinitionError) in
            let origin = "\(fileID):\(line)"
            return if let value {
                try definition.settingHeader(name.rawValue, [value], origin: origin)
            } else {
                try definition.removingHeader(name.rawValue, origin: origin)
            }
        }
    }

    /// Replaces all parameters of a name where the first stood, or adds one behind all; nil removes them.
    public func query(
        _ name: String, _ value: (some QueryValueConvertible)?, fileID: String = #fileID, line: Int = #line
    ) -> Call {
        changed { definition throws(DefinitionError) in
            try definition.settingQuery(name, try value?.queryValue(), origin: "\(fileID):\(line)")
        }
    }

    /// Replaces the body.
    public func body(_ body: Body, fileID: String = #fileID, line: Int = #line) -> Call {
        setting(body, fileID: fileID, line: line)
    }

    /// The same with another method.
    public func method(_ method: Method) -> Call {
        changed { definition throws(DefinitionError) in try definition.withMethod(method.rawValue) }
    }

    /// The same, sent elsewhere; its URL stays.
    public func session(_ session: Session) -> Call {
        var call = self
        call.session = session
        return call
    }

    /// Limits the whole call in time; nil for any time, and of zero or less it fails at once. See
    /// ``Timeout``.
    public func timeout(_ duration: Duration?, fileID: String = #fileID, line: Int = #line) -> Call {
        adding(Timeout(duration), fileID: fileID, line: line)
    }

    /// The whole call must have ended by then, in addition to its timeout. Afterwards it fails at once. Nil:
    /// there is no such time.
    public func deadline(_ instant: ContinuousClock.Instant?) -> Call {
        var call = self
        call.deadline = instant
        return call
    }

    /// Configures it further, behind all that is there; see ``Configure``.
    public func configure(
        fileID: String = #fileID, line: Int = #line,
        _ edit: @escaping @EngineActor (inout RestEngine.Configuration) throws -> Void
    ) -> Call {
        adding(Configure(fileID: fileID, line: line, edit), fileID: fileID, line: line)
    }
}
