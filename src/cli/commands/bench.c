// SPDX-License-Identifier: Apache-2.0
#include "bench/bench.h"

#include "cli/commands.h"

#include <string.h>

static const sp_bench *const benches[] = {
    &sp_bench_bubbles, &sp_bench_guided,  &sp_bench_liquid,  &sp_bench_neighbours,
    &sp_bench_ocean,   &sp_bench_poisson, &sp_bench_pond,    &sp_bench_render,
    &sp_bench_sph,     &sp_bench_stream,  &sp_bench_surface, &sp_bench_whitewater,
};
enum { BENCHES = sizeof benches / sizeof *benches };

static bool has_case(const sp_bench *bench, const char *filter)
{
    bool any = !filter;
    for (size_t k = 0; !any && bench->case_name(k); ++k)
        any = strstr(bench->case_name(k), filter) != NULL;
    return any;
}

/// Lists all cases of one benchmark or of all.
static int no_such_case(const cli_call *call, const char *wanted, const char *filter)
{
    char names[800];
    size_t used = 0;
    for (int i = 0; i < BENCHES; ++i)
        for (size_t k = 0; !wanted || strcmp(wanted, benches[i]->name) == 0; ++k) {
            const char *name = benches[i]->case_name(k);
            if (!name || used >= sizeof names) break;
            used +=
                (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", name);
        }
    return cli_bad_input(call, "--case %.60s: no case of %s contains that; expected part of %s",
                         filter, wanted ? wanted : "any benchmark", names);
}

static int run(const cli_call *call)
{
    long threads = 0;
    if (!cli_number(call, "threads", 1, 1024, &threads)) return CLI_BAD_INPUT;
    const sp_bench_context context = {
        .json = cli_given(call, "json"),
        .threads = (int)threads,
        .filter = cli_value(call, "case"),
        .out = stdout,
    };
    const char *wanted = call->operand_count ? call->operands[0] : NULL,
               *names[BENCHES + 1] = {NULL};
    int known = 0, found = 0, code = CLI_FINE;
    for (int i = 0; i < BENCHES; ++i) {
        names[i] = benches[i]->name;
        if (wanted && strcmp(wanted, names[i]) != 0) continue;
        ++known;
        if (!has_case(benches[i], context.filter)) continue;
        ++found;
        const int status = benches[i]->run(&context);
        if (status) code = status;
    }
    if (!known) return cli_no_such(call, "benchmark", wanted, names, "spume help bench");
    return found ? code : no_such_case(call, wanted, context.filter);
}

static const cli_option options[] = {
    {"json", 0, NULL, "one JSON object a line, for each case"},
    {"threads", 0, "N", "only N threads (default: one, then all)"},
    {"case", 0, "NAME", "only the cases whose names contain this"},
    {0},
};

const cli_command cli_bench = {
    .name = "bench",
    .operands = "[NAME]",
    .most = 1,
    .about =
        "measure speed; NAME is bubbles, guided, liquid, neighbours, ocean, poisson, pond, render, "
        "sph, "
        "stream, surface or whitewater",
    .details =
        "The first step is not counted; the time is the best of several runs. Each line ends with\n"
        "a hash of the result, which shows a faster but wrong answer.\n",
    .examples = "  spume bench pond\n"
                "  spume bench bubbles --case column\n"
                "  spume bench liquid --case block_96\n"
                "  spume bench neighbours --json --threads 1\n"
                "  spume bench pond --case fig10\n"
                "  spume bench poisson --case wavy_256\n"
                "  spume bench render --case draft\n"
                "  spume bench sph --case quality_38\n",
    .options = options,
    .run = run,
};
