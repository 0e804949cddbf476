#include "cyaml.h"

#include <stdio.h>
#include <stdlib.h>
#include <yaml.h>

struct cyaml {
    yaml_parser_t parser;
    yaml_event_t event;
    int has_event;
};

cyaml *cyaml_open(const uint8_t *text, size_t length) {
    cyaml *self = calloc(1, sizeof *self);
    if (self == NULL) return NULL;
    if (!yaml_parser_initialize(&self->parser)) {
        free(self);
        return NULL;
    }
    // libyaml takes no null pointer, not even for the empty text.
    yaml_parser_set_input_string(&self->parser, text != NULL ? text : (const uint8_t *)"", length);
    return self;
}

static void fail(const yaml_parser_t *parser, cyaml_event *event) {
    event->kind = CYAML_FAILED;
    const char *problem = parser->problem != NULL ? parser->problem : "no memory";
    if (parser->context != NULL) {
        snprintf(event->message, sizeof event->message, "%s, %s", parser->context, problem);
    } else {
        snprintf(event->message, sizeof event->message, "%s", problem);
    }
    // The reader, which finds wrong bytes, knows the place of the last character alone.
    yaml_mark_t mark = parser->error == YAML_READER_ERROR ? parser->mark : parser->problem_mark;
    event->line = mark.line + 1;
    event->column = mark.column + 1;
}

void cyaml_next(cyaml *self, cyaml_event *event) {
    if (self->has_event) yaml_event_delete(&self->event);
    self->has_event = 0;
    *event = (cyaml_event){.kind = CYAML_FAILED, .text = (const uint8_t *)""};
    yaml_event_t *next = &self->event;
    for (;;) {
        if (!yaml_parser_parse(&self->parser, next)) {
            fail(&self->parser, event);
            return;
        }
        if (next->type != YAML_STREAM_START_EVENT) break;
        yaml_event_delete(next);
    }
    self->has_event = 1;
    event->line = next->start_mark.line + 1;
    event->column = next->start_mark.column + 1;
    switch (next->type) {
        case YAML_DOCUMENT_START_EVENT: event->kind = CYAML_DOCUMENT; break;
        case YAML_DOCUMENT_END_EVENT: event->kind = CYAML_DOCUMENT_END; break;
        case YAML_SCALAR_EVENT:
            event->kind = CYAML_SCALAR;
            event->text = next->data.scalar.value;
            event->length = next->data.scalar.length;
            event->anchor = (const char *)next->data.scalar.anchor;
            event->tag = (const char *)next->data.scalar.tag;
            event->plain = next->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
            break;
        case YAML_ALIAS_EVENT:
            event->kind = CYAML_ALIAS;
            event->anchor = (const char *)next->data.alias.anchor;
            break;
        case YAML_SEQUENCE_START_EVENT:
            event->kind = CYAML_SEQUENCE;
            event->anchor = (const char *)next->data.sequence_start.anchor;
            event->tag = (const char *)next->data.sequence_start.tag;
            break;
        case YAML_MAPPING_START_EVENT:
            event->kind = CYAML_MAPPING;
            event->anchor = (const char *)next->data.mapping_start.anchor;
            event->tag = (const char *)next->data.mapping_start.tag;
            break;
        case YAML_SEQUENCE_END_EVENT:
        case YAML_MAPPING_END_EVENT: event->kind = CYAML_END; break;
        case YAML_NO_EVENT:
        case YAML_STREAM_START_EVENT:
        case YAML_STREAM_END_EVENT: event->kind = CYAML_STREAM_END; break;
    }
}

void cyaml_close(cyaml *self) {
    if (self->has_event) yaml_event_delete(&self->event);
    yaml_parser_delete(&self->parser);
    free(self);
}
