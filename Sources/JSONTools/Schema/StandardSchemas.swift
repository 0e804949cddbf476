import RestEngine

/// The schemas of JSON Schema 2020-12 itself, reduced to what checks a schema.
enum StandardSchemas {
    static var all: [(uri: String, schema: Tree)] {
        texts.map { name, text in
            guard let tree = try? Tree(json: text) else {
                preconditionFailure("StandardSchemas: '\(name)' is no JSON")
            }
            return (base + name, tree)
        }
    }

    private static let base = "https://json-schema.org/draft/2020-12/"

    private static func head(_ name: String) -> String {
        """
        "$schema": "\(base)schema", "$id": "\(base)\(name)", "$dynamicAnchor": "meta"
        """
    }

    private static let this = ##"{ "$dynamicRef": "#meta" }"##
    private static let byName = #"{ "type": "object", "additionalProperties": \#(this), "default": {} }"#
    private static let list = #"{ "type": "array", "minItems": 1, "items": \#(this) }"#
    private static let names = #"{ "type": "array", "items": { "type": "string" }, "uniqueItems": true }"#
    private static let count = #"{ "type": "integer", "minimum": 0 }"#

    private static func vocabulary(_ name: String, _ properties: String, more: String = "") -> (
        String, String
    ) {
        (
            "meta/\(name)",
            """
            { \(head("meta/\(name)")), "type": ["object", "boolean"],
              "properties": { \(properties) }\(more) }
            """
        )
    }

    private static var texts: [(name: String, text: String)] {
        [
            (
                "schema",
                """
                { \(head("schema")), "type": ["object", "boolean"],
                  "$vocabulary": { \(vocabularies) },
                  "allOf": [ \(parts.map { "{ \"$ref\": \"meta/\($0)\" }" }.joined(separator: ", ")) ],
                  "properties": {
                    "definitions": \(byName),
                    "dependencies": { "type": "object", "additionalProperties": {
                      "anyOf": [\(this), { "$ref": "meta/validation#/$defs/stringArray" }] } },
                    "$recursiveAnchor": { "$ref": "meta/core#/$defs/anchorString" },
                    "$recursiveRef": { "$ref": "meta/core#/$defs/uriReferenceString" } } }
                """
            ),
            vocabulary(
                "core",
                """
                "$id": { "$ref": "#/$defs/uriReferenceString", "pattern": "^[^#]*#?$" },
                "$schema": { "$ref": "#/$defs/uriString" },
                "$ref": { "$ref": "#/$defs/uriReferenceString" },
                "$anchor": { "$ref": "#/$defs/anchorString" },
                "$dynamicRef": { "$ref": "#/$defs/uriReferenceString" },
                "$dynamicAnchor": { "$ref": "#/$defs/anchorString" },
                "$vocabulary": { "type": "object", "propertyNames": { "$ref": "#/$defs/uriString" },
                  "additionalProperties": { "type": "boolean" } },
                "$comment": { "type": "string" }, "$defs": \(byName)
                """,
                more: """
                    , "$defs": {
                      "anchorString": { "type": "string", "pattern": "^[A-Za-z_][-A-Za-z0-9._]*$" },
                      "uriString": { "type": "string", "format": "uri" },
                      "uriReferenceString": { "type": "string", "format": "uri-reference" } }
                    """),
            vocabulary(
                "applicator",
                """
                "prefixItems": \(list), "items": \(this), "contains": \(this), "additionalProperties": \(this),
                "properties": \(byName), "dependentSchemas": \(byName), "propertyNames": \(this),
                "patternProperties": { "type": "object", "additionalProperties": \(this),
                  "propertyNames": { "format": "regex" } },
                "if": \(this), "then": \(this), "else": \(this), "not": \(this),
                "allOf": \(list), "anyOf": \(list), "oneOf": \(list)
                """,
                more: ", \"$defs\": { \"schemaArray\": \(list) }"),
            vocabulary("unevaluated", "\"unevaluatedItems\": \(this), \"unevaluatedProperties\": \(this)"),
            vocabulary("validation", validation, more: validationParts),
            vocabulary(
                "meta-data",
                """
                "title": { "type": "string" }, "description": { "type": "string" }, "default": true,
                "deprecated": { "type": "boolean" }, "readOnly": { "type": "boolean" },
                "writeOnly": { "type": "boolean" }, "examples": { "type": "array", "items": true }
                """),
            vocabulary("format-annotation", #""format": { "type": "string" }"#),
            vocabulary("format-assertion", #""format": { "type": "string" }"#),
            vocabulary(
                "content",
                """
                "contentEncoding": { "type": "string" }, "contentMediaType": { "type": "string" },
                "contentSchema": \(this)
                """),
        ]
    }

    private static let parts = [
        "core", "applicator", "unevaluated", "validation", "meta-data", "format-annotation", "content",
    ]

    private static var vocabularies: String {
        parts.map { "\"\(base)vocab/\($0)\": true" }.joined(separator: ", ")
    }

    private static let validation = """
        "type": { "anyOf": [ { "$ref": "#/$defs/simpleTypes" },
          { "type": "array", "items": { "$ref": "#/$defs/simpleTypes" }, "minItems": 1, "uniqueItems": true } ] },
        "const": true, "enum": { "type": "array", "items": true },
        "multipleOf": { "type": "number", "exclusiveMinimum": 0 }, "maximum": { "type": "number" },
        "exclusiveMaximum": { "type": "number" }, "minimum": { "type": "number" },
        "exclusiveMinimum": { "type": "number" }, "maxLength": \(count), "minLength": \(count),
        "pattern": { "type": "string", "format": "regex" }, "maxItems": \(count), "minItems": \(count),
        "uniqueItems": { "type": "boolean" }, "maxContains": \(count), "minContains": \(count),
        "maxProperties": \(count), "minProperties": \(count), "required": \(names),
        "dependentRequired": { "type": "object", "additionalProperties": \(names) }
        """

    private static let validationParts = """
        , "$defs": {
          "nonNegativeInteger": \(count), "stringArray": \(names),
          "simpleTypes": { "enum": [
            "array", "boolean", "integer", "null", "number", "object", "string" ] } }
        """
}
