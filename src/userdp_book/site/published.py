"""What a machine reads: claims, faults, statements and displays as JSON, and what each page says of itself.

Every record has its key and its address in the book; ``_static/schema.json`` says what the fields mean.
"""

import csv
import json
from html import escape
from importlib.resources import files
from pathlib import Path

import userdp
from userdp_papers.study.claims import displays, faults, statements, verdicts

from . import SAFE
from .claims import anchor, collect
from .links import box

LICENCE = "https://creativecommons.org/licenses/by/4.0/"
SCHEMA, WHOLE = "_static/schema.json", "book/reproduce/dataset"
AUTHOR = {"@type": "Organization", "name": "the contributors"}


def withdrawn() -> list[dict]:
    """Claims that once stood in the book as refuted and no longer do: key, and how they read then."""
    path = files("userdp_papers") / "study" / "judgement" / "withdrawn.csv"
    return list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))


def claims_of(env) -> list[dict]:
    """Each claim once, with its numbers and the page that checks it."""
    found: dict[str, dict] = {}
    for claim in collect(Path(env.srcdir)):
        address = f"{claim.page.docname}.html#{anchor(claim['key'])}"
        found.setdefault(claim["key"], {"address": address} | claim.data)
    return list(found.values())


def faults_of(env) -> list[dict]:
    """Each slip, with the claims that show it."""
    claims = claims_of(env)
    return [
        {
            "key": key,
            "address": f"book/reproduce/corrections.html#fault-{key}",
            "paper": statements()[fault["statement"]]["paper"],
            **fault,
            "claims": [claim["key"] for claim in claims if claim.get("fault") == key],
            "evidence": sorted({claim["evidence"] for claim in claims if claim.get("fault") == key}),
        }
        for key, fault in faults().items()
    ]


def boxed(env, records: dict[str, dict]) -> list[dict]:
    """Records with the address of their box, or with none where no page has one."""
    places = {key: box(env, key) for key in records}
    return [
        {"key": key, "address": "{}.html#{}".format(*place) if (place := places[key]) else None, **record}
        for key, record in records.items()
    ]


def published(env) -> dict[str, list[dict]]:
    """What each file has, by its name."""
    judged = {id: row | verdicts()[id] for id, row in statements().items()}
    return {
        "claims": claims_of(env),
        "faults": faults_of(env),
        "withdrawn": withdrawn(),
        "statements": boxed(env, judged),
        "displays": boxed(env, displays()),
    }


def write(app, error) -> None:
    """One file a kind, beside the pages."""
    if error or app.builder.format != "html":
        return
    for name, records in published(app.env).items():
        head = {"schema": SCHEMA, "kind": name, "version": userdp.__version__, "licence": LICENCE}
        text = json.dumps({**head, "records": records}, ensure_ascii=False, indent=1)
        (Path(app.outdir) / f"{name}.json").write_text(text + "\n", encoding="utf-8")


def about(app, pagename: str, title: str) -> dict:
    """The page in the words of schema.org: a chapter of a book, or the data set."""
    base = app.config.ogp_site_url or ""
    data = {"@context": "https://schema.org", "@type": "Chapter", "name": title, "author": AUTHOR}
    data |= {"license": LICENCE, "version": userdp.__version__, "inLanguage": "en-GB"}
    data |= {"isPartOf": {"@type": "Book", "name": app.config.project}}
    data |= {"url": f"{base.rstrip('/')}/{pagename}.html"} if base else {}
    if pagename == WHOLE:
        part = {"@type": "DataDownload", "encodingFormat": "application/json"}
        names = ("claims", "faults", "withdrawn", "statements", "displays")
        files = [part | {"contentUrl": f"{base}{name}.json"} for name in names]
        data |= {"@type": "Dataset", "distribution": files}
    return data


def tag(app, pagename: str, templatename: str, context: dict, doctree) -> None:
    """Tags for catalogues and for programs that collect references."""
    if doctree is None:
        return
    title = app.env.titles[pagename].astext()
    data = about(app, pagename, title)
    tags = {"title": title, "author": AUTHOR["name"], "inbook_title": app.config.project, "language": "en"}
    tags |= {"public_url": data["url"]} if "url" in data else {}
    shown = [f'<meta name="citation_{name}" content="{escape(text)}"/>' for name, text in tags.items()]
    said = json.dumps(data, ensure_ascii=False).replace("</", "<\\/")
    context["metatags"] += "\n".join([*shown, f'<script type="application/ld+json">{said}</script>', ""])


def setup(app) -> dict:
    app.connect("html-page-context", tag)
    app.connect("build-finished", write)
    return SAFE
