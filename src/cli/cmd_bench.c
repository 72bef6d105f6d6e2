// SPDX-License-Identifier: Apache-2.0
#include "bench/bench.h"
#include "cli/commands.h"

#include <string.h>

static const struct bench {
    const char *name;
    int (*run)(const sp_bench_context *context);
} benches[] = {
    {"liquid", sp_bench_liquid}, {"neighbours", sp_bench_neighbours}, {"poisson", sp_bench_poisson},
    {"pond", sp_bench_pond},     {"render", sp_bench_render},         {"sph", sp_bench_sph},
    {"stream", sp_bench_stream}, {"surface", sp_bench_surface},
};
enum { BENCHES = sizeof benches / sizeof *benches };

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
    int found = 0, code = CLI_FINE;
    for (int i = 0; i < BENCHES; ++i) {
        names[i] = benches[i].name;
        if (wanted && strcmp(wanted, names[i]) != 0) continue;
        ++found;
        const int status = benches[i].run(&context);
        if (status) code = status;
    }
    return found ? code : cli_no_such(call, "benchmark", wanted, names, "spume help bench");
}

static const cli_option options[] = {
    {"json", 0, NULL, "one JSON object a case and line"},
    {"threads", 0, "N", "only N threads (default: one, then all)"},
    {"case", 0, "NAME", "only the cases whose names contain this"},
    {0},
};

const cli_command cli_bench = {
    .name = "bench",
    .operands = "[NAME]",
    .most = 1,
    .about =
        "measure speed; NAME is liquid, neighbours, poisson, pond, render, sph, stream or surface",
    .details = "The first step is not counted and the best of several runs is. Each line ends with "
               "a hash of\n"
               "the result: a faster wrong answer shows.\n",
    .examples = "  spume bench pond\n"
                "  spume bench liquid --case block_96\n"
                "  spume bench neighbours --json --threads 1\n"
                "  spume bench pond --case fig10\n"
                "  spume bench poisson --case wavy_256\n"
                "  spume bench render --case draft\n"
                "  spume bench sph --case quality_38\n",
    .options = options,
    .run = run,
};
