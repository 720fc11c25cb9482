/* LINTEL_API marks what liblintel shows to its users; everything else in the library stays hidden. */
#ifndef LINTEL_EXPORT_H
#define LINTEL_EXPORT_H

#define LINTEL_API __attribute__((visibility("default")))

#endif
