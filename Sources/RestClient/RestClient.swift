// What a program that calls an API needs beside this module.
@_exported public import CurlTransport
@_exported public import RestEngine
