#include "cxml.h"

#include <limits.h>
#include <stdio.h>
#include <expat.h>

typedef struct {
    const cxml_handlers *handlers;
    XML_Parser parser;
    cxml_error *error;
    int stopped;
    int refused;
} parsing;

static void place(parsing *self) {
    self->error->line = (size_t)XML_GetCurrentLineNumber(self->parser);
    self->error->column = (size_t)XML_GetCurrentColumnNumber(self->parser) + 1;
}

static void stop(parsing *self) {
    self->stopped = 1;
    place(self);
    (void)XML_StopParser(self->parser, XML_FALSE);
}

static void refuse(parsing *self, const char *format, const char *name) {
    if (self->stopped) return;
    self->refused = 1;
    snprintf(self->error->message, sizeof self->error->message, format, name);
    stop(self);
}

static void on_start(void *data, const XML_Char *name, const XML_Char **attributes) {
    parsing *self = data;
    if (self->stopped) return;
    if (!self->handlers->start(self->handlers->context, name, attributes)) stop(self);
}

static void on_end(void *data, const XML_Char *name) {
    parsing *self = data;
    (void)name;
    if (self->stopped) return;
    if (!self->handlers->end(self->handlers->context)) stop(self);
}

static void on_text(void *data, const XML_Char *text, int length) {
    parsing *self = data;
    if (self->stopped) return;
    if (!self->handlers->text(self->handlers->context, (const uint8_t *)text, (size_t)length)) stop(self);
}

// Entities and default attributes let a small document become large. Both are declared in the subset.
static void on_doctype(
    void *data, const XML_Char *name, const XML_Char *system, const XML_Char *public_id, int has_subset) {
    (void)system;
    (void)public_id;
    if (has_subset) refuse(data, "the DOCTYPE of '%.60s' declares entities or elements, which is refused", name);
}

// An entity of an external document type, which is never loaded.
static void on_skipped(void *data, const XML_Char *name, int is_parameter) {
    if (!is_parameter) refuse(data, "the entity '%.60s' isn't defined", name);
}

static int on_external(
    XML_Parser parser, const XML_Char *context, const XML_Char *base, const XML_Char *system,
    const XML_Char *public_id) {
    (void)parser;
    (void)context;
    (void)base;
    (void)system;
    (void)public_id;
    return XML_STATUS_ERROR;
}

static int result_of(parsing *self) {
    if (self->refused) return CXML_MALFORMED;
    if (self->stopped) return CXML_STOPPED;
    enum XML_Error code = XML_GetErrorCode(self->parser);
    place(self);
    const char *message = XML_ErrorString(code);
    snprintf(self->error->message, sizeof self->error->message, "%s", message != NULL ? message : "");
    if (code == XML_ERROR_NO_MEMORY) return CXML_NO_MEMORY;
    return code == XML_ERROR_UNKNOWN_ENCODING ? CXML_UNKNOWN_ENCODING : CXML_MALFORMED;
}

int cxml_parse(
    const uint8_t *bytes, size_t length, const char *encoding, const cxml_handlers *handlers,
    cxml_error *error) {
    *error = (cxml_error){.line = 1, .column = 1};
    if (length > INT_MAX) {
        snprintf(error->message, sizeof error->message, "the document is larger than 2 GiB");
        return CXML_MALFORMED;
    }
    XML_Parser parser = XML_ParserCreateNS(encoding, CXML_SEPARATOR);
    if (parser == NULL) return CXML_NO_MEMORY;
    parsing self = {.handlers = handlers, .parser = parser, .error = error};
    XML_SetUserData(parser, &self);
    XML_SetElementHandler(parser, on_start, on_end);
    XML_SetCharacterDataHandler(parser, on_text);
    XML_SetStartDoctypeDeclHandler(parser, on_doctype);
    XML_SetSkippedEntityHandler(parser, on_skipped);
    XML_SetExternalEntityRefHandler(parser, on_external);
    (void)XML_SetParamEntityParsing(parser, XML_PARAM_ENTITY_PARSING_NEVER);
    int result = CXML_OK;
    if (XML_Parse(parser, (const char *)bytes, (int)length, 1) != XML_STATUS_OK) result = result_of(&self);
    XML_ParserFree(parser);
    return result;
}
