// SPDX-License-Identifier: Apache-2.0
/// Encodes pictures into a movie with ffmpeg. It is started without a shell and gets raw pixels
/// through a pipe. Its stderr is read at the same time: with a full pipe both processes would
/// block. One poll loop does both and checks for cancelling.
///
///     pictures -> pixels -> | stdin   ffmpeg -> a temporary -> (synced, renamed) NAME.mp4
///     last message <-------- | stderr
#include "render/movie.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LOG_BYTES = 1 << 16, PATIENCE = 100 }; ///< PATIENCE: ms between calls of `cancelled`

extern char **environ;

/// ---- The command -------------------------------------------------------------------------------

// Even sizes, because 4:2:0 has half the colours each way; BT.709 is what players assume for video.
#define VIDEO                                                                                      \
    "-vf", "pad=ceil(iw/2)*2:ceil(ih/"                                                             \
           "2)*2,scale=out_color_matrix=bt709:out_range=tv,format=yuv420p"
#define COLORS "-color_primaries", "bt709", "-color_trc", "iec61966-2-1", "-colorspace", "bt709"

typedef struct movie_kind {
    const char *ending;
    const char *arguments[24]; ///< ends with NULL
} movie_kind;

static const movie_kind kinds[] = {
    {".mp4",
     {VIDEO, "-c:v", "libx264", "-preset", "medium", "-crf", "18", "-threads", "2", COLORS,
      "-movflags", "+faststart"}},
    {".webm", {VIDEO, "-c:v", "libvpx-vp9", "-crf", "30", "-b:v", "0", "-threads", "2", COLORS}},
    // RGB stays RGB: every pixel comes back as it was
    {".mkv", {"-vf", "format=bgr0", "-c:v", "ffv1", "-threads", "2"}},
    {".gif", {"-vf", "split[a][b];[a]palettegen[p];[b][p]paletteuse"}},
};

static const movie_kind *find_kind(const char *path)
{
    const size_t length = strlen(path);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
        const size_t ending = strlen(kinds[k].ending);
        if (length > ending && strcmp(path + length - ending, kinds[k].ending) == 0)
            return &kinds[k];
    }
    return NULL;
}

bool sp_movie_is_known(const char *path)
{
    return find_kind(path) != NULL;
}

/// Searches PATH as posix_spawnp does.
bool sp_movie_has_encoder(void)
{
    const char *at = getenv("PATH");
    if (!at) at = "/bin:/usr/bin";
    for (;;) {
        char name[4096];
        const int length = (int)strcspn(at, ":");
        snprintf(name, sizeof name, "%.*s%sffmpeg", length, at, length ? "/" : "");
        if (access(name, X_OK) == 0) return true;
        if (!at[length]) return false;
        at += length + 1;
    }
}

/// The arguments and the texts that they point to.
typedef struct command {
    const char *arguments[64];
    size_t count;
    char size[32], rate[32];
    char *comment, *output; ///< "comment=...", and the temporary, "file:" before it if need be
} command;

static void add(command *c, const char *const *text)
{
    for (; *text; ++text)
        c->arguments[c->count++] = *text;
}

static void release_command(command *c, const sp_host *host)
{
    sp_release(host, c->comment);
    sp_release(host, c->output);
}

static sp_status make_command(const sp_movie *movie, const movie_kind *kind, const sp_file *file,
                              const char *comment, const sp_host *host, command *c, sp_error *err)
{
    const char *path = file->temporary;
    const size_t size = strlen(path) + 8;
    *c = (command){.comment = sp_allocate(host, strlen(comment) + 16, 1),
                   .output = sp_allocate(host, size, 1)};
    if (!c->comment || !c->output) {
        release_command(c, host);
        return sp_fail(err, SP_NO_MEMORY, "%s: no memory to start ffmpeg", file->path);
    }
    // ffmpeg would read "-x.mp4" as an option and "a:b.mp4" as an address
    const char *prefix = path[0] == '-' || strchr(path, ':') ? "file:" : "";
    snprintf(c->output, size, "%s%s", prefix, path);
    snprintf(c->comment, strlen(comment) + 16, "comment=%s", comment);
    snprintf(c->size, sizeof c->size, "%dx%d", movie->width, movie->height);
    snprintf(c->rate, sizeof c->rate, "%.10g", movie->fps);
    const char *const input[] = {
        "ffmpeg",   "-hide_banner",  "-loglevel", "error",       "-nostdin", "-y",         "-f",
        "rawvideo", "-pixel_format", "rgb24",     "-video_size", c->size,    "-framerate", c->rate,
        "-i",       "pipe:0",        "-an",       NULL};
    const char *const output[] = {"-fflags", "+bitexact", "-flags:v", "+bitexact", "-map_metadata",
                                  "-1",      "-metadata", c->comment, c->output,   NULL};
    add(c, input);
    add(c, kind->arguments);
    add(c, output);
    return SP_OK;
}

/// ---- The process -------------------------------------------------------------------------------

typedef struct encoder {
    const sp_movie *movie;
    pid_t pid;
    int in, out;    ///< our ends of its stdin and stderr; -1: closed
    char *messages; ///< the end of its messages, zero-terminated
    size_t length;
    bool stopped; ///< it accepts no more pixels
    bool waited;
    int ending; ///< status from waitpid
} encoder;

static bool is_cancelled(const encoder *e)
{
    return e->movie->cancelled && e->movie->cancelled(e->movie->user);
}

static void close_end(int *fd)
{
    if (*fd >= 0) close(*fd);
    *fd = -1;
}

static bool open_pipe(int ends[2])
{
    if (pipe(ends) != 0) return false;
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    return true;
}

/// Starts ffmpeg with the two pipes, in its own process group: Ctrl-C reaches only us, and we then
/// remove its unfinished file. Returns an errno.
static int spawn(encoder *e, const command *c, const int in[2], const int out[2],
                 const sigset_t *mask)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    sigset_t usual;
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    sigaddset(&usual, SIGINT);
    sigaddset(&usual, SIGTERM);
    int rc = posix_spawn_file_actions_init(&files);
    if (rc != 0) return rc;
    rc = posix_spawnattr_init(&how);
    if (rc == 0) {
        posix_spawn_file_actions_adddup2(&files, in[0], STDIN_FILENO);
        posix_spawn_file_actions_adddup2(&files, out[1], STDERR_FILENO);
        posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
        posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
                                           POSIX_SPAWN_SETSIGDEF);
        posix_spawnattr_setsigmask(&how, mask);
        posix_spawnattr_setsigdefault(&how, &usual);
        // posix_spawnp does not write to the list, although its type allows it
        union {
            const char *const *in;
            char *const *out;
        } arguments = {c->arguments};
        rc = posix_spawnp(&e->pid, "ffmpeg", &files, &how, arguments.out, environ);
        posix_spawnattr_destroy(&how);
    }
    posix_spawn_file_actions_destroy(&files);
    return rc;
}

static int start(encoder *e, const command *c, const sigset_t *mask)
{
    int in[2] = {-1, -1}, out[2] = {-1, -1};
    int rc = open_pipe(in) && open_pipe(out) ? 0 : errno;
    if (rc == 0) rc = spawn(e, c, in, out, mask);
    close_end(&in[0]);
    close_end(&out[1]);
    if (rc != 0) {
        close_end(&in[1]);
        close_end(&out[0]);
        return rc;
    }
    e->in = in[1];
    e->out = out[0];
    fcntl(e->in, F_SETFL, fcntl(e->in, F_GETFL) | O_NONBLOCK);
    fcntl(e->out, F_SETFL, fcntl(e->out, F_GETFL) | O_NONBLOCK);
    return 0;
}

/// Reads its messages; only the last part is kept.
static void read_messages(encoder *e)
{
    while (e->out >= 0) {
        if (e->length > LOG_BYTES / 2) {
            const size_t kept = LOG_BYTES / 4;
            memmove(e->messages, e->messages + e->length - kept, kept);
            e->length = kept;
        }
        const ssize_t n = read(e->out, e->messages + e->length, LOG_BYTES - 1 - e->length);
        if (n > 0) {
            e->length += (size_t)n;
            e->messages[e->length] = '\0';
        } else if (n < 0 && errno == EINTR) {
            continue;
        } else {
            if (n == 0 || errno != EAGAIN) close_end(&e->out);
            return;
        }
    }
}

/// Writes pixels. False when ffmpeg accepts no more of them, or on cancel.
static bool feed(encoder *e, const unsigned char *bytes, size_t count)
{
    while (count > 0) {
        if (is_cancelled(e)) return false;
        struct pollfd ends[2] = {{e->in, POLLOUT, 0}, {e->out, POLLIN, 0}};
        if (poll(ends, 2, PATIENCE) < 0 && errno != EINTR) return false;
        read_messages(e);
        const ssize_t n = write(e->in, bytes, count < (1u << 20) ? count : (1u << 20));
        if (n < 0 && (errno == EAGAIN || errno == EINTR)) continue;
        if (n < 0) e->stopped = true; // EPIPE: ffmpeg ended; its last message says why
        if (n < 0) return false;
        bytes += n;
        count -= (size_t)n;
    }
    return true;
}

/// Waits until ffmpeg ends, however long the last frames take. A grandchild may keep its stderr
/// open, so wait for the process, not for the end of the pipe.
static void finish(encoder *e)
{
    close_end(&e->in);
    while (!e->waited) {
        const pid_t pid = waitpid(e->pid, &e->ending, WNOHANG);
        e->waited = pid == e->pid || (pid < 0 && errno != EINTR);
        if (pid < 0 && errno != EINTR) e->ending = 0xff00; // reaped elsewhere: treat as a failure
        if (e->waited) break;
        if (is_cancelled(e)) kill(-e->pid, SIGKILL);
        struct pollfd end = {e->out, POLLIN, 0};
        poll(&end, 1, e->out >= 0 ? PATIENCE / 4 : PATIENCE / 10);
        read_messages(e);
    }
    read_messages(e);
    close_end(&e->out);
}

/// ---- What went wrong ---------------------------------------------------------------------------

/// Lines that ffmpeg prints after the reason, without information.
static bool is_uninformative(const char *line, size_t length)
{
    static const char *const lines[] = {"Conversion failed", "Error initializing output stream"};
    for (size_t k = 0; k < sizeof lines / sizeof *lines; ++k)
        if (length >= strlen(lines[k]) && strncmp(line, lines[k], strlen(lines[k])) == 0)
            return true;
    return length == 0;
}

/// The last line with information.
static void last_message(const encoder *e, char *text, size_t size)
{
    size_t end = e->length;
    snprintf(text, size, "it gave no reason");
    while (end > 0) {
        size_t begin = end;
        while (begin > 0 && e->messages[begin - 1] != '\n')
            --begin;
        const size_t length = end - begin;
        const char *line = e->messages + begin;
        end = begin > 0 ? begin - 1 : 0;
        if (is_uninformative(line, length)) continue;
        snprintf(text, size, "%.*s", (int)(length < 200 ? length : 200), line);
        break;
    }
    for (char *at = text; *at; ++at)
        if ((unsigned char)*at < 0x20 || *at == 0x7f) *at = ' ';
}

/// ffmpeg exits with 0 even if the disk was full at its last write, so its messages count too.
static bool has_error_line(const encoder *e)
{
    static const char word[] = "Error ";
    for (const char *line = e->messages; line; line = strchr(line, '\n')) {
        if (*line == '\n') ++line;
        if (strncmp(line, word, sizeof word - 1) == 0) return true;
    }
    return false;
}

static sp_status explain_start(const sp_movie *movie, int reason, sp_error *err)
{
    if (reason == ENOENT)
        return sp_fail(err, SP_IO,
                       "ffmpeg not found: %zu frames are in %s; install ffmpeg and repeat with "
                       "--movie",
                       movie->count, movie->dir);
    return sp_fail(err, SP_IO, "ffmpeg could not be started (%s); frames are kept in %s",
                   strerror(reason), movie->dir);
}

static sp_status explain_end(const encoder *e, sp_error *err)
{
    const sp_movie *movie = e->movie;
    char text[240], how[32];
    if (is_cancelled(e))
        return sp_fail(err, SP_CANCELLED, "interrupted: %zu of %zu pictures are in %s",
                       movie->count, movie->count, movie->dir);
    const bool clean = WIFEXITED(e->ending) && WEXITSTATUS(e->ending) == 0;
    if (clean && !e->stopped && !has_error_line(e)) return SP_OK;
    last_message(e, text, sizeof text);
    if (WIFSIGNALED(e->ending))
        snprintf(how, sizeof how, "signal %d", WTERMSIG(e->ending));
    else
        snprintf(how, sizeof how, "exit %d", WEXITSTATUS(e->ending));
    return sp_fail(err, SP_IO, "ffmpeg stopped (%s): %s; frames are kept in %s", how, text,
                   movie->dir);
}

/// ---- All of it ---------------------------------------------------------------------------------

/// Decodes each picture and writes it to ffmpeg. A picture that changed since it was drawn is an
/// error.
static sp_status feed_pictures(encoder *e, unsigned char *pixels, const sp_host *host,
                               sp_error *err)
{
    const sp_movie *movie = e->movie;
    const size_t bytes = 3 * (size_t)movie->width * (size_t)movie->height;
    for (size_t i = 0; i < movie->count; ++i) {
        char path[4200];
        sp_picture_file *file;
        sp_movie_picture_path(movie->dir, movie->label, movie->frames[i], path, sizeof path);
        SP_TRY(sp_picture_open(path, host, &file, err));
        const sp_picture *facts = sp_picture_facts(file);
        const bool fits = facts->width == movie->width && facts->height == movie->height;
        const sp_status st =
            fits ? sp_picture_pixels(file, pixels, err)
                 : sp_fail(err, SP_DAMAGED, "%s: is not %dx%d", path, movie->width, movie->height);
        sp_picture_close(file);
        SP_TRY(st);
        if (!feed(e, pixels, bytes)) return SP_OK; // finish() and explain_end() find out why
    }
    return SP_OK;
}

static sp_status encode(encoder *e, const command *c, unsigned char *pixels, const sigset_t *mask,
                        const sp_host *host, sp_error *err)
{
    const int reason = start(e, c, mask);
    if (reason != 0) return explain_start(e->movie, reason, err);
    const sp_status st = feed_pictures(e, pixels, host, err);
    if (st != SP_OK) kill(-e->pid, SIGKILL); // an incomplete movie is of no use
    finish(e);
    return st == SP_OK ? explain_end(e, err) : st;
}

/// Writing to a pipe without a reader must give an error and not end the program: SIGPIPE is
/// blocked in this thread, and a pending one is removed before the mask is restored.
static sp_status encode_without_sigpipe(encoder *e, const command *c, unsigned char *pixels,
                                        const sp_host *host, sp_error *err)
{
    sigset_t broken, before, waiting;
    sigemptyset(&broken);
    sigaddset(&broken, SIGPIPE);
    sigpending(&waiting);
    const bool was_waiting = sigismember(&waiting, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &broken, &before);
    const sp_status st = encode(e, c, pixels, &before, host, err);
    const struct timespec now = {0};
    while (!was_waiting && sigtimedwait(&broken, NULL, &now) < 0 && errno == EINTR)
        continue;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return st;
}

static sp_status put_in_place(const sp_movie *movie, sp_file *file, sp_error *err)
{
    sp_error why = {0};
    const sp_status st = sp_file_close(file, true, &why);
    if (st == SP_OK) return SP_OK;
    return sp_fail(err, st, "%s; frames are kept in %s", why.text, movie->dir);
}

sp_status sp_movie_encode(const sp_movie *movie, const char *path, const char *comment,
                          const sp_host *host, sp_error *err)
{
    sp_file file;
    command c;
    const movie_kind *kind = find_kind(path);
    if (!kind)
        return sp_fail(err, SP_BAD_INPUT,
                       "%s: expected a name that ends in .mp4, .webm, .mkv or "
                       ".gif",
                       path);
    SP_TRY(sp_file_name(&file, path, err));
    SP_TRY(make_command(movie, kind, &file, comment, host, &c, err));
    encoder e = {.movie = movie, .in = -1, .out = -1, .messages = sp_allocate(host, LOG_BYTES, 1)};
    unsigned char *pixels = sp_allocate(host, 3 * (size_t)movie->width * (size_t)movie->height, 1);
    sp_status st = SP_OK;
    if (!e.messages || !pixels)
        st = sp_fail(err, SP_NO_MEMORY, "%s: no memory for %dx%d pixels", path, movie->width,
                     movie->height);
    if (st == SP_OK) st = encode_without_sigpipe(&e, &c, pixels, host, err);
    if (st != SP_OK)
        sp_file_abandon(&file);
    else
        st = put_in_place(movie, &file, err);
    sp_release(host, pixels);
    sp_release(host, e.messages);
    release_command(&c, host);
    return st;
}
