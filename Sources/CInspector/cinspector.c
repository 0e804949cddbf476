#include "cinspector.h"

// `#embed` is of C23. Clang also has it for older C, with a warning.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char page[] = {
#embed "page/inspector.html"
};

static const unsigned char style[] = {
#embed "page/inspector.css"
};

static const unsigned char script[] = {
#embed "page/base.js"
    ,
#embed "page/follow.js"
    ,
#embed "page/list.js"
    ,
#embed "page/axis.js"
    ,
#embed "page/views.js"
    ,
#embed "page/exchange.js"
    ,
#embed "page/details.js"
    ,
#embed "page/host.js"
    ,
#embed "page/start.js"
};

cinspector_file cinspector_page(void) { return (cinspector_file){page, sizeof page}; }

cinspector_file cinspector_script(void) { return (cinspector_file){script, sizeof script}; }

cinspector_file cinspector_style(void) { return (cinspector_file){style, sizeof style}; }
