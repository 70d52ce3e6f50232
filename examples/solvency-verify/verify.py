#!/usr/bin/env python3
"""Verifies the answer of GET /v1/solvency?document=true, or the public document of a snapshot, with nothing but Python's standard library.

usage: verify.py ANSWER.json --tenant YOUR_TENANT_ID [--digest DIGEST_AS_PUBLISHED] [--signed-by KEY_AS_PUBLISHED]
       verify.py DOCUMENT.json [--digest DIGEST_AS_PUBLISHED] [--signed-by KEY_AS_PUBLISHED]

It exits with 0 where everything is right, and with 1 where anything is not. The format is described in docs/reference/solvency.md.
"""
import argparse
import hashlib
import json
import re
import sys

import ed25519

FORMAT = b"bursar-solvency-1"
UNITS_MAX = 2**128 - 1
LEAVES_MAX = 2**32
DECIMALS_MAX = 38
UNITS = re.compile(r"(?:0|[1-9][0-9]{0,38})\Z")
DECIMAL = re.compile(r"(?:0|[1-9][0-9]{0,38})(?:\.[0-9]{1,38})?\Z")
SIGNED = re.compile(r"(?:0|-?[1-9][0-9]{0,38})\Z")
HASH = re.compile(r"[0-9a-f]{64}\Z")
SIGNATURE = re.compile(r"[0-9a-f]{128}\Z")
LINE = re.compile(r"[^\x00-\x1f\x7f-\x9f\u2028\u2029]{1,500}\Z")
NAME = re.compile(r"[\x21-\x7e]{1,255}\Z")


class Wrong(Exception):
    """Something that is not as it has to be."""


def matches(form, text, what):
    if not isinstance(text, str) or form.match(text) is None:
        raise Wrong(f"{what} is not written as it has to be: {text!r}")
    return text


def units_of(text):
    units = int(matches(UNITS, text, "an amount"))
    if units > UNITS_MAX:
        raise Wrong("an amount is too large")
    return units


def hash_of(text):
    return bytes.fromhex(matches(HASH, text, "a hash"))


def count_of(value, least, most, what):
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise Wrong(f"{what} is not a number from {least} to {most}: {value!r}")
    return value


def name(text):
    encoded = matches(NAME, text, "a name").encode("ascii")
    return bytes([len(encoded)]) + encoded


def sixteen(units):
    return units.to_bytes(16, "big")


def sha256(kind, *parts):
    return hashlib.sha256(FORMAT + bytes([kind]) + b"".join(parts)).digest()


def leaf_hash(snapshot, currency, tenant, salt, units):
    return sha256(0x00, name(snapshot), name(currency), name(tenant), salt, sixteen(units))


def empty_hash(snapshot, currency):
    return sha256(0x02, name(snapshot), name(currency))


def parent(left, right):
    units = left[1] + right[1]
    if units > UNITS_MAX:
        raise Wrong("a sum is more than an amount may be")
    return sha256(0x01, left[0], sixteen(left[1]), right[0], sixteen(right[1])), units


def positive(units):
    return max(units, 0)


def check_parts(leaf, units):
    parts = {key: int(matches(SIGNED, text, key)) for key, text in leaf["parts"].items()}
    owed = sum(positive(parts[key]) for key in ("available", "held", "customers", "converting"))
    if positive(owed - positive(parts["own_addresses"])) != units:
        raise Wrong("the parts do not come to the amount of the leaf")


def check_shown(leaf, units):
    decimals = count_of(leaf["decimals"], 0, DECIMALS_MAX, "the number of decimals")
    whole, _, fraction = matches(DECIMAL, leaf["amount"], "an amount").partition(".")
    if len(fraction) > decimals or int(whole + fraction.ljust(decimals, "0")) != units:
        raise Wrong("the amount that is shown is not that of the leaf")


def check_signature(of, signed_by):
    key = matches(HASH, of["signature"]["key"], "a key")
    signature = matches(SIGNATURE, of["signature"]["signature"], "a signature")
    if signed_by is not None and key != signed_by:
        raise Wrong("another key than that of the service has signed the document")
    text = "\n".join(
        (
            "Proof of solvency. This text moves nothing and gives nobody a right.",
            "Service: " + matches(LINE, of["service"], "the name of the service"),
            "Snapshot: " + matches(NAME, of["snapshot_id"], "the id of the snapshot"),
            "Document: " + matches(HASH, of["digest"], "the digest"),
            "Taken: " + matches(LINE, of["taken_at"], "the time"),
        )
    )
    if not ed25519.is_signed(bytes.fromhex(key), bytes.fromhex(signature), text.encode("utf-8")):
        raise Wrong("the service has not signed the document")


def check_leaf(answer, leaf, tenant):
    snapshot, currency, tree = answer["snapshot_id"], leaf["currency"], leaf["tree"]
    if tree["currency"] != currency:
        raise Wrong("the tree is that of another currency")
    leaves = count_of(tree["leaves"], 1, LEAVES_MAX, "the number of leaves")
    depth = (leaves - 1).bit_length()
    index = count_of(leaf["index"], 0, leaves - 1, "the place of the leaf")
    if tree["depth"] != depth or len(leaf["path"]) != depth:
        raise Wrong("the path does not lead from a leaf to the root")
    units = units_of(leaf["units"])
    check_parts(leaf, units)
    check_shown(leaf, units)
    node = (leaf_hash(snapshot, currency, tenant, hash_of(leaf["salt"]), units), units)
    empty = (empty_hash(snapshot, currency), 0)
    for level, step in enumerate(leaf["path"]):
        beside = (hash_of(step["hash"]), units_of(step["units"]))
        if index % 2 == 1:
            node = parent(beside, node)
        else:
            # behind the last leaf there is nobody
            if (index + 1) << level >= leaves and beside != empty:
                raise Wrong("the tree is filled up with something that is not empty")
            node = parent(node, beside)
        empty = parent(empty, empty)
        index //= 2
    if node != (hash_of(tree["root"]), units_of(tree["total"])):
        raise Wrong("the leaf and its path do not lead to the root and the total that were published")


def canonical(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode("utf-8")


def digest(document, *members):
    return hashlib.sha256(canonical({key: document[key] for key in members})).hexdigest()


COMMITTED = ("format", "snapshot_id", "service", "environment", "taken_at", "currencies", "liabilities", "unattributed")
CONTENT = COMMITTED + ("commitment", "reserves", "unread", "statements", "summary")


def summary_of(document):
    sums = {entry["currency"]: {"owed": 0, "proven": 0, "unproven": 0, "stated": 0, "unattributed": 0} for entry in document["currencies"]}
    for entry in document["liabilities"]:
        sums[entry["currency"]]["owed"] += units_of(entry["total"])
    for reserve in document["reserves"]:
        column = "unproven" if reserve["proof"] is None else "proven"
        for entry in reserve["holdings"]:
            sums[entry["currency"]][column] += units_of(entry["units"])
    for entry in document["statements"]:
        sums[entry["currency"]]["stated"] += units_of(entry["units"])
    for entry in document["unattributed"]:
        sums[entry["currency"]]["unattributed"] += units_of(entry["units"])
    rows = []
    for currency, of in sums.items():
        difference = of["proven"] + of["stated"] - of["owed"] - of["unattributed"]
        row = {key: str(of[key]) for key in ("proven", "unproven", "stated", "unattributed")}
        row.update(currency=currency, liabilities=str(of["owed"]), difference=str(difference), covered=difference >= 0)
        rows.append(row)
    return rows


def once(keys, what):
    seen = set()
    for key in keys:
        if key in seen:
            raise Wrong(f"{what} counts twice: {key}")
        seen.add(key)


def in_order(rows, what):
    codes = [row["currency"] for row in rows]
    if codes != sorted(set(codes)):
        raise Wrong(f"the {what} are not in order, each once")


def check_counting(document):
    """Nothing counts twice, and the summary leaves nothing out."""
    reserves, statements = document["reserves"], document["statements"]
    in_order(document["currencies"], "currencies")
    in_order(document["liabilities"], "liabilities")
    in_order(document["unattributed"], "amounts of nobody")
    known = {entry["currency"] for entry in document["currencies"]}
    used = document["liabilities"] + document["unattributed"] + [held for one in reserves for held in one["holdings"]] + statements
    if not {entry["currency"] for entry in used} <= known:
        raise Wrong("a currency is not among the currencies, so that the summary leaves it out")
    # one address in two writings would let the same coins count twice
    once([f"{one['chain_id']} {one['address']}".lower() for one in reserves], "a reserve")
    for one in reserves:
        once([held["currency"] for held in one["holdings"]], "a holding of " + one["address"])
    once([(one["place"], one["provider"], one["currency"], one["sha256"]) for one in statements], "a statement")
    if len({(one["network"], one["chain_id"]) for one in reserves}) != len({one["network"] for one in reserves}):
        raise Wrong("a network has two chains")
    read = {f"{one['network']} {one['address']}".lower() for one in reserves}
    if any(f"{one['network']} {one['address']}".lower() in read for one in document["unread"]):
        raise Wrong("an address is among what was read and what was not")
    for entry in document["liabilities"]:
        leaves = count_of(entry["leaves"], 1, LEAVES_MAX, "the number of leaves")
        if entry["depth"] != (leaves - 1).bit_length():
            raise Wrong("a tree has not the levels that its leaves take")


def check_messages(document):
    """Each key has signed for these liabilities. Whether the signature is right, a tool of the network tells."""
    for one in document["reserves"]:
        if (one["proof"] is None) == (one["unproven"] is None):
            raise Wrong(f"{one['address']} is neither proven nor said to be unproven")
        if one["proof"] is None:
            continue
        text = "\n".join(
            (
                "Proof of reserves. This text moves nothing and gives nobody a right.",
                "Service: " + document["service"],
                "Snapshot: " + document["snapshot_id"],
                "Liabilities: " + document["commitment"],
                "Network: " + matches(NAME, one["network"], "a network"),
                "Address: " + matches(NAME, one["address"], "an address"),
                "Taken: " + document["taken_at"],
            )
        )
        if one["proof"]["message"] != text:
            raise Wrong(f"{one['address']} has signed for something else")


def check_document(document, signed_by):
    if document["format"] != FORMAT.decode("ascii"):
        raise Wrong("the format is not known here")
    if digest(document, *COMMITTED) != document["commitment"]:
        raise Wrong("the liabilities were altered: their commitment is another")
    if digest(document, *CONTENT) != document["digest"]:
        raise Wrong("the document was altered: its digest is another")
    check_signature(document, signed_by)
    check_counting(document)
    check_messages(document)
    if canonical(summary_of(document)) != canonical(document["summary"]):
        raise Wrong("the summary does not follow from the document")


def check_answer_document(answer, signed_by):
    document = answer["document"]
    check_document(document, signed_by)
    for key in ("service", "snapshot_id", "taken_at", "commitment", "digest", "signature"):
        if document[key] != answer[key]:
            raise Wrong("the document is not the one that the answer names")
    trees = {entry["currency"]: entry for entry in document["liabilities"]}
    decimals = {entry["currency"]: entry["decimals"] for entry in document["currencies"]}
    for leaf in answer["leaves"]:
        if trees.get(leaf["currency"]) != leaf["tree"]:
            raise Wrong("the document has another tree")
        if decimals.get(leaf["currency"]) != leaf["decimals"]:
            raise Wrong("the document has other decimals")


def verify(answer, tenant, published, signed_by):
    if published is not None and answer["digest"] != published:
        raise Wrong("the snapshot is not the one that was published: its digest is another")
    if "tenant_id" not in answer:
        return check_document(answer, signed_by)
    if answer["format"] != FORMAT.decode("ascii"):
        raise Wrong("the format is not known here")
    if tenant is None:
        raise Wrong("it is the answer to a tenant: name your own with --tenant")
    if answer["tenant_id"] != tenant:
        raise Wrong("the answer is that of another tenant")
    check_signature(answer, signed_by)
    once([leaf["currency"] for leaf in answer["leaves"]], "a leaf")
    for leaf in answer["leaves"]:
        check_leaf(answer, leaf, tenant)
    if answer["document"] is None:
        raise Wrong("the answer has no document, and nothing else ties its leaves to the digest: ask with document=true")
    check_answer_document(answer, signed_by)


def main():
    parser = argparse.ArgumentParser(description="Verifies the answer of GET /v1/solvency, or a published document.")
    parser.add_argument("answer", help="the file with the answer or the document")
    parser.add_argument("--tenant", help="your own tenant id, for an answer")
    parser.add_argument("--digest", help="the digest of the snapshot as it was published elsewhere")
    parser.add_argument("--signed-by", help="the key of the service for documents as it was published elsewhere")
    options = parser.parse_args()
    with open(options.answer, encoding="utf-8") as file:
        answer = json.load(file)
    try:
        verify(answer, options.tenant, options.digest, options.signed_by)
    except Wrong as error:
        print(f"NOT verified: {error}.")
        return 1
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        print(f"NOT verified: the answer has not the form that it has to have: {error!r}.")
        return 1
    document = answer["document"] if "tenant_id" in answer else answer
    for leaf in answer.get("leaves", []):
        print(f"{leaf['currency']}: {leaf['amount']} is in the tree of {leaf['tree']['total']} base units.")
    for row in document["summary"]:
        state = "covered" if row["covered"] else f"NOT covered, {row['difference']} base units"
        print(f"{row['currency']}: {state}")
    print("Verified.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
