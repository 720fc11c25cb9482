/* Maps with fixed names to and from values: what records, journal rows and plan files are made of. Missing and
 * wrong-typed fields read as the zero value; nothing here reports. */
#ifndef LINTEL_ENGINE_FIELDS_H
#define LINTEL_ENGINE_FIELDS_H

#include "value/value.h"

/* `key` is a literal. Empty texts, zero numbers, false and values of kind 0 are left out. */
void field_put_text(struct map_builder *b, const char *key, sv text);
void field_put_int(struct map_builder *b, const char *key, int64_t n);
void field_put_bool(struct map_builder *b, const char *key, bool is);
void field_put_value(struct map_builder *b, const char *key, value v);
void field_put_texts(struct map_builder *b, const char *key, const sv *items, size_t count);

sv field_get_text(value map, const char *key);
int64_t field_get_int(value map, const char *key);
bool field_get_bool(value map, const char *key);
value field_get_value(value map, const char *key); /* kind 0 when absent or null */
size_t field_get_texts(struct arena *a, value map, const char *key, const sv **items);
/* The items of a list; 0 when there is none. */
size_t field_get_items(value map, const char *key, const value **items);

/* Bytes as lower-case hexadecimal digits, and back (false unless exactly `len` bytes). */
sv field_print_hex(struct arena *a, const uint8_t *bytes, size_t len);
bool field_parse_hex(sv text, uint8_t *bytes, size_t len);

#endif
