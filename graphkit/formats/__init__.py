"""Reading and writing: question graphs in several notations, evidence, facts, relation sheets."""

from graphkit.formats.evidence import read_evidence, write_evidence
from graphkit.formats.facts import find_sheet, read_facts, read_sheet
from graphkit.formats.import_report import Diagnostic, ImportReport, import_questions
from graphkit.formats.lenient import LenientResult, Repair, parse_model_output
from graphkit.formats.notation import Feature, Notation
from graphkit.formats.question_json import graph_from_data
from graphkit.formats.reading import Reading
from graphkit.formats.registry import (
    NOTATIONS,
    notation,
    parse_questions,
    read_questions,
    write_questions,
)
from graphkit.formats.schema import register_schema, schema, schema_names
from graphkit.formats.triples import read_triples
from graphkit.formats.writing import atomic_writer, write_bytes, write_text

__all__ = [
    "NOTATIONS",
    "Diagnostic",
    "Feature",
    "ImportReport",
    "LenientResult",
    "Notation",
    "Reading",
    "Repair",
    "atomic_writer",
    "find_sheet",
    "graph_from_data",
    "import_questions",
    "notation",
    "parse_model_output",
    "parse_questions",
    "read_evidence",
    "read_facts",
    "read_questions",
    "read_sheet",
    "read_triples",
    "register_schema",
    "schema",
    "schema_names",
    "write_bytes",
    "write_evidence",
    "write_questions",
    "write_text",
]
