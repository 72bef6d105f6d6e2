// SPDX-License-Identifier: Apache-2.0
/// A look at the limit on memory before libraries begin. Some start threads while they are loaded, before main() (OpenVDB's
/// log: four), and end the program with words of their own when they cannot. What .preinit_array lists is called before
/// them; only system calls are safe then.
#include "cli/cli.h"

#if defined(__GLIBC__)

#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/// Pages of address space that the process has: the first number of /proc/self/statm.
static size_t pages_now(void)
{
    char text[64] = "";
    size_t pages = 0;
    const int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (fd < 0 || read(fd, text, sizeof text - 1) <= 0) text[0] = '\0';
    if (fd >= 0) close(fd);
    for (const char *c = text; *c >= '0' && *c <= '9'; ++c)
        pages = 10 * pages + (size_t)(*c - '0');
    return pages;
}

static void check_limit(void)
{
    static const char sentence[] =
        "spume: the limit on memory (ulimit -v) leaves less than 64 MB beside the program itself; "
        "expected more\n";
    const size_t least = (size_t)64 << 20;
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
    if (limit.rlim_cur >= pages_now() * (size_t)sysconf(_SC_PAGE_SIZE) + least) return;
    const ssize_t ignored = write(STDERR_FILENO, sentence, strlen(sentence));
    (void)ignored;
    _exit(CLI_FAILED);
}

__attribute__((section(".preinit_array"),
               used)) static void (*const before_libraries)(void) = check_limit;

#endif
