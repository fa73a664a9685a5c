"""What the site offers to machines: files that fit their schema, addresses and keys, tags of a page."""

import json
import subprocess
from copy import deepcopy
from types import SimpleNamespace

import jsonschema
import pytest
from docutils import nodes

from userdp_book.site import claims, look, published
from userdp_papers.study.claims import displays, faults, judgements, statements
from withdrawn import rows

SCHEMA = json.loads((look.STATIC / "schema.json").read_text(encoding="utf8"))


@pytest.fixture(scope="module")
def files(root, tmp_path_factory):
    """What a build writes; here no page has a box."""
    folder = tmp_path_factory.mktemp("site")
    domain = SimpleNamespace(anonlabels={"dame-eq-12": ("book/dame/upper-bound", "dame-eq-12")}, equations={})
    env = SimpleNamespace(srcdir=root, proof_list={}, get_domain=lambda name: domain)
    builder = SimpleNamespace(format="html")
    published.write(SimpleNamespace(env=env, builder=builder, outdir=folder), None)
    return {path.stem: json.loads(path.read_text(encoding="utf8")) for path in folder.glob("*.json")}


def test_every_file_fits_the_schema(files):
    assert files.keys() == set(SCHEMA["properties"]["kind"]["enum"])
    for file in files.values():
        jsonschema.validate(file, SCHEMA)


@pytest.mark.parametrize(
    ("kind", "field", "wrong"),
    [
        ("claims", "verdict", "true"),
        ("claims", "address", None),
        ("faults", "severity", "grave"),
        ("faults", "claims", []),
        ("displays", "status", "fine"),
        ("statements", "key", "Lemma 1"),
    ],
)
def test_a_record_that_says_something_else_does_not_fit(files, kind, field, wrong):
    planted = deepcopy(files[kind])
    planted["records"][0][field] = wrong
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(planted, SCHEMA)


def test_nothing_is_left_out_and_nothing_twice(files):
    keys = {kind: [record["key"] for record in file["records"]] for kind, file in files.items()}
    assert all(len(found) == len(set(found)) for found in keys.values())
    assert set(keys["faults"]) == faults().keys() and set(keys["statements"]) == statements().keys()
    assert set(keys["displays"]) == displays().keys() and set(keys["claims"]) <= judgements().keys()


def test_an_address_is_a_page_and_an_anchor(files):
    found = {record["key"]: record["address"] for record in files["claims"]["records"]}
    assert all(address.endswith(f".html#claim-{key}") for key, address in found.items())
    boxes = {record["key"]: record["address"] for record in files["statements"]["records"]}
    assert boxes["dame-eq-12"] == "book/dame/upper-bound.html#dame-eq-12" and boxes["kent-thm-1"] is None


def test_what_was_withdrawn_is_refuted_no_more(files):
    for record in files["withdrawn"]["records"]:
        assert judgements().get(record["key"], {}).get("verdict") != "refuted", record["key"]


@pytest.mark.slow
def test_the_history_says_what_was_withdrawn(files, root):
    asked = ["git", "rev-parse", "--is-shallow-repository"]
    depth = subprocess.run(asked, cwd=root, capture_output=True, text=True)
    if depth.stdout.strip() != "false":
        pytest.skip("the clone does not have the whole history")
    assert [list(record.values()) for record in files["withdrawn"]["records"]] == rows()


def test_a_box_shows_its_key_and_leads_to_itself():
    claim = dict.fromkeys(claims.OPTIONAL) | {"verdict": "holds", "key": "none", "claim": "It holds."}
    address = nodes.reference("", "dame-thm-1.2", refuri="#claim-dame-thm-1.2")
    box = claims.claim_box(claim, nodes.Text("Theorem 1"), lambda text: [nodes.Text(text)], address)
    assert box[-1].astext() == "dame-thm-1.2" and next(box.findall(nodes.reference)) is address


@pytest.mark.parametrize(("page", "kind"), [("book/kent/floor", "Chapter"), (published.WHOLE, "Dataset")])
def test_a_page_tells_catalogues_what_it_is(page, kind):
    config = SimpleNamespace(ogp_site_url="https://there.example/", project="The book")
    env = SimpleNamespace(titles={page: nodes.title(text='Why "</script>" fails')})
    context = {"metatags": ""}
    published.tag(
        SimpleNamespace(config=config, env=env), page, "page.html", context, nodes.document(None, None)
    )
    tags, _, data = context["metatags"].partition('<script type="application/ld+json">')
    assert 'name="citation_title" content="Why &quot;&lt;/script&gt;&quot; fails"' in tags
    assert data.count("</script>") == 1
    said = json.loads(data.partition("</script>")[0])
    assert said["@type"] == kind and said["url"] == f"https://there.example/{page}.html"
    assert ("distribution" in said) == (kind == "Dataset")
