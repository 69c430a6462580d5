"""What a store holds, and the JavaScript that reads the same from a page."""

import json
import sqlite3


def store_rows(store):
    """Rows of the view `results` as dictionaries."""
    connection = sqlite3.connect(store)
    connection.row_factory = sqlite3.Row
    rows = [dict(row) for row in connection.execute("SELECT * FROM results ORDER BY point, row")]
    connection.close()
    return rows


# Of each row of the table: its number, and each metric's number by the heading of its column.
TABLE = """[...document.querySelectorAll('#points tbody tr')].map((line) => [Number(line.dataset.row), Object.fromEntries(
  [...line.cells].map((cell, index) => [document.querySelectorAll('#points thead button')[index].firstChild.textContent,
    cell.querySelector('data')]).filter(([, number]) => number).map(([name, number]) => [name, Number(number.value)]))])"""
LABELS = "Object.fromEntries(data.metrics.train.map((metric) => [metric.label, metric.key]))"


def chart(title):
    return f"[...document.querySelectorAll('figure')].find((one) => one.querySelector('b').textContent === {json.dumps(title)})"


def values_of(title):
    return f"[...{chart(title)}.querySelectorAll('[data-value]')].map((mark) => Number(mark.dataset.value))"
