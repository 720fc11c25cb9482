#include "dialects/cfn/transforms.h"

const struct node *cfn_include_expand(struct cfn_run *run, const struct node *root) {
    (void)run;
    return root;
}
