"""Checks as JUnit XML, which most build servers show as a test report."""

import re
import xml.etree.ElementTree as ET

from nerscope.errors import UsageError
from nerscope.render.document import ERROR, OUTPUTS, Check, Document, OutputFormat, escape_controls

_OK = "ok"
_NO_XML = re.compile("[\ud800-\udfff\ufffe\uffff]")  # what XML cannot even refer to


def as_junit(document: Document) -> str:
    """One test case per check: failed, passed, an error, or skipped if undecided but allowed."""
    if document.checks is None:
        raise UsageError("--format junit", "there are no verdicts to show", "use it with gate")
    counts = {
        "tests": len(document.checks),
        "failures": sum(check.failed and check.outcome != ERROR for check in document.checks),
        "errors": sum(check.outcome == ERROR for check in document.checks),
        "skipped": sum(_is_skipped(check) for check in document.checks),
    }
    totals = {key: str(count) for key, count in counts.items()}
    root = ET.Element("testsuites", totals)
    suite = ET.SubElement(root, "testsuite", {"name": "nerscope gate", **totals})
    for check in document.checks:
        _add_case(suite, check)
    ET.indent(root, " ")
    # As ASCII with references, so that it is well-formed in whatever encoding it is printed.
    data: bytes = ET.tostring(root, encoding="us-ascii", xml_declaration=True)
    return data.decode("ascii") + "\n"


def _is_skipped(check: Check) -> bool:
    return check.outcome != _OK and not check.failed


def _add_case(suite: ET.Element, check: Check) -> None:
    names = {"classname": _plain(check.group), "name": _plain(check.name)}
    case = ET.SubElement(suite, "testcase", names)
    facts = ET.SubElement(case, "properties")
    for key, value in check.facts.items():
        if value is not None:
            ET.SubElement(facts, "property", {"name": _plain(key), "value": _plain(str(value))})
    message = _plain(check.message)
    if check.failed:
        kind = {"message": message, "type": check.outcome}
        ET.SubElement(case, ERROR if check.outcome == ERROR else "failure", kind).text = message
    elif _is_skipped(check):
        ET.SubElement(case, "skipped", {"message": f"{check.outcome}: {message}"})
    else:
        ET.SubElement(case, "system-out").text = message


def _plain(text: str) -> str:
    """Text that XML can hold: control characters are spelt out."""
    return _NO_XML.sub(lambda sign: ascii(sign[0])[1:-1], escape_controls(text))


OUTPUTS.add(
    "junit",
    OutputFormat(
        as_junit,
        "JUnit XML",
        "JUnit XML",
        "Checks as a test report, which most build servers show.",
    ),
    built_in=True,
    rank=70,
)
