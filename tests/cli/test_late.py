"""Parts of packages that a command leaves unloaded are there for who uses them."""

import subprocess
import sys


def printed(code, checkout):
    done = subprocess.run([sys.executable, "-c", code], cwd=checkout, capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_a_command_loads_none_of_what_nobody_uses(checkout):
    code = ("import runpy, sys; sys.argv = ['mtsig', 'compare', '--demo-segments', '60', '--trials', '99', "
            "'--out', '/dev/null']\n"
            "try: runpy.run_module('mtsig_core', run_name='__main__')\n"
            "except SystemExit as end: print(end.code)\n"
            "from mtsig_core.cli.main import UNUSED\n"
            "print('scipy.special' in sys.modules, *(name + '.' for name in UNUSED if any(other.startswith(name + '.') "
            "for other in sys.modules)))")
    assert printed(code, checkout) == ["0", "True"]


def test_it_is_loaded_by_its_first_use(checkout):
    code = ("import sys; from mtsig_core.cli.late import load_when_used\n"
            "load_when_used('numpy.f2py', 'numpy.no_such_part', 'numpy.linalg')\n"
            "import numpy; print('numpy.f2py.f2py2e' in sys.modules)\n"
            "print(numpy.f2py.get_include.__name__, numpy.linalg.det([[3]]).round(3))\n"
            "print('numpy.f2py.f2py2e' in sys.modules, 'numpy.no_such_part' in sys.modules)")
    assert printed(code, checkout) == ["False", "get_include", "3.0", "True", "False"]
