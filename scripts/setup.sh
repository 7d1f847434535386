# shellcheck shell=sh
# For the other scripts, which source it from the repository root: `. scripts/setup.sh`
#
#   setup UV_SYNC_ARGS...  leaves a ready environment in $venv, with exactly the versions that uv.lock names
#   setup_torch            after setup: installs torch's CPU build, if pip finds one; uv.lock has the CUDA build's gigabytes
#   setup_spatialdata      leaves an environment with spatialdata in $venv-spatialdata, as it holds other packages back
#   setup_screen           after setup: sees to it that Qt can draw on a virtual screen (Linux; elsewhere there is always one)
#   setup_browser          after setup: sees to it that there is a Chromium or Chrome, where one can be installed
#   setup_node             sees to it that there are Node.js and the tools that js/package-lock.json names, where they can be
#                          installed
#
# uv's own variables are honoured: UV_PROJECT_ENVIRONMENT, UV_PYTHON, UV_CACHE_DIR and the rest.

venv=${UV_PROJECT_ENVIRONMENT:-.venv}

fail() {
    printf '%s\n' "$@" >&2
    exit 1
}

install_packages() {
    command -v apt-get >/dev/null || fail "System packages are missing. Please install what Debian calls" "  $*" "then start again."
    [ "$(id -u)" = 0 ] || fail "System packages are missing. Please run this line, then start again:" \
        "  sudo apt-get update && sudo apt-get install -y --no-install-recommends $*"
    echo "Installing with apt-get: $*"
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq
    apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

find_python() {
    for python in python3.13 python3.12 python3.11 python3; do
        # Run, not only looked up: a version manager's shim is on PATH even where its Python is switched off.
        "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && return
    done
    fail "latentmap needs Python 3.11 or newer, and there is none on the PATH. Please install one, then start again."
}

find_uv() {
    uv=$(command -v uv) && "$uv" --version >/dev/null 2>&1 && return
    uv=$PWD/.venv-uv/bin/uv
    [ -x "$uv" ] && return
    find_python
    "$python" -c 'import ensurepip' 2>/dev/null || install_packages python3-venv
    echo "Installing uv into .venv-uv with $("$python" --version)"
    "$python" -m venv .venv-uv
    .venv-uv/bin/python -m pip install --quiet --disable-pip-version-check uv
}

setup() {
    find_uv
    export UV_PYTHON_DOWNLOADS="${UV_PYTHON_DOWNLOADS:-never}"
    export UV_SYSTEM_CERTS="${UV_SYSTEM_CERTS:-true}" # as pip and git do: behind an institute's proxy uv's own list fails
    "$uv" python find >/dev/null 2>&1 || find_python
    # A new environment is compiled at once, by all cores. In one that is there already that looks at every file again.
    [ -x "$venv/bin/python" ] || set -- --compile-bytecode "$@"
    echo "Installing into $venv what uv.lock names: uv sync --frozen $*"
    "$uv" sync --frozen "$@"
}

setup_torch() {
    case $(uname) in Linux) build=2.13.0+cpu ;; *) build=2.13.0 ;; esac
    echo "Installing torch $build for the tests of the GPU option"
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check "torch==$build" 2>/dev/null ||
        echo "pip finds no such build here, so these tests will skip. Install any torch into $venv to have them run."
}

setup_spatialdata() {
    (
        export UV_PROJECT_ENVIRONMENT="$venv-spatialdata"
        venv=$UV_PROJECT_ENVIRONMENT
        setup --no-default-groups --group spatialdata --all-extras --no-extra gpu
    )
}

draw_on_virtual_screen() {
    xvfb-run --auto-servernum "$venv/bin/python" - 2>&1 <<'PYTHON'
import sys
from qtpy.QtGui import QGuiApplication, QOffscreenSurface, QOpenGLContext

app, context, surface = QGuiApplication([]), QOpenGLContext(), QOffscreenSurface()
surface.create()
sys.exit(0 if context.create() and context.makeCurrent(surface) else "Qt finds no OpenGL on the virtual screen.")
PYTHON
}

setup_screen() {
    [ "$(uname)" = Linux ] || return 0
    export QT_QPA_PLATFORM=xcb # The other platforms have no OpenGL without a screen, and napari's canvas stays black.
    draw_on_virtual_screen >/dev/null && return
    install_packages xvfb xauth libegl1 libgl1 libxkbcommon0 libdbus-1-3 libfontconfig1 libglib2.0-0 \
        libxcb-cursor0 libxcb-icccm4 libxcb-keysyms1 libxkbcommon-x11-0 libxcb-shape0
    draw_on_virtual_screen || fail "Qt cannot draw on a virtual screen; its own message stands above."
}

find_browser() {
    "$venv/bin/python" tests/jupyter/chromium.py
}

# Ubuntu has no such package, only a snap.
has_chromium_package() {
    [ "$(uname)" = Linux ] && ! grep -qx ID=ubuntu /etc/os-release 2>/dev/null
}

setup_browser() {
    find_browser && return
    [ -z "${LATENTMAP_CHROMIUM:-}" ] || fail "LATENTMAP_CHROMIUM names no browser that starts: $LATENTMAP_CHROMIUM"
    if has_chromium_package; then
        install_packages chromium
        find_browser || fail "Chromium is installed, but does not start."
    else
        echo "There is no Chromium or Chrome here, so the tests in a browser will skip. Install one to have them run."
    fi
}

has_node() {
    node -e 'process.exit(parseInt(process.versions.node) < 18 ? 1 : 0)' 2>/dev/null && npm --version >/dev/null 2>&1
}

setup_node() {
    if ! has_node && command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
        install_packages nodejs npm || :
    fi
    if ! has_node; then
        echo "There is no Node.js 18 or newer with npm here, so the tests of the browser's scripts will skip. To have them run:" \
            "  sudo apt-get update && sudo apt-get install -y --no-install-recommends nodejs npm"
        return
    fi
    npm ls --prefix js >/dev/null 2>&1 && return
    echo "Installing into js/node_modules what js/package-lock.json names"
    # Not `npm ci`, which refuses a lock file that lacks a tool for some other system.
    npm install --prefix js --ignore-scripts --no-save --no-audit --no-fund --silent ||
        echo "npm cannot install these tools here, so the tests of the browser's scripts will skip."
}
