"""``latentmap completion``: a script that completes the commands in a shell."""

import argparse

from latentmap.cli.parser import COMMANDS, command_parsers
from latentmap.cli.talk import Talk
from latentmap.methods import METHODS

_BASH = """\
# Completion of latentmap for bash: source <(latentmap completion bash)
_latentmap() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}}
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W "{commands}" -- "$word"))
        return
    fi
    if [ "$before" = --method ] || [ "$before" = -m ] || [ "${{COMP_WORDS[1]}}" = methods ]; then
        COMPREPLY=($(compgen -W "{methods}" -- "$word"))
        return
    fi
    case "$word" in -*) ;; *) COMPREPLY=($(compgen -f -- "$word")); return ;; esac
    case "${{COMP_WORDS[1]}}" in
{cases}
    esac
}}
complete -o filenames -F _latentmap latentmap
"""
_ZSH = """\
# Completion of latentmap for zsh: source <(latentmap completion zsh)
autoload -U +X bashcompinit && bashcompinit
"""


def add_arguments(parser: argparse.ArgumentParser, words: list[str]) -> None:
    """Add the arguments of the command."""
    parser.add_argument("shell", choices=["bash", "zsh"], help="the shell")


def run(options: argparse.Namespace, talk: Talk) -> int:
    """Run the command."""
    script = completion_script(options.shell)
    talk.say(script.rstrip("\n"))
    talk.give({"script": script})
    return 0


def completion_script(shell: str) -> str:
    """Return the script, with the options that the parsers have.

    Examples
    --------
    >>> "--picture-size" in completion_script("bash")
    True
    """
    cases = []
    for name, parser in command_parsers().items():
        options = [word for action in parser._actions for word in action.option_strings if word.startswith("--")]
        cases.append(f'        {name}) COMPREPLY=($(compgen -W "{" ".join(options)}" -- "$word")) ;;')
    bash = _BASH.format(commands=" ".join(COMMANDS), methods=" ".join(METHODS), cases="\n".join(cases))
    return bash if shell == "bash" else _ZSH + bash
