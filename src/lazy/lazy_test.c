#include "lazy/lazy.h"

#include "base/testing.h"
#include "lazy/lazy_archive.h"
#include "lazy/lazy_curl.h"
#include "lazy/lazy_microhttpd.h"
#include "lazy/lazy_rnp.h"

#include <link.h>

static bool load(const char *soname, const char *function, struct diags *diags)
{
    void *table[1];
    struct lazy_function functions[] = {{function, 0}};
    struct lazy_library library = {soname, "libnone7", "tests", functions, 1, table, PTHREAD_MUTEX_INITIALIZER, false};
    return lazy_load(&library, diags);
}

static void what_is_missing_is_told(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    assert_false(load("libterrane-none.so.7", "none_have", &diags));
    assert_int_equal(diags.n_errors, 1);
    testing_says(&diags, "Missing library");
    testing_says(&diags, "libterrane-none.so.7, which is needed for tests, cannot be used: ");
    testing_says(&diags, "`apt-get install libnone7`");
    diags_init(&diags, a);
    assert_false(load("libc.so.6", "strange_strlen", &diags));
    testing_says(&diags, "strange_strlen");
}

/* This program is also linked with the libraries: the library loaded by its soname must be the one that was linked. */
static void loaded_is_what_the_headers_are_of(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    const struct lazy_curl *curl = lazy_curl(&diags);
    const struct lazy_archive *archive = lazy_archive(&diags);
    const struct lazy_microhttpd *microhttpd = lazy_microhttpd(&diags);
    const struct lazy_rnp *rnp = lazy_rnp(&diags);
    testing_no_errors(&diags);
    assert_true(rnp->ffi_create == rnp_ffi_create && rnp->op_verify_execute == rnp_op_verify_execute);
    assert_true(curl->easy_init == curl_easy_init && curl->multi_setopt == curl_multi_setopt);
    assert_true(archive->error_string == archive_error_string && archive->entry_set_symlink == archive_entry_set_symlink);
    assert_true(microhttpd->start_daemon == MHD_start_daemon && microhttpd->get_connection_values == MHD_get_connection_values);
    assert_ptr_equal(lazy_curl(&diags), curl);
}

/* Reads this program's ELF notes as packaging tools do. */
static struct str note_text(struct str *rest)
{
    struct {
        uint32_t owner_bytes, text_bytes, type;
    } head;
    assert_true(rest->n >= sizeof head);
    memcpy(&head, rest->p, sizeof head);
    size_t owner = (head.owner_bytes + 3U) & ~3U, text = (head.text_bytes + 3U) & ~3U;
    assert_true(rest->n >= sizeof head + owner + text);
    struct str found = {rest->p + sizeof head + owner, head.text_bytes};
    bool ours = head.type == LAZY_NOTE_TYPE && strcmp(rest->p + sizeof head, LAZY_NOTE_OWNER) == 0;
    *rest = str_slice(*rest, sizeof head + owner + text, SIZE_MAX);
    return ours ? str_slice(found, 0, strlen(found.p)) : STR_EMPTY;
}

static int collect_notes(struct dl_phdr_info *info, size_t size, void *arg)
{
    (void)size;
    struct buf *all = arg;
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *h = &info->dlpi_phdr[i];
        struct str rest = {(const char *)(info->dlpi_addr + h->p_vaddr), h->p_memsz};
        while (h->p_type == PT_NOTE && h->p_align == 4 && rest.n > 0) {
            struct str text = note_text(&rest);
            buf_add(all, text);
            buf_addz(all, text.n > 0 ? "\n" : "");
        }
    }
    return 1; /* the program itself comes first; no more */
}

static void packagers_are_told(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct buf all BUF_AUTO = BUF_INIT(TESTING_MAX);
    (void)dl_iterate_phdr(collect_notes, &all);
    size_t n = 0;
    for (struct str rest = buf_str(&all), line; rest.n > 0; n++) {
        line = str_cut(&rest, '\n');
        const struct json *note = testing_json(a, line);
        assert_int_equal(note->kind, JSON_ARRAY);
        const struct json *one = note->array.items[0];
        assert_true(testing_member(one, "description").n > 0);
        testing_text(testing_member(one, "priority"), "recommended");
    }
    assert_int_equal(n, 4);
    static const char *const sonames[] = {"[\"libcurl.so.4\"]", "[\"libarchive.so.13\"]", "[\"libmicrohttpd.so.12\"]",
                                          "[\"librnp.so.0\"]"};
    buf_addc(&all, '\0');
    for (size_t i = 0; i < sizeof sonames / sizeof sonames[0]; i++)
        assert_non_null(strstr(all.p, sonames[i]));
}

/* Functions with an argument of variable type are called with each type. */
static void arguments_of_any_type(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    const struct lazy_curl *curl = lazy_curl(&diags);
    testing_no_errors(&diags);
    CURL *h = curl->easy_init();
    assert_non_null(h);
    int context = 0;
    void *found = NULL;
    CURL_SET(curl, h, CURLOPT_TIMEOUT_MS, 100L);
    CURL_SET(curl, h, CURLOPT_MAXFILESIZE_LARGE, (curl_off_t)1 << 40);
    CURL_SET(curl, h, CURLOPT_PRIVATE, &context);
    assert_int_equal(curl->easy_getinfo(h, CURLINFO_PRIVATE, &found), CURLE_OK);
    assert_ptr_equal(found, &context);
    assert_int_equal(curl->easy_setopt(h, CURLOPT_MAXREDIRS, -2L), CURLE_BAD_FUNCTION_ARGUMENT);
    curl->easy_cleanup(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_missing_is_told),
        cmocka_unit_test(loaded_is_what_the_headers_are_of),
        cmocka_unit_test(packagers_are_told),
        cmocka_unit_test(arguments_of_any_type),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
