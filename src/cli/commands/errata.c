// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.h"

#include <string.h>

static void print_line(const char *label, const char *text)
{
    if (text) printf("  %-9s %s\n", label, text);
}

static void print_errata(const sp_solver_type *solver)
{
    printf("%s: %s\n", solver->name, solver->paper ? solver->paper : solver->about);
    for (size_t i = 0; i < solver->erratum_count; ++i) {
        const sp_erratum *e = &solver->errata[i];
        printf("\n%s\n", e->where);
        print_line("printed", e->printed);
        print_line("problem", e->problem);
        print_line("ours", e->ours);
        print_line("measured", e->measured);
    }
    if (solver->erratum_count == 0) puts("  no corrections");
}

static int run(const cli_call *call)
{
    size_t count;
    const sp_solver_type *const *solvers = sp_scene_solvers(&count);
    const char *wanted = call->operand_count ? call->operands[0] : NULL;
    if (wanted && !sp_scene_solver(wanted)) return cli_unknown_solver(call, wanted);
    for (size_t i = 0; i < count; ++i)
        if (!wanted || strcmp(solvers[i]->name, wanted) == 0) print_errata(solvers[i]);
    return CLI_FINE;
}

const cli_command cli_errata = {
    .name = "errata",
    .operands = "[SOLVER]",
    .most = 1,
    .about = "list our corrections to the papers: what they print, what we do, what was measured",
    .examples = "  spume errata\n"
                "  spume errata pond\n"
                "  spume errata sph\n"
                "  spume errata liquid\n",
    .run = run,
};
