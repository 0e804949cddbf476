---@meta resthost.pages
-- Written by `resthost types`; changes are lost.

---@class resthost.pages.options
---@field path string The path of the resource that has all items, such as `/all/{owner}`.
---@field source string|(fun(params: table, resource: resthost.resource): resthost.resource) The path of the first page with the same names, or a function that gives its resource.
---@field expiration_time? number How long the list stays up to date; default: as configured. In seconds. 0 or more.
---@field style? "link"|"cursor"|"page"|"offset" How pages follow each other: by a link, a cursor, page numbers, or items to skip. Default: `"link"`.
---@field items? string|(fun(content: any, entity: resthost.entity): table) The path of the list in a page, such as `data.items`, or a function that gives the list; default: the page itself.
---@field next? string|(fun(content: any, entity: resthost.entity): any) The path of the next URL (style `link`) or of the cursor, or a function that gives it; default: the Link header, or `next`.
---@field parameter? string The parameter of the cursor, page or offset; default: `cursor`, `page` or `offset`.
---@field limit? integer How many items a page shall have; default: the API decides. 1 or more.
---@field limit_parameter? string The parameter of `limit`; default: `per_page` for links and pages, else `limit`.
---@field first? string|integer The cursor, page or offset to begin with; default: page 1, offset 0.
---@field total? string|(fun(content: any, entity: resthost.entity): any) The path of the number of all items, for pages and offsets; without it the list ends with an empty page.
---@field origins? string[] Other origins that pages may link to, such as `https://cdn.example.com`.
---@field max_pages? integer The most pages; one more is an error. 1 to 100000. Default: `1000`.
---@field max_items? integer The most items; one more is an error. 1 or more. Default: `100000`.
---@field max_time? number The longest time for the requests of all pages. In seconds. 0.1 or more. Default: `300`.

---Reads lists in pages: by Link header (RFC 8288), cursor, number or offset.
---@class resthost.pages
local pages = {}

---@param service resthost.service
---@param options resthost.pages.options
function pages.use(service, options) end

---@class resthost.pages.all.options
---@field style? "link"|"cursor"|"page"|"offset" How pages follow each other: by a link, a cursor, page numbers, or items to skip. Default: `"link"`.
---@field items? string|(fun(content: any, entity: resthost.entity): table) The path of the list in a page, such as `data.items`, or a function that gives the list; default: the page itself.
---@field next? string|(fun(content: any, entity: resthost.entity): any) The path of the next URL (style `link`) or of the cursor, or a function that gives it; default: the Link header, or `next`.
---@field parameter? string The parameter of the cursor, page or offset; default: `cursor`, `page` or `offset`.
---@field limit? integer How many items a page shall have; default: the API decides. 1 or more.
---@field limit_parameter? string The parameter of `limit`; default: `per_page` for links and pages, else `limit`.
---@field first? string|integer The cursor, page or offset to begin with; default: page 1, offset 0.
---@field total? string|(fun(content: any, entity: resthost.entity): any) The path of the number of all items, for pages and offsets; without it the list ends with an empty page.
---@field origins? string[] Other origins that pages may link to, such as `https://cdn.example.com`.
---@field max_pages? integer The most pages; one more is an error. 1 to 100000. Default: `1000`.
---@field max_items? integer The most items; one more is an error. 1 or more. Default: `100000`.
---@field max_time? number The longest time for the requests of all pages. In seconds. 0.1 or more. Default: `300`.

---Waits for the items of all pages; after an error it also gives those before it.
---@param resource resthost.resource
---@param options? resthost.pages.all.options
---@return any[]|nil
---@return resthost.error?
---@return any[]?
function pages.all(resource, options) end

---@class resthost.pages.each.options
---@field style? "link"|"cursor"|"page"|"offset" How pages follow each other: by a link, a cursor, page numbers, or items to skip. Default: `"link"`.
---@field items? string|(fun(content: any, entity: resthost.entity): table) The path of the list in a page, such as `data.items`, or a function that gives the list; default: the page itself.
---@field next? string|(fun(content: any, entity: resthost.entity): any) The path of the next URL (style `link`) or of the cursor, or a function that gives it; default: the Link header, or `next`.
---@field parameter? string The parameter of the cursor, page or offset; default: `cursor`, `page` or `offset`.
---@field limit? integer How many items a page shall have; default: the API decides. 1 or more.
---@field limit_parameter? string The parameter of `limit`; default: `per_page` for links and pages, else `limit`.
---@field first? string|integer The cursor, page or offset to begin with; default: page 1, offset 0.
---@field total? string|(fun(content: any, entity: resthost.entity): any) The path of the number of all items, for pages and offsets; without it the list ends with an empty page.
---@field origins? string[] Other origins that pages may link to, such as `https://cdn.example.com`.
---@field max_pages? integer The most pages; one more is an error. 1 to 100000. Default: `1000`.
---@field max_items? integer The most items; one more is an error. 1 or more. Default: `100000`.
---@field max_time? number The longest time for the requests of all pages. In seconds. 0.1 or more. Default: `300`.

---Iterates over the items of all pages, and loads one page ahead. The loop raises a failure as an error object.
---@param resource resthost.resource
---@param options? resthost.pages.each.options
---@return fun(): any
function pages.each(resource, options) end

---@class resthost.pages.resource.options
---@field expiration_time? number How long the list stays up to date; default: as configured. In seconds. 0 or more.
---@field style? "link"|"cursor"|"page"|"offset" How pages follow each other: by a link, a cursor, page numbers, or items to skip. Default: `"link"`.
---@field items? string|(fun(content: any, entity: resthost.entity): table) The path of the list in a page, such as `data.items`, or a function that gives the list; default: the page itself.
---@field next? string|(fun(content: any, entity: resthost.entity): any) The path of the next URL (style `link`) or of the cursor, or a function that gives it; default: the Link header, or `next`.
---@field parameter? string The parameter of the cursor, page or offset; default: `cursor`, `page` or `offset`.
---@field limit? integer How many items a page shall have; default: the API decides. 1 or more.
---@field limit_parameter? string The parameter of `limit`; default: `per_page` for links and pages, else `limit`.
---@field first? string|integer The cursor, page or offset to begin with; default: page 1, offset 0.
---@field total? string|(fun(content: any, entity: resthost.entity): any) The path of the number of all items, for pages and offsets; without it the list ends with an empty page.
---@field origins? string[] Other origins that pages may link to, such as `https://cdn.example.com`.
---@field max_pages? integer The most pages; one more is an error. 1 to 100000. Default: `1000`.
---@field max_items? integer The most items; one more is an error. 1 or more. Default: `100000`.
---@field max_time? number The longest time for the requests of all pages. In seconds. 0.1 or more. Default: `300`.

---Makes a resource that has the items of all pages, as `service:use` does.
---@param service resthost.service
---@param path string
---@param source string|(fun(params: table, resource: resthost.resource): resthost.resource)
---@param options? resthost.pages.resource.options
function pages.resource(service, path, source, options) end

return pages
