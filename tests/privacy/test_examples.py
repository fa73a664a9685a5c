"""Every example in a docstring runs, and every mechanism and estimator of a curator has one."""

import doctest
import importlib
import pkgutil

import pytest

import userdp.central
import userdp.privacy
from faces import public
from mechanisms import TABLE

MODULES = [
    importlib.import_module(module.name)
    for wing in (userdp.privacy, userdp.central)
    for module in pkgutil.iter_modules(wing.__path__, f"{wing.__name__}.")
]
# what only makes a mechanism of another's budget is shown by that mechanism
MAKERS = {"central.histogram_noise", "central.release_noise"}


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_the_examples_print_what_they_say(module):
    assert doctest.testmod(module).failed == 0


def test_every_mechanism_has_an_example():
    promising = [name for name in TABLE if not name.startswith("local.") and name not in MAKERS]
    things = {name: public(*name.split(".")) for name in promising}
    assert len(things) > 20 and not [name for name, thing in things.items() if ">>>" not in thing.__doc__]
