// SPDX-License-Identifier: Apache-2.0
/// Runs a scene under WebAssembly: node runs the page's own module and a script, and prints the
/// result.
#include "bench/bench_wasm.h"

#include "view/view.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { PATH_BYTES = 4096, ANSWER_BYTES = 512 };

/// Files for node: the script beside the page, the module in the page, and the scene in a temporary
/// file.
typedef struct job {
    char script[PATH_BYTES], module[PATH_BYTES], scene[PATH_BYTES];
} job;

static sp_status find_files(job *j, sp_error *err)
{
    char dir[PATH_BYTES - 64];
    if (sp_view_page_dir(NULL, dir, sizeof dir, err) != SP_OK)
        return sp_fail(err, SP_UNSUPPORTED, "the page is not built (make page)");
    snprintf(j->script, sizeof j->script, "%s/../web/pond.mjs", dir);
    snprintf(j->module, sizeof j->module, "%s/pond.wasm", dir);
    if (access(j->script, R_OK) == 0 && access(j->module, R_OK) == 0) return SP_OK;
    return sp_fail(err, SP_UNSUPPORTED, "%s is not built (make page)", dir);
}

static sp_status write_scene(job *j, const sp_scene *scene, sp_error *err)
{
    char *text;
    SP_TRY(sp_scene_resolved(scene, &text, err));
    const char *dir = getenv("TMPDIR");
    snprintf(j->scene, sizeof j->scene, "%s/spume-bench-XXXXXX", dir ? dir : "/tmp");
    const int file = mkstemp(j->scene);
    const size_t length = strlen(text);
    const bool whole = file >= 0 && write(file, text, length) == (ssize_t)length;
    if (file >= 0) close(file);
    sp_release(scene->host, text);
    if (whole) return SP_OK;
    if (file >= 0) unlink(j->scene);
    return sp_fail(err, SP_IO, "cannot write %s: %s", j->scene, strerror(errno));
}

/// Starts node with its output going into a pipe; returns the pipe's other end, or -1.
static int start_node(job *j, pid_t *child)
{
    int ends[2];
    if (pipe(ends) != 0) return -1;
    char node[] = "node", command[] = "bench";
    char *const words[] = {node, j->script, command, j->module, j->scene, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    const int failed = posix_spawnp(child, node, &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (!failed) return ends[0];
    close(ends[0]);
    errno = failed;
    return -1;
}

static sp_status ask_node(job *j, char answer[ANSWER_BYTES], sp_error *err)
{
    pid_t child;
    const int from = start_node(j, &child);
    if (from < 0) return sp_fail(err, SP_UNSUPPORTED, "node does not start: %s", strerror(errno));
    size_t used = 0;
    for (ssize_t n;
         used < ANSWER_BYTES - 1 && (n = read(from, answer + used, ANSWER_BYTES - 1 - used)) > 0;)
        used += (size_t)n;
    answer[used] = '\0';
    close(from);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return SP_OK;
    return sp_fail(err, SP_UNSUPPORTED, "node could not run the scene");
}

/// The number after "name": in one line of JSON.
static double number_in(const char *json, const char *name)
{
    const char *at = strstr(json, name);
    return at ? strtod(at + strlen(name) + 2, NULL) : 0.0;
}

sp_status sp_bench_wasm(const sp_scene *scene, sp_wasm_result *out, sp_error *err)
{
    job j = {0};
    char answer[ANSWER_BYTES];
    SP_TRY(find_files(&j, err));
    SP_TRY(write_scene(&j, scene, err));
    const sp_status status = ask_node(&j, answer, err);
    unlink(j.scene);
    if (status != SP_OK) return status;
    const char *hash = strstr(answer, "\"hash\":\"");
    *out = (sp_wasm_result){
        .mean_s = 1e-6 * number_in(answer, "mean_us"),
        .p99_s = 1e-6 * number_in(answer, "p99_us"),
        .hash = hash ? strtoull(hash + 8, NULL, 16) : 0,
    };
    if (out->mean_s > 0.0) return SP_OK;
    return sp_fail(err, SP_UNSUPPORTED, "the output of node is not a result");
}
