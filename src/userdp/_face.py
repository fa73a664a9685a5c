"""What a wing shows: the names that its modules list, once each."""

import sys


def offered(wing: str) -> list[str]:
    """Return the names that the modules of a wing, all imported by now, have in their ``__all__``."""
    modules = [module for name, module in sys.modules.items() if name.startswith(f"{wing}.")]
    return [name for module in modules for name in getattr(module, "__all__", ())]
