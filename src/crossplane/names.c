#include "crossplane/names.h"

#include "base/ascii.h"

/* All words that other tools write with special casing, so that kinds and Go names equal theirs. */
static const char *const built_in[] = {
    "ID",    "IPv6", "IPv4",  "ACL",   "ADM",     "AI",      "ALB",
    "AMI",   "API",  "APNS",  "ASCII", "BGP",     "CA",      "CPU",
    "CSS",   "DHCP", "DICOM", "DKIM",  "DNS",     "DNSSEC",  "CloudFormation",
    "EBS",   "EC2",  "EFS",   "EIP",   "ELB",     "EOF",     "FHIR",
    "FSX",   "GCP",  "GCM",   "GRPC",  "GraphQL", "GUID",    "HSM",
    "IPSet", "HL7",  "HTML",  "HTTP",  "HMAC",    "HAProxy", "IAM",
    "HTTPS", "IP",   "ISCSI", "JSON",  "KMS",     "LB",      "ML",
    "NAT",   "NFS",  "PHP",   "MySQL", "QPS",     "NodeJS",  "OpenID",
    "RAM",   "RDS",  "RPC",   "SAML",  "SLA",     "SLO",     "SMB",
    "SMS",   "SMTP", "SQL",   "SSH",   "SSL",     "TCP",     "TLS",
    "TTL",   "UDP",  "UI",    "GID",   "UID",     "UUID",    "URI",
    "URL",   "UTF8", "VM",    "VoIP",  "VPC",     "VPN",     "XML",
    "XMPP",  "XSRF", "XSS",   "SIP",   "RTP",     "AMQP",    "DB",
    "TS",
};

void xp_names_add(struct xp_names *n, struct str word, struct str casing)
{
    map_put(&n->acronyms, arena_lower(n->arena, word), (void *)arena_str(n->arena, casing).p);
    n->longest = casing.n > n->longest ? casing.n : n->longest;
}

void xp_names_init(struct xp_names *n, struct arena *a)
{
    *n = (struct xp_names){.arena = a};
    map_init(&n->acronyms, a);
    for (size_t i = 0; i < sizeof built_in / sizeof built_in[0]; i++)
        xp_names_add(n, str_of(built_in[i]), str_of(built_in[i]));
}

/* --- from words --- */

/*
 * Writes a word with its first letter, and each letter after a digit, in upper case. Of consecutive capitals only the first
 * stays.
 * Other characters are dropped and begin a new word.
 */
static size_t put_camel(char *out, struct str word)
{
    size_t n = 0;
    bool capital = true, after_upper = false;
    for (size_t i = 0; i < word.n; i++) {
        char c = word.p[i];
        bool upper = is_upper(c), letter = upper || is_lower(c);
        if (letter)
            out[n++] = capital ? to_upper(c) : after_upper && upper ? to_lower(c) : c;
        else if (is_digit(c))
            out[n++] = c;
        capital = !letter;
        after_upper = upper;
    }
    return n;
}

static size_t put_lower(char *out, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = to_lower(out[i]);
    return n;
}

static size_t put_word(const struct xp_names *n, char *out, struct str word)
{
    char lower[64];
    if (n && word.n < sizeof lower) {
        memcpy(lower, word.p, word.n);
        (void)put_lower(lower, word.n);
        const char *casing = map_get(&n->acronyms, (struct str){lower, word.n});
        if (casing) {
            size_t length = 0;
            for (; casing[length]; length++)
                out[length] = casing[length];
            return length;
        }
    }
    return put_camel(out, word);
}

/* `names` NULL: no acronyms. */
static struct str join_words(const struct xp_names *names, struct arena *a, struct str snake, bool first_lower)
{
    size_t words = 1;
    for (size_t i = 0; i < snake.n; i++)
        words += snake.p[i] == '_';
    char *out = arena_alloc(a, snake.n + (names ? words * names->longest : 0) + 1, 1);
    size_t n = 0;
    for (bool first = true; snake.n > 0; first = false) {
        struct str word = str_cut(&snake, '_');
        size_t length = put_word(names, out + n, word);
        n += first && first_lower ? put_lower(out + n, length) : length;
    }
    return (struct str){out, n};
}

struct str xp_name_json(struct arena *a, struct str snake)
{
    return join_words(NULL, a, snake, true);
}

struct str xp_name_camel(const struct xp_names *n, struct arena *a, struct str snake)
{
    return join_words(n, a, snake, false);
}

/* --- to words --- */

enum letter_class { LETTER_LOWER, LETTER_UPPER, LETTER_DIGIT, LETTER_OTHER };

static enum letter_class class_of(char c)
{
    return is_lower(c) ? LETTER_LOWER : is_upper(c) ? LETTER_UPPER : is_digit(c) ? LETTER_DIGIT : LETTER_OTHER;
}

/* A word starts where the character class changes; the last of several capitals belongs to the next word. */
static bool starts_word(struct str s, size_t i)
{
    enum letter_class here = class_of(s.p[i]), before = class_of(s.p[i - 1]);
    if (here == LETTER_LOWER && before == LETTER_UPPER)
        return false;
    if (here != before)
        return true;
    return here == LETTER_UPPER && i + 1 < s.n && class_of(s.p[i + 1]) == LETTER_LOWER;
}

struct str xp_name_snake_of_camel(struct arena *a, struct str camel)
{
    char *out = arena_alloc(a, camel.n * 2 + 1, 1);
    size_t n = 0;
    for (size_t i = 0; i < camel.n; i++) {
        if (i > 0 && starts_word(camel, i))
            out[n++] = '_';
        out[n++] = to_lower(camel.p[i]);
    }
    return (struct str){out, n};
}

/* --- derived names --- */

struct str xp_name_secret_ref(const struct xp_names *n, struct arena *a, struct str snake)
{
    struct str camel = xp_name_camel(n, a, snake);
    return xp_name_snake_of_camel(a, arena_printf(a, STR_FMT "SecretRef", STR_ARG(camel)));
}

struct str xp_name_reference(struct arena *a, struct str snake, bool list, struct str override)
{
    if (override.n > 0)
        return xp_name_snake_of_camel(a, override);
    return arena_printf(a, STR_FMT "%s", STR_ARG(snake), list ? "_refs" : "_ref");
}

struct str xp_name_selector(struct arena *a, struct str snake, struct str override)
{
    if (override.n > 0)
        return xp_name_snake_of_camel(a, override);
    return arena_printf(a, STR_FMT "_selector", STR_ARG(snake));
}

struct xp_group_kind xp_name_group_kind(const struct xp_names *n, struct arena *a, struct str terraform_type)
{
    struct str rest = terraform_type;
    struct str first = str_cut(&rest, '_'), second = rest;
    struct str group = str_cut(&second, '_');
    if (second.n == 0)
        return (struct xp_group_kind){arena_lower(a, first), xp_name_camel(n, a, rest.n > 0 ? rest : first)};
    return (struct xp_group_kind){arena_lower(a, group), xp_name_camel(n, a, second)};
}

bool xp_name_in_rules(struct arena *a, struct str json, struct str *ret)
{
    static const char *const reserved[] = {"true",     "false", "null", "in",       "as",        "break",  "const",
                                           "continue", "else",  "for",  "function", "if",        "import", "let",
                                           "loop",     "var",   "void", "package",  "namespace", "return", "while"};
    if (json.n == 0 || is_digit(json.p[0]))
        return false;
    for (size_t i = 0; i < json.n; i++)
        if (class_of(json.p[i]) == LETTER_OTHER)
            return false;
    *ret = json;
    for (size_t i = 0; i < sizeof reserved / sizeof reserved[0]; i++)
        if (str_eqz(json, reserved[i]))
            *ret = arena_printf(a, "__" STR_FMT "__", STR_ARG(json));
    return true;
}

enum { LABEL_MAX = 63, DOMAIN_MAX = 253 };

/* Unlike a stand-alone label, a label of a domain may begin with a digit. */
static bool is_domain_label(struct str s)
{
    if (s.n == 0 || s.n > LABEL_MAX || s.p[0] == '-' || s.p[s.n - 1] == '-')
        return false;
    for (size_t i = 0; i < s.n; i++)
        if (!is_lower(s.p[i]) && !is_digit(s.p[i]) && s.p[i] != '-')
            return false;
    return true;
}

bool xp_name_is_label(struct str s)
{
    return is_domain_label(s) && is_lower(s.p[0]);
}

bool xp_name_is_domain(struct str s)
{
    bool ok = s.n > 0 && s.n <= DOMAIN_MAX && s.p[s.n - 1] != '.';
    while (ok && s.n > 0)
        ok = is_domain_label(str_cut(&s, '.'));
    return ok;
}

bool xp_name_is_kind(struct str s)
{
    if (s.n == 0 || s.n > LABEL_MAX || !is_upper(s.p[0]))
        return false;
    for (size_t i = 1; i < s.n; i++)
        if (!is_letter(s.p[i]) && !is_digit(s.p[i]))
            return false;
    return true;
}
