/* LD_PRELOAD: every fsync and fdatasync takes SLOW_SYNC_MS longer, as on a busy disk; one that the main thread asks for
 * is noted in the file SLOW_SYNC_MAIN, with the path of what is synced.
 *
 *     cc -shared -fPIC -O2 -o slowsync.so slowsync.c -ldl
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static void note_main_thread(const char *call, int fd)
{
    const char *notes = getenv("SLOW_SYNC_MAIN");
    char link[64], path[512], line[640];
    if (notes == NULL || syscall(SYS_gettid) != getpid())
        return;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    path[length < 0 ? 0 : length] = 0;
    int size = snprintf(line, sizeof line, "%s %s\n", call, path);
    int file = open(notes, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (file >= 0) {
        if (write(file, line, (size_t)size) < 0)
            abort();
        close(file);
    }
}

static int slow(const char *call, int fd)
{
    const char *ms = getenv("SLOW_SYNC_MS");
    int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, call);
    note_main_thread(call, fd);
    usleep(ms == NULL ? 0 : (useconds_t)atoi(ms) * 1000);
    return real(fd);
}

int fsync(int fd) { return slow("fsync", fd); }
int fdatasync(int fd) { return slow("fdatasync", fd); }
