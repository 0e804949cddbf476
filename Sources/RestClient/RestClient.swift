// Modules that a program that calls an API needs beside this one.
@_exported public import CurlTransport
@_exported public import RestEngine
