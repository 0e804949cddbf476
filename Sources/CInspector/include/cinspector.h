// The files of the inspector's page, as bytes of the program. Any thread may read them.
#ifndef CINSPECTOR_H
#define CINSPECTOR_H

#include <stddef.h>

typedef struct cinspector_file {
    const unsigned char *bytes;
    size_t count;
} cinspector_file;

/// The HTML.
cinspector_file cinspector_page(void);

/// The JavaScript of all files, in the order of their dependencies.
cinspector_file cinspector_script(void);

/// The CSS.
cinspector_file cinspector_style(void);

#endif
