#include "cloudcontrol/provider_values.h"

#include "aws/arn.h"
#include "base/duration.h"

static const struct value *checked(struct arena *a, const struct value *v, bool valid)
{
    return v->state != VALUE_KNOWN || valid ? v : value_unknown(a, v->type);
}

bool cc_arn_value_valid(const struct value *v)
{
    return v->state != VALUE_KNOWN || aws_arn_valid(v->string);
}

bool cc_duration_value_valid(const struct value *v)
{
    int64_t ns;
    return v->state != VALUE_KNOWN || duration_parse(v->string, &ns);
}

const struct value *cc_arn_value(struct arena *a, const struct value *configured)
{
    return checked(a, configured, cc_arn_value_valid(configured));
}

const struct value *cc_duration_value(struct arena *a, const struct value *configured)
{
    return checked(a, configured, cc_duration_value_valid(configured));
}
