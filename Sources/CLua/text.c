// The functions of the string library, besides those with patterns, that could do much work in one call: each
// looks at the budget now and then. Lua's own does the work where that is little.
#include "internal.h"

#include <ctype.h>
#include <lauxlib.h>
#include <lualib.h>
#include <stdlib.h>
#include <string.h>

enum {
    /// Bytes that may be worked on between two looks at the budget.
    PIECE = 1 << 16,
    /// Formats up to this size, and arguments up to that, are Lua's own affair.
    SHORT_FORMAT = 1 << 12,
    SHORT_ARGUMENT = 1 << 16,
    LONGEST_QUOTED = 16 << 20,
    LONGEST_BINARY_FORMAT = 1 << 16,
    LONGEST_FIELD = 16 << 20,
};

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

// The text is unit after unit; what is done is copied, in ever larger pieces.
static void repeat(clua_text *out, size_t total, size_t unit) {
    char *data = out->data;
    for (size_t done = unit; done < total;) {
        size_t from = done % unit;
        size_t count = smaller(smaller(done - from, total - done), 1 << 20);
        memcpy(data + done, data + from, count);
        done += count;
        clua_poll(out->L);
    }
    out->size = total;
}

static int rep(lua_State *L) {
    size_t length, separator_length;
    const char *text = luaL_checklstring(L, 1, &length);
    lua_Integer count = luaL_checkinteger(L, 2);
    const char *separator = luaL_optlstring(L, 3, "", &separator_length);
    size_t unit = length + separator_length;
    if (count <= 0 || unit == 0) {
        lua_pushliteral(L, "");
        return 1;
    }
    if (unit < length || unit > (size_t)LUA_MAXINTEGER / (size_t)count)
        return luaL_error(L, "resulting string too large");
    clua_text out;
    clua_text_begin(&out, L);
    size_t total = unit * (size_t)count - separator_length;
    char *data = clua_text_reserve(&out, total);
    memcpy(data, text, length);
    if (count > 1) memcpy(data + length, separator, separator_length);
    repeat(&out, total, count > 1 ? unit : total);
    clua_text_push(&out);
    return 1;
}

/// How a text becomes another of the same length: writes bytes `from` to `to` of it.
typedef void change(char *out, const char *text, size_t from, size_t to, size_t length);

static void raise_case(char *out, const char *text, size_t from, size_t to, size_t length) {
    (void)length;
    for (size_t i = from; i < to; i++) out[i] = (char)toupper((unsigned char)text[i]);
}

static void lower_case(char *out, const char *text, size_t from, size_t to, size_t length) {
    (void)length;
    for (size_t i = from; i < to; i++) out[i] = (char)tolower((unsigned char)text[i]);
}

static void turn_round(char *out, const char *text, size_t from, size_t to, size_t length) {
    for (size_t i = from; i < to; i++) out[i] = text[length - 1 - i];
}

static int apply(lua_State *L, change *change) {
    size_t length;
    const char *text = luaL_checklstring(L, 1, &length);
    clua_text out;
    clua_text_begin(&out, L);
    char *data = clua_text_reserve(&out, length);
    for (size_t from = 0; from < length; from += PIECE) {
        if (from > 0) clua_poll(L);
        change(data, text, from, smaller(from + PIECE, length), length);
    }
    out.size = length;
    clua_text_push(&out);
    return 1;
}

static int upper(lua_State *L) { return apply(L, raise_case); }

static int lower(lua_State *L) { return apply(L, lower_case); }

static int reverse(lua_State *L) { return apply(L, turn_round); }

static bool has_long_argument(lua_State *L) {
    for (int i = lua_gettop(L); i > 1; i--)
        if (lua_type(L, i) == LUA_TSTRING && lua_rawlen(L, i) > SHORT_ARGUMENT) return true;
    return false;
}

// Adds one conversion, of which the format lies at `spec`.
static void add_conversion(clua_text *out, const char *spec, size_t length, int argument) {
    lua_State *L = out->L;
    if (length == 2 && spec[1] == 's') {
        luaL_tolstring(L, argument, NULL);
    } else {
        bool is_text = lua_type(L, argument) == LUA_TSTRING;
        if (spec[length - 1] == 'q' && is_text && lua_rawlen(L, argument) > LONGEST_QUOTED)
            luaL_argerror(L, argument, "string too long for '%q'");
        lua_pushvalue(L, lua_upvalueindex(1));
        lua_pushlstring(L, spec, length);
        lua_pushvalue(L, argument);
        lua_call(L, 2, 1);
    }
    clua_text_add_value(out);
}

// A long format, or one with long arguments, goes conversion by conversion.
static int format(lua_State *L) {
    size_t length;
    const char *text = luaL_checklstring(L, 1, &length), *end = text + length;
    if (length <= SHORT_FORMAT && !has_long_argument(L)) return clua_original(L);
    clua_text out;
    int arguments = lua_gettop(L);
    clua_text_begin(&out, L);
    for (int argument = 1; text < end;) {
        const char *percent = memchr(text, '%', (size_t)(end - text));
        if (!percent) percent = end;
        clua_text_add(&out, text, (size_t)(percent - text));
        if (percent == end) break;
        clua_poll(L);
        if (percent[1] == '%') {
            clua_text_add(&out, percent, 1);
            text = percent + 2;
            continue;
        }
        // No conversion is longer than this: Lua refuses what is.
        const char *last = percent + 1;
        while (last < end && last - percent < 24 && strchr("-+ #0123456789.", *last) && *last) last++;
        text = last < end ? last + 1 : end;
        if (++argument > arguments) luaL_argerror(L, argument, "no value");
        add_conversion(&out, percent, (size_t)(text - percent), argument);
    }
    clua_text_push(&out);
    return 1;
}

// Formats of binary data are walked item by item; only fields of fixed size are work of their own.
static int check_binary_format(lua_State *L) {
    size_t length;
    const char *text = luaL_checklstring(L, 1, &length);
    if (length > LONGEST_BINARY_FORMAT)
        return luaL_error(L, "format is longer than %d bytes", LONGEST_BINARY_FORMAT);
    unsigned long long fields = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] != 'c' || !isdigit((unsigned char)text[i + 1])) continue;
        unsigned long long size = strtoull(text + i + 1, NULL, 10);
        if (size > LONGEST_FIELD || (fields += size) > LONGEST_FIELD)
            return luaL_error(L, "fields of fixed size take more than %d bytes", LONGEST_FIELD);
    }
    return clua_original(L);
}

static int check_date_format(lua_State *L) {
    size_t length;
    luaL_optlstring(L, 1, "", &length);
    luaL_argcheck(L, length <= SHORT_FORMAT, 1, "format is too long");
    return clua_original(L);
}

void clua_open_text(lua_State *L) {
    static const luaL_Reg functions[] = {
        {"rep", rep}, {"upper", upper}, {"lower", lower}, {"reverse", reverse}, {NULL, NULL},
    };
    luaL_setfuncs(L, functions, 0);
    clua_guard(L, "format", format);
    clua_guard(L, "pack", check_binary_format);
    clua_guard(L, "packsize", check_binary_format);
    clua_guard(L, "unpack", check_binary_format);
    clua_open_search(L);
}

void clua_open_dates(lua_State *L) { clua_guard(L, "date", check_date_format); }
