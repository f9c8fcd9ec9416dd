/* LD_PRELOAD: the process kills itself before the KILL_AT_RENAME-th rename of a file of compaction (.cleaned, .swap or
 * .deleted), as kill -9 at that moment would.
 *
 *     cc -shared -fPIC -O2 -o killatrename.so killatrename.c -ldl
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is_of_compaction(const char *path)
{
    return strstr(path, ".cleaned") != NULL || strstr(path, ".swap") != NULL || strstr(path, ".deleted") != NULL;
}

int rename(const char *from, const char *to)
{
    static atomic_int count;
    const char *at = getenv("KILL_AT_RENAME");
    int (*real)(const char *, const char *) = (int (*)(const char *, const char *))dlsym(RTLD_NEXT, "rename");
    if (at != NULL && (is_of_compaction(from) || is_of_compaction(to)) && atomic_fetch_add(&count, 1) + 1 == atoi(at))
        kill(getpid(), SIGKILL);
    return real(from, to);
}
