"""JupyterLab for tests; as a script it is the server, which lives no longer than its standard input is open."""

import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request

TIMEOUT = 60


class Lab:
    """A JupyterLab server on this machine, of this very Python, that sees nothing of the user's own settings.

    Parameters
    ----------
    folder : pathlib.Path
        An empty one, for its settings, its notebooks and its log.

    Attributes
    ----------
    notebooks, connections : pathlib.Path
        The folders of the notebooks, and of the files that say how each kernel is reached.
    """

    def __init__(self, folder):
        self.notebooks, self.connections = folder / "notebooks", folder / "runtime"
        self._settings, self._log = folder / "settings", folder / "log.txt"
        self._token, port = secrets.token_hex(), free_port()
        self.url = f"http://127.0.0.1:{port}/"
        self.notebooks.mkdir()
        # Else it asks whether it may fetch the news, on top of the notebook.
        self.write_settings("apputils-extension/notification", fetchNews="false", checkForUpdates=False)
        self._process = self._start(folder, port)
        try:
            self._wait_until_it_answers()
        except BaseException:
            self.stop()
            raise

    def _start(self, folder, port):
        others = {name: value for name, value in os.environ.items() if not name.startswith(("JUPYTER", "IPYTHON"))}
        own = {
            "JUPYTER_CONFIG_DIR": folder / "config",
            "JUPYTER_DATA_DIR": folder / "data",
            "JUPYTER_RUNTIME_DIR": self.connections,
            "JUPYTERLAB_SETTINGS_DIR": self._settings,
            "JUPYTERLAB_WORKSPACES_DIR": folder / "workspaces",
            "IPYTHONDIR": folder / "ipython",
            "JUPYTER_TOKEN": self._token,
        }
        options = [
            "--no-browser",
            "--allow-root",
            "--ServerApp.ip=127.0.0.1",
            f"--ServerApp.port={port}",
            "--ServerApp.port_retries=0",  # whoever has taken the port meanwhile is not the server
            f"--ServerApp.root_dir={self.notebooks}",
            "--LabApp.expose_app_in_browser=True",
            "--JupyterNotebookApp.expose_app_in_browser=True",
        ]
        with self._log.open("w") as log:
            return subprocess.Popen(
                [sys.executable, __file__, *options],
                env=others | {name: str(value) for name, value in own.items()},
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    def _wait_until_it_answers(self):
        deadline = time.monotonic() + TIMEOUT
        while True:
            try:
                return self._ask("GET", "api/status")
            except OSError:
                if self._process.poll() is not None or time.monotonic() > deadline:
                    raise RuntimeError(f"JupyterLab does not start:\n{self._log.read_text()}") from None
            time.sleep(0.05)

    def _ask(self, method, path):
        headers = {"Authorization": f"token {self._token}"}
        request = urllib.request.Request(self.url + path, method=method, headers=headers)
        with urllib.request.urlopen(request, timeout=TIMEOUT) as response:
            return response.read()

    def write_settings(self, plugin, **settings):
        """Settings of one of JupyterLab's plugins, for every page that is opened from now on."""
        path = self._settings / "@jupyterlab" / f"{plugin}.jupyterlab-settings"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(settings))

    def address(self, notebook, app="lab"):
        """Where a notebook is shown alone and nothing is remembered of pages before; or, as app, "notebook"."""
        page = {"lab": f"lab/workspaces/{notebook}/tree", "notebook": "notebooks"}[app]
        return f"{self.url}{page}/{notebook}.ipynb?token={self._token}"

    def shut_down_kernels(self):
        for kernel in json.loads(self._ask("GET", "api/kernels")):
            self._ask("DELETE", f"api/kernels/{kernel['id']}")

    def stop(self):
        """The server and its kernels are gone when this returns."""
        self._process.stdin.close()
        try:
            self._process.wait(TIMEOUT)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def stop_with_the_tests():
    """End in good order, kernels first, when the process that started this one lets go of it, or has been killed."""

    def wait():
        sys.stdin.read()
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=wait, daemon=True).start()


if __name__ == "__main__":
    from jupyterlab.labapp import main

    stop_with_the_tests()
    main()
