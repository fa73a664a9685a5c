"""The proofs: nothing is assumed, each says what it is about, what is stored is true, wrong claims fail.

Without Coq the files are compared with what its last run stored; with Coq they are compiled and asked again,
and every theorem of ``broken_proofs.csv`` is made wrong and must then fail in its own proof.
"""

import csv
import re
import shutil
import subprocess
from fractions import Fraction
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import prove
from userdp_book.evidence import proofs
from userdp_papers.study.claims import faults, judgements, statements, theorems_for

THEOREMS = prove.theorems()
NAMED = {each["theorem"]: each for each in THEOREMS}
ABOUT = {id for each in THEOREMS for id in each["ids"]}
WHOLE = {id for each in THEOREMS for id in each["ids"] if each["whole"]}
ASSUMING = re.compile(r"\b(Admitted|admit|Axioms?|Parameters?|Conjecture|Unset|bypass_check)\b")
COMMENT = re.compile(r"\(\*.*?\*\)", re.S)
PROOF = re.compile(r"^\s*Proof\b.*?\bQed\.", re.M | re.S)
# The real numbers are cuts of rationals, and what Coq's library says of these.
REALS = {
    "ClassicalDedekindReals.sig_not_dec",
    "ClassicalDedekindReals.sig_forall_dec",
    "FunctionalExtensionality.functional_extensionality_dep",
}
CLASSICAL = {"Classical_Prop.classic"}
MACHINE = re.compile(r"(PrimInt63|Uint63)\.(?!.*float)\w+")
with Path(__file__).with_name("broken_proofs.csv").open(encoding="utf8", newline="") as rows:
    BROKEN = list(csv.DictReader(rows))
with (proofs.ROOT / prove.MODEL).open(encoding="utf8", newline="") as rows:
    MODEL = list(csv.DictReader(rows))
# What the table of the model names of the package.
HOMES = ("privacy.reports", "privacy.choice", "privacy.noise", "central.mean", "central.histogram")
PACKAGE = {name: each for home in HOMES for name, each in vars(import_module(f"userdp.{home}")).items()}
PACKAGE |= {"log": np.log, "zeros": np.zeros, "default_rng": np.random.default_rng}
COQ = shutil.which("coqc")
with_coq = pytest.mark.skipif(not COQ, reason="Coq is not installed: coqc compiles the proofs")


def code(file):
    """A file without its comments."""
    return COMMENT.sub("", proofs.source(proofs.ROOT, file))


def computes(file):
    """Whether a file certifies by intervals, itself or through one that it imports."""
    required = re.findall(r"^From Userdp(?:\.(\w+))? Require Import (.*)\.$", code(file), re.M)
    named = ["/".join(filter(None, (room, each))) for room, names in required for each in names.split()]
    ours = [f"{each.replace('.', '/')}.v" for each in named]
    return "Interval" in code(file) or any(map(computes, ours))


# --- what can be seen without Coq ----------------------------------------------------------------------


def test_every_file_is_listed_once(root):
    found = sorted(path.relative_to(root / "proofs").as_posix() for path in (root / "proofs").rglob("*.v"))
    assert found == sorted(proofs.files()) and len(found) == len(set(found))


@pytest.mark.parametrize("file", proofs.files())
def test_nothing_is_assumed_or_left_open(file):
    assert ASSUMING.findall(code(file)) == []


@pytest.mark.parametrize("planted", ["Admitted.", "Axiom a : False.", "Parameter p : R.", "Proof. admit."])
def test_what_is_assumed_would_be_seen(planted):
    assert ASSUMING.search(planted)


def test_every_theorem_is_read_and_named_once():
    assert sum(code(file).count("\nTheorem ") for file in proofs.files()) == len(THEOREMS) == len(NAMED)


def test_every_theorem_is_about_statements_of_the_papers():
    assert statements().keys() >= ABOUT
    assert all(each["whole"] or each["what"] for each in THEOREMS), "a part is named"


@pytest.mark.parametrize("said", ["", "(* kent-lem-28 *)", "(* kent-lem-28 partly: so *)", "(* whole *)"])
def test_a_theorem_that_does_not_say_what_it_is_about_is_refused(said):
    text = f"{said}\nTheorem t : True.\nProof. exact I. Qed."
    with pytest.raises(ValueError, match="above t stands"):
        prove.read("A.v", prove.THEOREM.search(text))


def test_what_is_stored_is_what_the_files_say():
    stored = [{name: each[name] for name in THEOREMS[0]} for each in proofs.stored()]
    assert stored == THEOREMS


def test_there_are_as_many_as_we_say():
    assert len(THEOREMS) >= 186 and len(ABOUT) >= 76 and len(WHOLE) >= 39


@pytest.mark.parametrize("row", MODEL, ids=[row["term"] for row in MODEL])
def test_the_model_is_the_packages(row):
    value = float(Fraction(row["value"]))
    assert eval(row["python"], PACKAGE) == pytest.approx(value, rel=0, abs=1e-12)
    assert eval(row["wrong"], PACKAGE) != pytest.approx(value, rel=0, abs=1e-5)


def test_one_proof_a_paper_is_stored_with_its_goals():
    stepped = [each for each in proofs.stored() if "steps" in each]
    assert {each["ids"][0].partition("-")[0] for each in stepped} == {"kent", "dame", "cummings", "liu"}
    for each in stepped:
        said, goals = zip(*each["steps"], strict=True)
        text = proofs.source(proofs.ROOT, each["file"]).partition(each["statement"])[2].split("Qed.")[0]
        assert ["Proof.", *" ".join(said).split()] == text.split() and goals[-1] == "No more goals."


def test_a_reader_must_trust_two_hundred_lines_at_most():
    trusted = [each["text"] for each in proofs.definitions()]
    assert sum(len(text.splitlines()) for text in trusted) <= 200
    kinds = re.findall(r"^(?:Definition|Fixpoint|Inductive|Record)\b", "\n".join(trusted), re.M)
    written = "\n".join(proofs.source(proofs.ROOT, file) for file in proofs.core())
    assert kinds == re.findall(r"^(?:Definition|Fixpoint|Inductive|Record)\b", written, re.M)


def test_the_theorems_rest_on_accepted_axioms_alone():
    for each in proofs.stored():
        other = set(each["assumptions"]) - REALS - CLASSICAL
        assert all(computes(each["file"]) and MACHINE.fullmatch(name) for name in other), each["theorem"]


@pytest.mark.parametrize("name", ["PrimFloat.add", "Userdp.Privacy.cheat", "FloatAxioms.add_spec"])
def test_a_float_or_an_axiom_of_our_own_is_not_accepted(name):
    assert name not in REALS | CLASSICAL and not MACHINE.fullmatch(name)


def test_a_claim_names_theorems_about_its_own_statement():
    named = {key: theorems_for(key) for key in judgements() if theorems_for(key)}
    stored = {each["theorem"]: each["ids"] for each in proofs.stored()}
    wrong = [
        (key, name)
        for key, names in named.items()
        for name in names
        if key.rpartition(".")[0] not in stored.get(name, [])
    ]
    assert wrong == [] and len(named) >= 97


def test_what_is_called_machine_checked_names_a_theorem():
    called = {key for key, claim in judgements().items() if claim["evidence"] == "machine-checked"}
    assert all(theorems_for(key) for key in called) and len(called) >= 60


def test_every_broken_guarantee_is_turned_into_one_that_is_kept():
    broken = {key for key, fault in faults().items() if fault["severity"] == "privacy broken"}
    assert {row["broken"] for row in BROKEN if row["broken"]} == broken and len(BROKEN) >= 30


# --- what Coq says -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def compiled(root):
    prove.build(root)
    return root / prove.BUILD


@with_coq
@pytest.mark.slow
@pytest.mark.long
@pytest.mark.xdist_group("coq")
def test_coq_finds_what_is_stored(root, compiled):
    stored = proofs.stored(root)
    assert prove.checked(root, stored=stored) == stored and prove.model(root) == MODEL


def second_opinion(folder, files):
    """What Coq's independent checker says of compiled files, the libraries beneath taken as they are."""
    ours = [
        word for file in files for word in ("-norec", f"Userdp.{file.removesuffix('.v').replace('/', '.')}")
    ]
    command = ["coqchk", "-silent", "-o", "-R", ".", "Userdp", *ours]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stderr


@with_coq
@pytest.mark.slow
@pytest.mark.long
@pytest.mark.xdist_group("coq")
def test_the_independent_checker_accepts_every_file(compiled, tmp_path):
    said = second_opinion(compiled, proofs.files())
    assert "Userdp." not in said and said.count("<none>") == 3
    (tmp_path / "Cheat.v").write_text("Axiom cheat : False.")
    prove.say([COQ, "-q", "-R", ".", "Userdp", "Cheat.v"], tmp_path)
    assert "Userdp.Cheat.cheat" in second_opinion(tmp_path, ["Cheat.v"])


def only(text, kept):
    """A file up to the last of some theorems, with no proofs but theirs."""
    starts = [re.search(rf"^Theorem {name}\b", text, re.M).start() for name in kept]
    end = next(found.end() for found in PROOF.finditer(text) if found.start() > max(starts))
    own = {next(found.start() for found in PROOF.finditer(text) if found.start() > start) for start in starts}
    return PROOF.sub(lambda found: found[0] if found.start() in own else "\nAdmitted.", text[:end])


def compile_text(text, folder, compiled):
    """Whether Coq accepts a text, the line where it stops and what it says."""
    (folder / "tried.v").write_text(text, encoding="utf8")
    command = [COQ, "-q", "-w", "none", "-R", str(compiled), "Userdp", "tried.v"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600)
    at = re.search(r"line (\d+), characters.*?:\nError", done.stderr)
    return done.returncode == 0, int(at[1]) if at else 0, done.stderr


@with_coq
@pytest.mark.slow
@pytest.mark.long
@pytest.mark.xdist_group("coq")
@pytest.mark.parametrize("file", sorted({NAMED[row["theorem"]]["file"] for row in BROKEN}))
def test_the_same_theorems_compile_as_they_are(file, compiled, tmp_path):
    kept = {row["theorem"] for row in BROKEN if NAMED[row["theorem"]]["file"] == file}
    accepted, _, said = compile_text(only(proofs.source(proofs.ROOT, file), kept), tmp_path, compiled)
    assert accepted, said


@with_coq
@pytest.mark.slow
@pytest.mark.long
@pytest.mark.xdist_group("coq")
@pytest.mark.parametrize("row", BROKEN, ids=[f"{row['theorem']}-{row['right']}" for row in BROKEN])
def test_a_broken_theorem_fails_in_its_proof(row, compiled, tmp_path):
    theorem = NAMED[row["theorem"]]
    wrong = theorem["statement"].replace(row["right"], row["wrong"], 1)
    assert wrong != theorem["statement"]
    text = only(proofs.source(proofs.ROOT, theorem["file"]), {theorem["theorem"]})
    text = text.replace(theorem["statement"], wrong)
    proof = text[: text.index(wrong) + len(wrong)].count("\n") + 1
    accepted, line, said = compile_text(text, tmp_path, compiled)
    assert not accepted and line >= proof, said
