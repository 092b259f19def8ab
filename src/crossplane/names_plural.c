/*
 * Plurals by the rules of the tools that generate most CRDs today: irregular words first, then a list of endings in order.
 * Endings are case-sensitive, so that abbreviations get a regular plural (TLS, tlses).
 */
#include "base/ascii.h"
#include "crossplane/names.h"

struct word {
    const char *one, *many;
    const char *also;   /* another recognised plural */
    unsigned char only; /* ONLY_WORD: not as the ending of a longer word; ONE_WAY: `many` alone is no plural */
};
enum { ONLY_WORD = 1, ONE_WAY = 2 };

/* Tried from last to first. */
static const struct word words[] = {
    {"aircraft", "aircraft", NULL, 0},
    {"beef", "beef", "beefs", 0},
    {"bison", "bison", NULL, 0},
    {"blues", "blues", NULL, ONE_WAY},
    {"chassis", "chassis", NULL, 0},
    {"deer", "deer", NULL, 0},
    {"fish", "fish", "fishes", 0},
    {"moose", "moose", NULL, 0},
    {"police", "police", NULL, 0},
    {"salmon", "salmon", "salmons", 0},
    {"series", "series", NULL, 0},
    {"sheep", "sheep", NULL, 0},
    {"shrimp", "shrimp", "shrimps", 0},
    {"species", "species", NULL, 0},
    {"swine", "swine", "swines", 0},
    {"trout", "trout", "trouts", 0},
    {"tuna", "tuna", "tunas", 0},
    {"you", "you", NULL, 0},
    {"child", "children", NULL, 0},
    {"ox", "oxen", NULL, ONLY_WORD},
    {"foot", "feet", NULL, 0},
    {"goose", "geese", NULL, 0},
    {"man", "men", NULL, 0},
    {"human", "humans", NULL, 0},
    {"louse", "lice", NULL, ONLY_WORD},
    {"mouse", "mice", NULL, 0},
    {"tooth", "teeth", NULL, 0},
    {"woman", "women", NULL, 0},
    {"die", "dice", NULL, ONLY_WORD},
    {"person", "people", NULL, 0},
    {"adieu", "adieux", "adieus", 0},
    {"fabliau", "fabliaux", NULL, 0},
    {"bureau", "bureaus", "bureaux", 0},
    {"criterion", "criteria", NULL, 0},
    {"ganglion", "ganglia", "ganglions", 0},
    {"lexicon", "lexica", "lexicons", 0},
    {"mitochondrion", "mitochondria", "mitochondrions", 0},
    {"noumenon", "noumena", NULL, 0},
    {"phenomenon", "phenomena", NULL, 0},
    {"taxon", "taxa", NULL, 0},
    {"media", "media", NULL, 0},
    {"medium", "media", "mediums", ONE_WAY},
    {"stadium", "stadiums", "stadia", 0},
    {"aquarium", "aquaria", "aquariums", 0},
    {"auditorium", "auditoria", "auditoriums", 0},
    {"symposium", "symposia", "symposiums", 0},
    {"curriculum", "curriculums", "curricula", 0},
    {"quota", "quotas", NULL, 0},
    {"alumnus", "alumni", "alumnuses", 0},
    {"bacillus", "bacilli", NULL, 0},
    {"cactus", "cacti", "cactuses", 0},
    {"coccus", "cocci", NULL, 0},
    {"focus", "foci", "focuses", 0},
    {"locus", "loci", "locuses", 0},
    {"nucleus", "nuclei", "nucleuses", 0},
    {"octopus", "octupuses", "octopi", 0}, /* misspelt as in those tools */
    {"radius", "radii", "radiuses", 0},
    {"syllabus", "syllabi", NULL, 0},
    {"corpus", "corpora", "corpuses", 0},
    {"genus", "genera", NULL, 0},
    {"alumna", "alumnae", NULL, 0},
    {"vertebra", "vertebrae", NULL, 0},
    {"differentia", "differentiae", NULL, 0},
    {"minutia", "minutiae", NULL, 0},
    {"vita", "vitae", NULL, 0},
    {"larva", "larvae", NULL, 0},
    {"postcava", "postcavae", NULL, 0},
    {"praecava", "praecavae", NULL, 0},
    {"uva", "uvae", NULL, 0},
    {"apex", "apices", "apexes", 0},
    {"codex", "codices", "codexes", 0},
    {"index", "indices", "indexes", 0},
    {"latex", "latices", "latexes", 0},
    {"vertex", "vertices", "vertexes", 0},
    {"vortex", "vortices", "vortexes", 0},
    {"appendix", "appendices", "appendixes", 0},
    {"radix", "radices", "radixes", 0},
    {"helix", "helices", "helixes", 0},
    {"axis", "axes", NULL, ONLY_WORD},
    {"crisis", "crises", NULL, 0},
    {"ellipsis", "ellipses", NULL, ONE_WAY},
    {"genesis", "geneses", NULL, 0},
    {"oasis", "oases", NULL, 0},
    {"thesis", "theses", NULL, 0},
    {"testis", "testes", NULL, 0},
    {"base", "bases", NULL, 0},
    {"basis", "bases", NULL, ONE_WAY},
    {"alias", "aliases", NULL, ONLY_WORD},
    {"vedalia", "vedalias", NULL, 0},
    {"use", "uses", NULL, ONLY_WORD},
    {"abuse", "abuses", NULL, 0},
    {"cause", "causes", NULL, 0},
    {"clause", "clauses", NULL, 0},
    {"cruse", "cruses", NULL, 0},
    {"excuse", "excuses", NULL, 0},
    {"fuse", "fuses", NULL, 0},
    {"house", "houses", NULL, 0},
    {"misuse", "misuses", NULL, 0},
    {"muse", "muses", NULL, 0},
    {"pause", "pauses", NULL, 0},
    {"ache", "aches", NULL, 0},
    {"topaz", "topazes", NULL, 0},
    {"buffalo", "buffaloes", "buffalos", 0},
    {"potato", "potatoes", NULL, 0},
    {"tomato", "tomatoes", NULL, 0},
    {"equipment", "equipment", NULL, 0},
    {"information", "information", NULL, 0},
    {"jeans", "jeans", NULL, 0},
    {"money", "money", NULL, 0},
    {"news", "news", NULL, 0},
    {"rice", "rice", NULL, 0},
    {"dwarf", "dwarfs", "dwarves", 0},
    {"hoof", "hoofs", "hooves", 0},
    {"thief", "thieves", NULL, 0},
    {"chive", "chives", NULL, 0},
    {"hive", "hives", NULL, 0},
    {"move", "moves", NULL, 0},
    {"movie", "movies", NULL, 0},
    {"cookie", "cookies", NULL, 0},
    {"pretorium", "pretoriums", NULL, 0},
    {"agenda", "agendas", NULL, 0},
    {"formula", "formulas", "formulae", 0},
    {"shoe", "shoes", NULL, 0},
    {"toe", "toes", NULL, ONLY_WORD},
    {"graffiti", "graffiti", NULL, 0},
};
enum { N_WORDS = sizeof words / sizeof words[0] };

/* Tried from first to last. */
static const struct {
    const char *one, *many;
} endings[] = {
    {"tive", "tives"},   {"eaf", "eaves"},      {"oaf", "oaves"},   {"afe", "aves"},    {"arf", "arves"},
    {"rfe", "rves"},     {"rf", "rves"},        {"lf", "lves"},     {"fe", "ves"},      {"ay", "ays"},
    {"ey", "eys"},       {"oy", "oys"},         {"quy", "quies"},   {"uy", "uys"},      {"y", "ies"},
    {"eau", "eaux"},     {"bula", "bulae"},     {"dula", "bulae"},  {"lula", "bulae"},  {"nula", "bulae"},
    {"vula", "bulae"},   {"hedron", "hedra"},   {"ium", "ia"},      {"seum", "seums"},  {"eum", "ea"},
    {"oum", "oa"},       {"stracum", "straca"}, {"dum", "da"},      {"elum", "ela"},    {"ilum", "ila"},
    {"olum", "ola"},     {"ulum", "ula"},       {"llum", "lla"},    {"ylum", "yla"},    {"imum", "ima"},
    {"ernum", "erna"},   {"gnum", "gna"},       {"brum", "bra"},    {"crum", "cra"},    {"terum", "tera"},
    {"serum", "sera"},   {"trum", "tra"},       {"antum", "anta"},  {"atum", "ata"},    {"entum", "enta"},
    {"etum", "eta"},     {"itum", "ita"},       {"otum", "ota"},    {"utum", "uta"},    {"ctum", "cta"},
    {"ovum", "ova"},     {"trix", "trices"},    {"iasis", "iases"}, {"mesis", "meses"}, {"kinesis", "kineses"},
    {"resis", "reses"},  {"gnosis", "gnoses"},  {"opsis", "opses"}, {"ysis", "yses"},   {"ouse", "ouses"},
    {"lause", "lauses"}, {"us", "uses"},        {"ch", "ches"},     {"io", "ios"},      {"sh", "shes"},
    {"ss", "sses"},      {"ez", "ezzes"},       {"iz", "izzes"},    {"tz", "tzes"},     {"zz", "zzes"},
    {"ano", "anos"},     {"lo", "los"},         {"to", "tos"},      {"oo", "oos"},      {"o", "oes"},
    {"x", "xes"},        {"S", "Ses"},
};

/* Abbreviations after which a capital starts a new word: DNSAlias is DNS and Alias. */
static const char *const abbreviations[] = {
    "OK",   "UTF8", "HTML", "JSON", "JWT",   "ID",   "UUID", "SQL",   "ACK",   "ACL",  "ADSL",  "AES",   "ANSI", "API",
    "ARP",  "ATM",  "BGP",  "BSS",  "CCITT", "CHAP", "CIDR", "CIR",   "CLI",   "CPE",  "CPU",   "CRC",   "CRT",  "CSMA",
    "CMOS", "DCE",  "DEC",  "DES",  "DHCP",  "DNS",  "DRAM", "DSL",   "DSLAM", "DTE",  "DMI",   "EHA",   "EIA",  "EIGRP",
    "EOF",  "ESS",  "FCC",  "FCS",  "FDDI",  "FTP",  "GBIC", "GEPOF", "HDLC",  "HTTP", "HTTPS", "IANA",  "ICMP", "IDF",
    "IDS",  "IEEE", "IETF", "IMAP", "IP",    "IPS",  "ISDN", "ISP",   "LACP",  "LAN",  "LAPB",  "LAPF",  "LLC",  "MAC",
    "MC",   "MDF",  "MIB",  "MPLS", "MTU",   "NAC",  "NAT",  "NBMA",  "NIC",   "NRZ",  "NRZI",  "NVRAM", "OSI",  "OSPF",
    "OUI",  "PAP",  "PAT",  "PC",   "PIM",   "PCM",  "PDU",  "POP3",  "POTS",  "PPP",  "PPTP",  "PTT",   "PVST", "RAM",
    "RARP", "RFC",  "RIP",  "RLL",  "ROM",   "RSTP", "RTP",  "RCP",   "SDLC",  "SFD",  "SFP",   "SLARP", "SLIP", "SMTP",
    "SNA",  "SNAP", "SNMP", "SOF",  "SRAM",  "SSH",  "SSID", "STP",   "SYN",   "TDM",  "TFTP",  "TIA",   "TOFU", "UDP",
    "URL",  "URI",  "USB",  "UTP",  "VC",    "VLAN", "VLSM", "VPN",   "W3C",   "WAN",  "WEP",   "WPA",   "WWW",
};

/* A fast check: each kind is compared with hundreds of words, and nearly all begin with another letter. */
static inline bool same_word(struct str a, const char *b)
{
    if (a.n == 0 || to_upper(a.p[0]) != to_upper(b[0]))
        return false;
    size_t i = 1;
    while (i < a.n && b[i] && to_upper(a.p[i]) == to_upper(b[i]))
        i++;
    return i == a.n && !b[i];
}

static bool is_abbreviation(struct str s)
{
    for (size_t i = 0; i < sizeof abbreviations / sizeof abbreviations[0]; i++)
        if (same_word(s, abbreviations[i]))
            return true;
    return false;
}

static struct str last_word(struct str kind)
{
    size_t start = 0;
    for (size_t i = 1; i < kind.n; i++)
        if (is_upper(kind.p[i]) && (!is_upper(kind.p[i - 1]) || is_abbreviation(str_slice(kind, start, i))))
            start = i;
    return str_slice(kind, start, kind.n);
}

static struct str replace_end(struct arena *a, struct str kind, size_t drop, const char *end)
{
    return arena_lower(a, arena_printf(a, STR_FMT "%s", STR_ARG(str_slice(kind, 0, kind.n - drop)), end));
}

static bool is_plural_word(const struct word *w, struct str last)
{
    return !(w->only & ONE_WAY) && (same_word(last, w->many) || (w->also && same_word(last, w->also)));
}

/*
 * An abbreviation is converted to capitals before its ending is checked, so only the ending "S" applies. Those tools then fail to
 * cut off text that was not in capitals ("Ips" becomes ipsipses); since clusters have such names, this stays.
 */
static struct str plural_of_abbreviation(struct arena *a, struct str kind, struct str last)
{
    bool capitals = true;
    for (size_t i = 0; i < last.n; i++)
        capitals &= last.p[i] == to_upper(last.p[i]);
    if (to_upper(last.p[last.n - 1]) != 'S')
        return replace_end(a, kind, 0, "s");
    return replace_end(a, kind, 0, capitals ? "es" : arena_printf(a, STR_FMT "es", STR_ARG(last)).p);
}

struct str xp_name_plural(struct arena *a, struct str kind)
{
    struct str last = last_word(kind);
    if (last.n == 0)
        return kind;
    if (is_abbreviation(last))
        return plural_of_abbreviation(a, kind, last);
    for (size_t i = 0; i < N_WORDS; i++)
        if (is_plural_word(&words[i], last))
            return arena_lower(a, kind);
    for (size_t i = 0; i < N_WORDS; i++)
        if (same_word(last, words[i].one))
            return replace_end(a, kind, last.n, words[i].many);
    for (size_t i = N_WORDS; i-- > 0;) {
        const struct word *w = &words[i];
        if (w->only & ONLY_WORD)
            continue;
        if (str_ends(last, str_of(w->many)))
            return arena_lower(a, kind);
        if (str_ends(last, str_of(w->one)))
            return replace_end(a, kind, strlen(w->one), w->many);
    }
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        if (str_ends(last, str_of(endings[i].many)))
            return arena_lower(a, kind);
        if (str_ends(last, str_of(endings[i].one)))
            return replace_end(a, kind, strlen(endings[i].one), endings[i].many);
    }
    return str_ends(last, STR("s")) ? arena_lower(a, kind) : replace_end(a, kind, 0, "s");
}
