/*
 * Runs a fuzz target on files instead of under libFuzzer: the corpus is replayed in `make test` by any compiler, under any
 * sanitizer. Arguments are files or folders of files. Speaks TAP: one test a folder or file named.
 */
#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static long run_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f || fseek(f, 0, SEEK_END) != 0)
        return -1;
    long size = ftell(f);
    rewind(f);
    /* A buffer of the exact size, so that a sanitizer sees reads past the end. */
    uint8_t *data = malloc(size > 0 ? (size_t)size : 1);
    bool ok = data && size >= 0 && fread(data, 1, (size_t)size, f) == (size_t)size;
    (void)fclose(f);
    if (ok)
        (void)LLVMFuzzerTestOneInput(data, (size_t)size);
    free(data);
    return ok ? 1 : -1;
}

static long run_folder(const char *path)
{
    DIR *dir = opendir(path);
    if (!dir)
        return -1;
    long n = 0;
    for (struct dirent *e; (e = readdir(dir));) {
        if (e->d_name[0] == '.')
            continue;
        char file[4096];
        int length = snprintf(file, sizeof file, "%s/%s", path, e->d_name);
        if (length < 0 || (size_t)length >= sizeof file || run_file(file) < 0) {
            n = -1;
            break;
        }
        n++;
    }
    (void)closedir(dir);
    return n;
}

int main(int argc, char **argv)
{
    int failed = 0;
    printf("1..%d\n", argc - 1);
    for (int i = 1; i < argc; i++) {
        struct stat st;
        bool is_folder = stat(argv[i], &st) == 0 && S_ISDIR(st.st_mode);
        long n = is_folder ? run_folder(argv[i]) : run_file(argv[i]);
        /* An empty corpus proves nothing, so it fails. */
        bool ok = n > 0;
        printf("%sok %d - %s (%ld inputs)\n", ok ? "" : "not ", i, argv[i], n);
        failed += !ok;
    }
    return failed > 0;
}
