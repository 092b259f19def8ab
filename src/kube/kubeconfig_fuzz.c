/* kubeconfig: any file gives a result or a diagnostic, and base64 data and commands in a result are complete. */
#include "kube/kubeconfig.h"

#include "base/must.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 64 << 20);
    struct diags diags;
    struct kubeconfig config;
    diags_init(&diags, a);
    bool ok = kubeconfig_parse(a, (struct str){(const char *)data, size}, "/fuzz/config", NULL, &diags, &config);
    must_hold(ok == !diags_has_errors(&diags));
    if (!ok)
        return 0;
    must_hold(config.server.n > 0);
    must_hold(config.namespace.n > 0);
    must_hold(!config.exec || strlen(config.exec->command) > 0);
    must_hold(!config.token.file || config.token.file[0] == '/');
    return 0;
}
