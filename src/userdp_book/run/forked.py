"""Kernels forked from one process with the large libraries: seven seconds less a page (nine, and two forked).

That process imports nothing of this project and nothing that starts a thread. jupyter_client finds the class
by the entry point ``userdp-forked``. There is no fork server on Windows, and forking is not safe with the
libraries of macOS: there, as in ``make nbval``, a kernel is a fresh interpreter.
"""

import gc
import multiprocessing
import os
import sys
from threading import Thread

from jupyter_client.provisioning import LocalProvisioner

NAME = "userdp-forked"
LIBRARIES = (
    "ipykernel.kernelapp",
    "joblib",
    "matplotlib.pyplot",
    "mpmath",
    "numba",
    "pandas",
    "scipy.integrate",
    "scipy.optimize",
    "scipy.stats",
    "seaborn",
)


def offer() -> None:
    """Let the kernels of this process be forked, where that is safe."""
    if sys.platform == "linux":
        # As ipykernel sets it: matplotlib looks at it when it is imported.
        os.environ.setdefault("MPLBACKEND", "module://matplotlib_inline.backend_inline")
        os.environ["JUPYTER_DEFAULT_PROVISIONER_NAME"] = NAME
        multiprocessing.get_context("forkserver").set_forkserver_preload(list(LIBRARIES))


class Kernel(multiprocessing.get_context("forkserver").Process if sys.platform == "linux" else object):
    """A kernel, which jupyter_client holds as if it were a ``subprocess.Popen``."""

    stdin = stdout = stderr = None

    def __init__(self, arguments: list[str], folder: str, environment: dict[str, str]):
        super().__init__()
        self.arguments, self.folder, self.environment = arguments, folder, environment
        # As a fresh kernel has it: without the folder where this process was started.
        self.path = [entry for entry in sys.path if entry not in ("", os.getcwd())]

    def run(self) -> None:
        import pandas
        from ipykernel.kernelapp import IPKernelApp

        os.setsid()
        os.chdir(self.folder)
        os.environ.clear()
        os.environ.update(self.environment)
        sys.path[:], sys.argv[:] = self.path, ["ipykernel_launcher", *self.arguments]
        # What has been imported is never garbage: no collection need go through it.
        gc.freeze()
        # Imported before IPython was there, it thinks itself in a terminal.
        pandas.options.display.max_columns = 20
        Thread(target=end_with_parent, daemon=True).start()
        IPKernelApp.launch_instance(argv=self.arguments, parent_handle=os.getppid())

    def poll(self) -> int | None:
        return self.exitcode

    def wait(self) -> int | None:
        self.join()
        return self.exitcode

    def send_signal(self, number: int) -> None:
        os.kill(self.pid, number)


def end_with_parent() -> None:
    """Wait until the process that asked for this one is gone: a kernel must not outlive it."""
    multiprocessing.parent_process().join()
    os._exit(1)


class Forked(LocalProvisioner):
    """Starts a kernel by a fork."""

    async def launch_kernel(self, cmd: list[str], **kwargs):
        arguments = cmd[cmd.index("ipykernel_launcher") + 1 :]
        self.process = Kernel(arguments, str(kwargs["cwd"]), kwargs["env"])
        self.process.start()
        self.pid = self.pgid = self.process.pid
        return self.connection_info
