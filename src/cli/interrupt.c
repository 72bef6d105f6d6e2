// SPDX-License-Identifier: Apache-2.0
#include "cli/cli.h"

#include <signal.h>

// A signal handler can reach nothing but a global.
static volatile sig_atomic_t interrupted;

static void interrupt(int signal_number)
{
    (void)signal_number;
    interrupted = 1;
}

void cli_catch_interrupts(void)
{
    struct sigaction action = {.sa_handler = interrupt, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool cli_was_interrupted(void *user)
{
    (void)user;
    return interrupted;
}
