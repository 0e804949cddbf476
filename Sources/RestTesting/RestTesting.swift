// A test of an API needs the types of the engine beside this module.
@_exported public import RestEngine
