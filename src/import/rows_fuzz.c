/* Discovery files, and answers of APIs in XML: the first byte says which. */
#include "import/rows.h"

#include "aws/xml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    if (size == 0)
        return 0;
    struct str text = arena_str(a, (struct str){(const char *)data + 1, size - 1});
    if (data[0] == 'x') {
        const struct json *tree = aws_xml_tree(a, text);
        if (tree)
            (void)pick_all(a, tree, STR("*.item.*"));
        return 0;
    }
    struct rows rows;
    rows_init(&rows, a);
    if (rows_read(&rows, text, "fuzz", &diags))
        (void)rows_bind(&rows, &diags);
    return 0;
}
