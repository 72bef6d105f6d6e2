// SPDX-License-Identifier: Apache-2.0
#include "build_info.h"
#include "cli/commands.h"
#include "view/view.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

// A signal handler can reach nothing but a global.
static sp_view *serving;

static void stop_serving(int signal_number)
{
    (void)signal_number;
    sp_view_stop(serving);
}

/// The first Ctrl-C stops the server cleanly; a second one ends the program at once.
static void catch_signals(sp_view *view)
{
    struct sigaction stop = {.sa_handler = stop_serving, .sa_flags = (int)SA_RESETHAND};
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigemptyset(&stop.sa_mask);
    sigemptyset(&ignore.sa_mask);
    serving = view;
    sigaction(SIGINT, &stop, NULL);
    sigaction(SIGTERM, &stop, NULL);
    sigaction(SIGPIPE, &ignore, NULL); // a closed connection must not end the server
}

/// Starts the browser without a shell, in its own process group (so that Ctrl-C does not reach it)
/// and without our standard output. Returns an errno, 0 if it started.
static int start_browser(char *address)
{
    char program[] = "xdg-open";
    char *const words[] = {program, address, NULL};
    const struct sigaction no_zombie = {.sa_handler = SIG_DFL, .sa_flags = SA_NOCLDWAIT};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    sigset_t usual;
    pid_t child;
    int trouble = posix_spawn_file_actions_init(&files);
    if (trouble) return trouble;
    trouble = posix_spawnattr_init(&how);
    if (!trouble) {
        sigemptyset(&usual);
        sigaddset(&usual, SIGPIPE);
        sigaction(SIGCHLD, &no_zombie, NULL); // no zombie: we do not wait for it
        posix_spawnattr_setsigdefault(&how, &usual);
        posix_spawnattr_setpgroup(&how, 0);
        posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
        posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
        trouble = posix_spawnp(&child, program, &files, &how, words, environ);
        posix_spawnattr_destroy(&how);
    }
    posix_spawn_file_actions_destroy(&files);
    return trouble;
}

static int serve(const cli_call *call, sp_view *view)
{
    char address[64];
    sp_error err = {0};
    snprintf(address, sizeof address, "http://127.0.0.1:%d/", sp_view_port(view));
    catch_signals(view); // before the address is printed: a script may stop us at once
    puts(address);
    if (fflush(stdout) != 0) return CLI_FINE; // main() says so
    if (cli_given(call, "open")) {
        const int trouble = start_browser(address);
        if (trouble)
            cli_say(call, SP_LOG_WARNING, "cannot start xdg-open (%s); open %s by hand",
                    strerror(trouble), address);
    }
    return sp_view_serve(view, &err) == SP_OK ? CLI_FINE : cli_failed(call, &err);
}

static int open_and_serve(const cli_call *call, const sp_view_page *page, const sp_host *host,
                          int port)
{
    sp_view_def def = sp_view_defaults();
    sp_view *view;
    sp_error err = {0};
    def.port = port;
    if (sp_view_open(&def, page, host, &view, &err) != SP_OK) return cli_failed(call, &err);
    const int code = serve(call, view);
    sp_view_close(view);
    return code;
}

static int run(const cli_call *call)
{
    cli_machine machine;
    sp_view_page page = {0};
    sp_error err = {0};
    char dir[4096];
    long port = 0;
    if (!SPUME_WITH_PAGE)
        return cli_bad_input(call, "this build has no web server "
                                   "(configured with SPUME_WITH_PAGE=OFF)");
    if (!cli_number(call, "port", 0, 65535, &port)) return CLI_BAD_INPUT;
    if (!cli_machine_open(&machine, call)) return CLI_BAD_INPUT;
    if (sp_view_page_dir(cli_value(call, "dir"), dir, sizeof dir, &err) != SP_OK ||
        sp_view_page_read(dir, &machine.host, &page, &err) != SP_OK)
        return cli_unreadable(call, &err);
    const int code = open_and_serve(call, &page, &machine.host, (int)port);
    sp_view_page_release(&page);
    return code;
}

static const cli_option options[] = {
    {"open", 0, NULL, "start the browser"},
    {"port", 0, "N", "listen on this port (default: a free one)"},
    {"dir", 0, "DIR", "directory of the page"},
    {0},
};

const cli_command cli_page = {
    .name = "page",
    .operands = "",
    .about = "serve the web page to this machine's browser only",
    .details = "Prints the page's address and runs until Ctrl-C. The page is the one `make page`\n"
               "built beside the program, or the installed one; it is read once, at the start.\n",
    .examples = "  spume page --open\n"
                "  spume page --port 8080\n"
                "  spume page --dir build/page\n",
    .options = options,
    .run = run,
};
