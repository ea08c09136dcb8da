"""The list of mutants fits the code as it is; `make mutants` runs it."""

from tests.mutants import ROOT, mutate, read_mutants


def test_each_mutant_changes_one_place_and_names_tests_that_exist():
    for mutant in read_mutants():
        original = (ROOT / mutant["file"]).read_text(encoding="utf-8")
        compile(mutate(original, mutant), mutant["file"], "exec")
        for test in mutant["tests"]:
            file, *names = test.split("[")[0].split("::")
            text = (ROOT / file).read_text(encoding="utf-8")
            assert all(f"def {name}(" in text or f"class {name}" in text for name in names), test
