#include "aws/arn.h"

enum { ARN_PARTS = 6 };

/* Part number `part` of an ARN, from 0 ("arn"); false if it has fewer parts. */
static bool arn_part(struct str arn, size_t part, struct str *ret)
{
    for (size_t i = 0; i < ARN_PARTS; i++) {
        bool last = i + 1 == ARN_PARTS;
        if (!last && str_find(arn, ':', 0) == SIZE_MAX)
            return false;
        struct str text = last ? arn : str_cut(&arn, ':');
        if (i == part)
            *ret = text;
    }
    return true;
}

bool aws_arn_valid(struct str text)
{
    struct str start;
    return str_starts(text, STR("arn:")) && arn_part(text, 0, &start);
}

struct str aws_arn_account(struct str arn)
{
    struct str account = STR_EMPTY;
    return arn_part(arn, 4, &account) ? account : STR_EMPTY;
}

struct str aws_arn_partition(struct str arn)
{
    struct str partition = STR_EMPTY;
    return arn_part(arn, 1, &partition) ? partition : STR_EMPTY;
}
