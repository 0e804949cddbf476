package import RestEngine

/// A flag that ends a decoder or an encoder before it has finished, because its caller's time is used up.
package struct StopFlag {
    private let flag: UnsafePointer<Bool>?

    /// - Parameter flag: Another thread may set it; nil: there is none.
    package init(_ flag: UnsafePointer<Bool>? = nil) { self.flag = flag }

    func check() throws(FormatError) {
        if flag?.pointee ?? false { throw .stopped }
    }
}

extension FormatError {
    /// The error after a ``StopFlag`` was set.
    package static let stopped = FormatError("", at: nil, "the time is used up")
}
