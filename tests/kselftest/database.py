# SPDX-License-Identifier: GPL-2.0
"""Says how many transactions a database has, all of them whole, or fails; then adds to them until it is killed.

  database.py DATABASE NOTES LIVES LIFE

Prints how many there are, and how many somebody was told of before power was cut: NOTES is a device that has the
number in its first bytes.  Then it reads a journal mode of SQLite's from its standard input, and goes on in it.

Transaction N adds row N, changes an older one, removes that of KEPT transactions before, and counts itself.  What is in
a row follows from its number, the transaction and the life that it was written in; LIVES has each life's number,
and how many transactions there were when it began.
"""

from __future__ import annotations

import hashlib
import mmap
import os
import sqlite3
import sys

KEPT = 64
# Some rows do not fit into a page.
MOST_BYTES = 6000
# So that a write-ahead log comes to its end again and again.
LOG_PAGES = 30
NOTE_BYTES = 8
DRAWN_BYTES = 8
COUNT = "PRAGMA user_version"
SCHEMA = ("CREATE TABLE rows (number INTEGER PRIMARY KEY, written INTEGER, content BLOB)",
          "CREATE UNIQUE INDEX by_time ON rows (written, number)")

History = list[tuple[int, int]]
Rows = dict[int, tuple[int, bytes]]


def chance(size: int, *words: int) -> bytes:
    return hashlib.shake_128(repr(words).encode()).digest(size)


def draw(most: int, *words: int) -> int:
    return int.from_bytes(chance(DRAWN_BYTES, *words), "little") % most


def content(number: int, written: int, history: History) -> bytes:
    words = number, written, [life for life, begun in history if begun < written][-1]
    return chance(draw(MOST_BYTES, *words), *words)


def older(transaction: int) -> int:
    """The row that it changes, if there is one."""
    first = max(1, transaction - KEPT + 1)
    return first + draw(max(1, transaction - first), transaction)


def wanted(transactions: int, history: History) -> Rows:
    """What there has to be after so many."""
    first = max(1, transactions - KEPT + 1)
    written = {}
    for transaction in range(first, transactions + 1):
        written[older(transaction)] = written[transaction] = transaction
    return {number: (written[number], content(number, written[number], history))
            for number in range(first, transactions + 1)}


def transact(database: sqlite3.Connection, transaction: int, history: History) -> None:
    changed = older(transaction)
    database.execute("BEGIN")
    database.execute("INSERT INTO rows VALUES (?, ?, ?)",
                     (transaction, transaction, content(transaction, transaction, history)))
    if changed < transaction:
        database.execute("UPDATE rows SET written = ?, content = ? WHERE number = ?",
                         (transaction, content(changed, transaction, history), changed))
    database.execute("DELETE FROM rows WHERE number = ?", (transaction - KEPT,))
    database.execute(f"{COUNT} = {transaction}")
    database.execute("COMMIT")


class Notes:
    """Past the page cache."""

    def __init__(self, path: str) -> None:
        self.device = os.open(path, os.O_RDWR | os.O_DIRECT)
        self.buffer = mmap.mmap(-1, mmap.PAGESIZE)

    def read(self) -> int:
        os.preadv(self.device, [self.buffer], 0)
        return int.from_bytes(self.buffer[:NOTE_BYTES], "little")

    def write(self, number: int) -> None:
        self.buffer[:NOTE_BYTES] = number.to_bytes(NOTE_BYTES, "little")
        os.pwrite(self.device, self.buffer, 0)


def look(database: sqlite3.Connection, history: History) -> int:
    """How many transactions there are; ends the program if something is wrong."""
    transactions = database.execute(COUNT).fetchone()[0]
    faults = [fault for fault, in database.execute("PRAGMA integrity_check") if fault != "ok"]
    want = wanted(transactions, history)
    found = {number: (written, data) for number, written, data in database.execute("SELECT * FROM rows")}
    faults += [f"row {number} is not as a transaction has left it"
               for number in sorted(want.keys() | found.keys()) if found.get(number) != want.get(number)]
    if faults:
        sys.exit("\n".join([f"{transactions} transactions", *faults]))
    return transactions


def main() -> None:
    path, device, lives, life = sys.argv[1:]
    database = sqlite3.connect(path, isolation_level=None)
    # after FULL alone, a journal that was removed may be there again: a commit is undone
    database.execute("PRAGMA synchronous = EXTRA")
    database.execute(f"PRAGMA wal_autocheckpoint = {LOG_PAGES}")
    if int(life) == 1:
        for statement in SCHEMA:
            database.execute(statement)
    with open(lives, encoding="ascii") as file:
        history = [tuple(map(int, line.split())) for line in file]
    notes = Notes(device)
    transactions = look(database, history)
    print(transactions, notes.read(), flush=True)
    mode = sys.stdin.readline().strip()
    history.append((int(life), transactions))
    with open(lives, "a", encoding="ascii") as file:
        file.write(f"{life} {transactions}\n")
    notes.write(transactions)
    database.execute(f"PRAGMA journal_mode = {mode}")
    while True:
        transactions += 1
        transact(database, transactions, history)
        notes.write(transactions)


if __name__ == "__main__":
    main()
