#include "lazy/lazy.h"

#include <curl/curl.h>
#include <stdarg.h>

#define F(type, name, parameters, arguments) LAZY_FUNCTION("libcurl.so.4", type, name, parameters, arguments)

F(CURLcode, curl_global_init, (long flags), (flags))
F(void, curl_global_cleanup, (void), ())
F(void, curl_free, (void *p), (p))
F(CURL *, curl_easy_init, (void), ())
F(CURLcode, curl_easy_perform, (CURL * h), (h))
F(void, curl_easy_cleanup, (CURL * h), (h))
F(const char *, curl_easy_strerror, (CURLcode code), (code))
F(struct curl_slist *, curl_slist_append, (struct curl_slist * list, const char *text), (list, text))
F(void, curl_slist_free_all, (struct curl_slist * list), (list))
F(CURLM *, curl_multi_init, (void), ())
F(CURLMcode, curl_multi_cleanup, (CURLM * m), (m))
F(CURLMcode, curl_multi_add_handle, (CURLM * m, CURL *h), (m, h))
F(CURLMcode, curl_multi_remove_handle, (CURLM * m, CURL *h), (m, h))
F(CURLMsg *, curl_multi_info_read, (CURLM * m, int *left), (m, left))
F(CURLMcode, curl_multi_socket_action, (CURLM * m, curl_socket_t s, int events, int *running), (m, s, events, running))
F(CURLMcode, curl_multi_assign, (CURLM * m, curl_socket_t s, void *p), (m, s, p))
F(CURLU *, curl_url, (void), ())
F(void, curl_url_cleanup, (CURLU * u), (u))
F(CURLUcode, curl_url_get, (CURLU * u, CURLUPart what, char **part, unsigned flags), (u, what, part, flags))
F(CURLUcode, curl_url_set, (CURLU * u, CURLUPart what, const char *part, unsigned flags), (u, what, part, flags))

/* The three that take one more argument, whose type the option says: a long, a pointer or a curl_off_t, all of one size here. */
_Static_assert(sizeof(long) == sizeof(void *) && sizeof(curl_off_t) == sizeof(void *), "options travel as pointers");

#define OPTION_FUNCTION(type, name, handle, option)                                                                              \
    type name(handle *h, option o, ...)                                                                                          \
    {                                                                                                                            \
        LAZY_FIND("libcurl.so.4", name, f)                                                                                       \
        va_list args;                                                                                                            \
        va_start(args, o);                                                                                                       \
        type code = f(h, o, va_arg(args, void *));                                                                               \
        va_end(args);                                                                                                            \
        return code;                                                                                                             \
    }

#undef curl_easy_setopt
#undef curl_easy_getinfo
#undef curl_multi_setopt
OPTION_FUNCTION(CURLcode, curl_easy_setopt, CURL, CURLoption)
OPTION_FUNCTION(CURLcode, curl_easy_getinfo, CURL, CURLINFO)
OPTION_FUNCTION(CURLMcode, curl_multi_setopt, CURLM, CURLMoption)
