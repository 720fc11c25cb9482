/* A blueprint with everything known put in (cli.md, `render`).
 *
 * The result is a blueprint of the same meaning: substitutions that are known have become their values, resources with
 * `each` their instances, conditions that are false have taken their resources away. What only deployment can tell
 * stays a substitution, in which known references have become literals; the variables that are still named stay
 * declared. Secret values keep their marks: who writes the result hides them. */
#ifndef LINTEL_DIALECTS_BLUEPRINT_RENDER_H
#define LINTEL_DIALECTS_BLUEPRINT_RENDER_H

#include "doc/node.h"
#include "model/template.h"

struct render_blueprint_request {
    struct arena *arena;
    struct evaluation *evaluation; /* of the expanded template; its diagnostics get what fails */
    const struct node *document;   /* root of the file */
};
/* A map; ERROR after a report. */
value render_blueprint(const struct render_blueprint_request *r);

/* --- between render.c and render_text.c --- */

struct renderer {
    const struct render_blueprint_request *r;
    struct arena *arena;
    struct evaluation *e;
    const struct template *t;
    struct map kept; /* variables that are still named, by name */
    struct depth_guard depth;
    bool has_failed;
};
/* The expression with what is known put in; ABSENT when it yields nothing. */
struct render_source {
    const struct expr *expr;
    struct scope *scope;
    const struct schema *schema; /* tells where scalars become text (BP-216); may be NULL */
    value resolved;              /* what the whole gave in its cell; kind 0 when it has none */
};
value render_expr(struct renderer *x, struct render_source from);
/* An expression as the inside of a substitution, with known references as literals. */
void render_residual(struct renderer *x, struct buf *out, const struct expr *e, struct scope *scope);
/* A reference to an instance of a template, which has a name of its own in what is rendered (`resources.t_0.spec.x`).
 * False, with nothing written, for other references. */
bool render_instance_ref(struct renderer *x, struct buf *out, const struct expr *e, const struct scope *scope);
/* A value that can stand in a blueprint: `${` in its texts is escaped (BP-215), bytes are text. */
value render_settle(struct renderer *x, value v);

#endif
