/* terrane completion: scripts for shells. They only call `terrane __complete`. */
#include "cli/commands.h"

static const char bash_script[] = //
    "# bash completion for terrane: source <(terrane completion bash)\n"
    "_terrane() {\n"
    "    local word about how= cur=${COMP_WORDS[COMP_CWORD]}\n"
    "    [[ $cur == = ]] && cur=\n"
    "    COMPREPLY=()\n"
    "    while IFS=$'\\t' read -r word about; do\n"
    "        case $word in\n"
    "        :*) how=${word#:} ;;\n"
    "        *) COMPREPLY+=(\"$word\") ;;\n"
    "        esac\n"
    "    done < <(\"${COMP_WORDS[0]}\" __complete \"${COMP_WORDS[@]:1:COMP_CWORD}\" 2>/dev/null)\n"
    "    case $how in\n"
    "    files) compopt -o filenames; mapfile -t -O \"${#COMPREPLY[@]}\" COMPREPLY < <(compgen -f -- \"$cur\") ;;\n"
    "    folders) compopt -o filenames; mapfile -t -O \"${#COMPREPLY[@]}\" COMPREPLY < <(compgen -d -- \"$cur\") ;;\n"
    "    open) compopt -o nospace ;;\n"
    "    esac\n"
    "}\n"
    "complete -F _terrane terrane\n";

static const char zsh_script[] = //
    "#compdef terrane\n"
    "# zsh completion for terrane: source <(terrane completion zsh), or this file as _terrane in a folder of fpath\n"
    "_terrane() {\n"
    "    local line how\n"
    "    local -a found\n"
    "    while IFS= read -r line; do\n"
    "        case $line in\n"
    "        :*) how=${line#:} ;;\n"
    "        *$'\\t'*) found+=(\"${${line%%$'\\t'*}//:/\\\\:}:${line#*$'\\t'}\") ;;\n"
    "        *) found+=(\"${line//:/\\\\:}\") ;;\n"
    "        esac\n"
    "    done < <(\"${words[1]}\" __complete \"${(@)words[2,CURRENT-1]}\" \"$PREFIX\" 2>/dev/null)\n"
    "    case $how in\n"
    "    files) (( $#found )) && _describe -t words terrane found; _files ;;\n"
    "    folders) (( $#found )) && _describe -t words terrane found; _files -/ ;;\n"
    "    open) _describe -t words terrane found -S '' ;;\n"
    "    *) _describe -t words terrane found ;;\n"
    "    esac\n"
    "}\n"
    "if [[ $funcstack[1] == _terrane ]]; then\n"
    "    _terrane \"$@\"\n"
    "else\n"
    "    compdef _terrane terrane\n"
    "fi\n";

static const char fish_script[] = //
    "# fish completion for terrane: terrane completion fish | source\n"
    "function __terrane_complete\n"
    "    set -l words (commandline -opc)\n"
    "    set -l typed (commandline -ct)\n"
    "    for line in ($words[1] __complete $words[2..-1] \"$typed\" 2>/dev/null)\n"
    "        switch $line\n"
    "            case ':files'\n"
    "                __fish_complete_path \"$typed\"\n"
    "            case ':folders'\n"
    "                __fish_complete_directories \"$typed\"\n"
    "            case ':*'\n"
    "            case '*'\n"
    "                echo $line\n"
    "        end\n"
    "    end\n"
    "end\n"
    "complete -c terrane -f -a '(__terrane_complete)'\n";

static int run(struct app *app, const struct command *self, int argc, const char **argv)
{
    static const struct {
        const char *name, *script;
    } shells[] = {{"bash", bash_script}, {"zsh", zsh_script}, {"fish", fish_script}};
    const struct option options[] = {{0}};
    int n, code;
    if (!app_args(app, self, options, argc, argv, &n, &code))
        return code;
    for (size_t i = 0; n == 1 && i < sizeof shells / sizeof shells[0]; i++)
        if (strcmp(argv[0], shells[i].name) == 0)
            return app_print(app, str_of(shells[i].script)) ? EXIT_OK : EXIT_FAILED;
    return app_usage(app, self,
                     n == 1 ? "There is no completion for \"%s\"; expected bash, zsh or fish."
                            : "Name one shell%s: bash, zsh or fish.",
                     n == 1 ? argv[0] : "");
}

const struct command command_completion = {
    .name = "completion",
    .usage = "bash|zsh|fish",
    .summary = "print the script that completes commands in a shell",
    .details =
        "Commands, options and their values, files, providers that are installed, resource types of their schemas, and kinds\n"
        "and objects of the store.",
    .example = "  source <(terrane completion bash)\n"
               "  terrane completion fish >~/.config/fish/completions/terrane.fish",
    .run = run,
};
