// SPDX-License-Identifier: Apache-2.0
/// The host that a command runs on: threads, log, memory limit, and progress on stderr.
#include "cli/cli.h"
#include "solver/driver.h"

#include <stdlib.h>
#include <unistd.h>

// `user` is the budget, because the ordinary host keeps its number of threads in its own `user`;
// the budget lies inside the machine, so its address leads there.
static void log_to_stderr(void *user, sp_log_level level, const char *text)
{
    if (level == SP_LOG_ERROR) return; // errors are printed once, from the returned status
    const cli_machine *machine = (const void *)((const char *)user - offsetof(cli_machine, budget));
    cli_say(machine->call, level, "%s", text);
}

static size_t memory_limit(const cli_call *call, bool *good)
{
    const char *text = cli_value(call, "memory");
    *good = true;
    if (!text) return (size_t)sp_memory_limit(0.0);
    char *end;
    const double gigabytes = strtod(text, &end);
    *good = end != text && !*end && gigabytes > 0.0 && gigabytes <= 1e6;
    if (!*good) cli_bad_input(call, "--memory %s; expected gigabytes, such as 4 or 0.5", text);
    return *good ? (size_t)(gigabytes * 1e9) : 0;
}

static void nothing(void *arg, size_t i)
{
    (void)arg, (void)i;
}

/// A host with as many threads as were asked for (0: all), or as the system starts: where it refuses one, OpenMP ends the
/// program. They start here, before anything takes memory. *told: for libraries with threads of their own; 0: any number.
static sp_host start_threads(int asked, int *told)
{
    const bool scarce = sp_threads_possible(2) < 2;
    sp_host host = sp_host_default(scarce ? 1 : asked);
    const int possible = scarce ? 1 : sp_threads_possible(host.threads);
    *told = possible < host.threads || scarce ? possible : asked;
    if (possible < host.threads) host = sp_host_default(possible);
    host.parallel_for(host.user, (size_t)host.threads, nothing, NULL);
    return host;
}

bool cli_machine_open(cli_machine *machine, const cli_call *call)
{
    long threads = 0;
    bool good;
    if (!cli_number(call, "threads", 1, 1024, &threads)) return false;
    const size_t limit = memory_limit(call, &good);
    if (!good) return false;
    machine->call = call;
    machine->base = start_threads((int)threads, &machine->threads);
    machine->host = sp_budget_host(&machine->budget, &machine->base, limit);
    machine->host.log = log_to_stderr;
    return true;
}

int cli_machine_refused(const cli_machine *machine, const sp_error *err)
{
    const cli_call *call = machine->call;
    const size_t refused = atomic_load(&machine->budget.refused);
    if (err->status != SP_NO_MEMORY || !refused || !cli_given(call, "memory"))
        return cli_unreadable(call, err);
    char needed[32];
    sp_bytes_text((double)refused, needed, sizeof needed);
    return cli_bad_input(call, "--memory %s: %s; expected more than %s", cli_value(call, "memory"),
                         err->text, needed);
}

void cli_progress_begin(sp_progress *progress, const cli_machine *machine, uint64_t last)
{
    const cli_call *call = machine->call;
    const bool terminal = isatty(STDERR_FILENO) != 0;
    *progress = (sp_progress){
        .out = stderr,
        .style = call->json    ? SP_PROGRESS_JSON
                 : call->quiet ? SP_PROGRESS_NONE
                 : terminal    ? SP_PROGRESS_LINE
                               : SP_PROGRESS_PLAIN,
        .color = call->color,
        .interval = terminal ? 0.1 : 5.0,
        .host = &machine->host,
    };
    sp_progress_begin(progress, last);
}
