import { isWithin, subjectsOf, type SubjectKind, type SubjectRows } from "@bursar/core/checker/subjects"
import { assert, describe, it } from "@effect/vitest"

const under = <K extends SubjectKind>(kind: K, row: unknown): ReadonlyArray<string> =>
  subjectsOf[kind](row as SubjectRows[K]) // all of it that is looked at

const deposit = (txHash: string) => ({ network: "base", txHash, transferIndex: 3, depositId: `d-${txHash}` })

describe("what rows are filed under", () => {
  it("is the id of what they are, or of what they belong to", () => {
    for (const kind of ["customer", "account", "quote"] as const)
      assert.deepStrictEqual(under(kind, { id: "i" }), ["i"])
    for (const kind of ["incoming", "payout", "leg"] as const)
      assert.deepStrictEqual(under(kind, { id: "i", operationId: "o" }), ["o"])
    assert.deepStrictEqual(under("attempt", { hash: "0x1", transactionId: "t" }), ["t"])
    for (const key of ["o", "theirs|o"]) assert.deepStrictEqual(under("job", { queue: "transfer", key }), ["o"])
    assert.deepStrictEqual(under("event", { id: 1, resourceId: "r" }), ["r"])
    assert.deepStrictEqual(under("idempotencyRecord", { key: "k", resourceId: "r" }), ["r"])
    assert.deepStrictEqual(under("idempotencyRecord", { key: "k", resourceId: null }), ["key:k"])
  })

  it("is also what an operation follows on", () => {
    assert.deepStrictEqual(under("operation", { id: "o", details: {} }), ["o"])
    const details = { quote_id: "q", reverses: "r", refund_of: "f", assigns: "a", succeeds: "s" }
    assert.deepStrictEqual(under("operation", { id: "o", details }), ["o", "q", "r", "f", "a", "s"])
    const none = { quote_id: null, reverses: null }
    assert.deepStrictEqual(under("operation", { id: "o", details: none }), ["o"])
    assert.deepStrictEqual(under("deposit", { id: "d", creditedBy: "o" }), ["d", "o"])
    assert.deepStrictEqual(under("deposit", { id: "d", creditedBy: null }), ["d"])
  })

  it("is what a transaction pays and what it uses up, so that no two use the same", () => {
    const payments = [{ operationId: "o" }, { operationId: null }, { operationId: "p" }]
    const made = (guard: unknown) => under("transaction", { id: "t", network: "base", payments, guard })
    assert.deepStrictEqual(made({ _tag: "Expiry" }), ["t", "o", "p"])
    const sequence = made({ _tag: "Sequence", account: "0xw", sequence: 7n })
    assert.deepStrictEqual(sequence.slice(0, 3), ["t", "o", "p"])
    assert.lengthOf(sequence, 4)
    for (const other of [
      { account: "0xv", sequence: 7n },
      { account: "0xw", sequence: 8n }
    ])
      assert.notStrictEqual(made({ _tag: "Sequence", ...other })[3], sequence[3])
    const coins = ["a", "b"].map((txHash) => ({ network: "base", txHash, vout: 0 }))
    assert.deepStrictEqual(made({ _tag: "Utxos", utxos: coins }), [
      ...["t", "o", "p"],
      ...coins.flatMap((one) => under("utxo", one))
    ])
    const [one, other] = coins.map((coin) => under("utxo", coin)[0])
    assert.notStrictEqual(one, other)
  })

  it("is what a sweep moves, and the transaction that moves it", () => {
    const [a, b] = [under("sweepable", deposit("a")), under("sweepable", deposit("b"))]
    assert.deepStrictEqual([a.length, a[1], b[1]], [2, "d-a", "d-b"])
    assert.notStrictEqual(a[0], b[0])
    const places = [...a.slice(0, 1), ...b.slice(0, 1)]
    const sweep = { id: "s", deposits: ["a", "b"].map(deposit) }
    assert.deepStrictEqual(under("sweep", { ...sweep, sweepTransactionId: "t" }), ["s", "t", ...places])
    assert.deepStrictEqual(under("sweep", { ...sweep, sweepTransactionId: null }), ["s", ...places])
  })

  it("lies in a range from its first on and before its last, or in one that is open", () => {
    for (const [subject, to, is] of [
      ["b", "d", true],
      ["c", "d", true],
      ["d", "d", false],
      ["a", "d", false],
      ["z", null, true],
      ["a", null, false]
    ] as const)
      assert.strictEqual(isWithin({ from: "b", to }, subject), is, `${subject} up to ${to}`)
  })
})
