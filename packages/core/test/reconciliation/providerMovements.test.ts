import type { Operation } from "@bursar/core/operation/Operation"
import { judgeDifference, type OpenBreak } from "@bursar/core/reconciliation/judgeDifference"
import { exactly, plus } from "@bursar/core/reconciliation/Movement"
import { providerPlace } from "@bursar/core/reconciliation/Place"
import { providerMovements } from "@bursar/core/reconciliation/providerMovements"
import { alarming } from "@bursar/core/reconciliation/raiseAlarms"
import type { ReconciliationBreak } from "@bursar/core/reconciliation/ReconciliationBreak"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { assert, describe, it } from "@effect/vitest"

const asked = 1_000_000
const custodian = providerPlace("custodian", "kraken")
const bank = providerPlace("bank", "bridge")

const operation = (kind: Operation["kind"], units: bigint, more: Partial<Operation> = {}): Operation => ({
  id: `op-${units}`,
  tenantId: TenantId("t1"),
  kind,
  status: "PROCESSING",
  amount: { units, currency: "EUR" },
  customerFee: { units: 0n, currency: "EUR" },
  toAmount: null,
  toAmountQuoted: null,
  customerId: null,
  actsFor: "TENANT",
  network: null,
  provider: "kraken",
  providerReference: null,
  partnerReference: null,
  networkFee: null,
  txHash: null,
  unresolved: false,
  details: {},
  createdAt: 1,
  settledAt: null,
  ...more
})

const judged = (
  place: typeof custodian,
  {
    ledger,
    networkFeeBorneBy = "RECEIVER",
    observed,
    operations
  }: {
    readonly ledger: bigint
    readonly observed: bigint
    readonly operations: ReadonlyArray<Operation>
    readonly networkFeeBorneBy?: "RECEIVER" | "SERVICE"
  },
  open: ReadonlyArray<OpenBreak> = []
) => {
  const movements = providerMovements(place, operations, { asked, networkFeeBorneBy })
  const inFlight = movements.reduce((sum, one) => plus(sum, one.inFlight), exactly(0n))
  return judgeDifference({ ledger, observed, inFlight }, open)
}

const settled = (at: number): Partial<Operation> => ({ status: "SETTLED", settledAt: at })

describe("providerMovements", () => {
  it("a fee that is taken beside of a conversion is in flight as long as nobody has told it, and no more than a tenth", () => {
    const operations = [operation("SWAP", 40n, { details: { to_currency: "BTC", sent_at: 1 } })]
    for (const [observed, opened] of [
      [100n, 0n],
      [60n, 0n],
      [56n, 0n],
      [55n, 1n]
    ] as const)
      assert.strictEqual(judged(custodian, { ledger: 100n, observed, operations }).opened, opened)
    const told = [operation("SWAP", 40n, { ...settled(asked), details: { received: "0", fees_beside: [] } })]
    assert.strictEqual(judged(custodian, { ledger: 60n, observed: 57n, operations: told }).opened, 3n)
  })

  it("a network's fee that the service bears is in flight until its withdrawal is settled, and no more than a tenth", () => {
    const networkFeeBorneBy = "SERVICE"
    const moving = [operation("WITHDRAWAL", 40n)]
    for (const [observed, opened] of [
      [100n, 0n],
      [60n, 0n],
      [56n, 0n],
      [55n, 1n]
    ] as const)
      assert.strictEqual(
        judged(custodian, { ledger: 100n, observed, operations: moving, networkFeeBorneBy }).opened,
        opened
      )
    // it had taken the fee with the amount when it was asked, and has given both back since
    const failed = [operation("WITHDRAWAL", 40n, { status: "FAILED", settledAt: asked })]
    assert.strictEqual(
      judged(custodian, { ledger: 100n, observed: 57n, operations: failed, networkFeeBorneBy }).opened,
      0n
    )
    const unsent = [operation("WITHDRAWAL", 40n, { status: "ACCEPTED" })]
    assert.strictEqual(
      judged(custodian, { ledger: 100n, observed: 97n, operations: unsent, networkFeeBorneBy }).opened,
      3n
    )
    const told = [operation("WITHDRAWAL", 40n, { ...settled(asked), networkFee: { units: 2n, currency: "EUR" } })]
    for (const [observed, opened] of [
      [58n, 0n],
      [57n, 1n]
    ] as const)
      assert.strictEqual(
        judged(custodian, { ledger: 58n, observed, operations: told, networkFeeBorneBy }).opened,
        opened
      )
  })

  it("a network's fee is not in flight where the receiver bears it", () => {
    const operations = [operation("WITHDRAWAL", 40n)]
    assert.strictEqual(judged(custodian, { ledger: 100n, observed: 57n, operations }).opened, 3n)
  })

  it("an order that was sent is no difference, whether the provider shows it or not", () => {
    const operations = [operation("WITHDRAWAL", 40n)]
    for (const observed of [100n, 60n])
      assert.strictEqual(judged(custodian, { ledger: 100n, observed, operations }).opened, 0n)
  })

  it("one that was not sent yet cannot have moved anything", () => {
    const operations = [operation("WITHDRAWAL", 40n, { status: "ACCEPTED" })]
    assert.strictEqual(judged(custodian, { ledger: 100n, observed: 60n, operations }).opened, 40n)
  })

  it("one that was sent and not answered yet may have moved what it is of", () => {
    for (const kind of ["BANK_TRANSFER", "OFF_RAMP", "REFUND"] as const) {
      const operations = [operation(kind, 40n, { status: "ACCEPTED", unresolved: true, details: { sent_at: 2 } })]
      for (const observed of [100n, 60n])
        assert.strictEqual(judged(bank, { ledger: 100n, observed, operations }).opened, 0n, `${kind} ${observed}`)
    }
  })

  it("one that was booked after the provider was asked is no difference either", () => {
    const operations = [operation("WITHDRAWAL", 40n, settled(asked + 1))]
    assert.strictEqual(judged(custodian, { ledger: 60n, observed: 100n, operations }).opened, 0n)
    assert.strictEqual(judged(custodian, { ledger: 60n, observed: 60n, operations }).opened, 0n)
  })

  it("a provider that took a withdrawal and denies it has a break of that amount", () => {
    const operations = [operation("WITHDRAWAL", 40n, { status: "FAILED" })]
    assert.strictEqual(judged(custodian, { ledger: 100n, observed: 60n, operations }).opened, 40n)
  })

  it("one that books a withdrawal twice has a break of that amount, once", () => {
    const operations = [operation("WITHDRAWAL", 40n, settled(asked - 1))]
    const first = judged(custodian, { ledger: 60n, observed: 20n, operations })
    assert.strictEqual(first.opened, 40n)
    const again = judged(custodian, { ledger: 60n, observed: 20n, operations }, [{ id: "b", units: first.opened }])
    assert.deepStrictEqual([again.opened, again.closed], [0n, []])
  })

  it("one that charges a fee which it did not announce has a break of the fee", () => {
    const operations = [operation("WITHDRAWAL", 40n, settled(asked - 1))]
    assert.strictEqual(judged(custodian, { ledger: 60n, observed: 57n, operations }).opened, 3n)
  })

  it("a transfer that comes back a week later is a break until the return is booked, and no other", () => {
    const paid = operation("OFF_RAMP", 40n, settled(1))
    const back = judged(bank, { ledger: 60n, observed: 100n, operations: [paid] })
    assert.strictEqual(back.opened, -40n)
    const booked = judged(bank, { ledger: 100n, observed: 100n, operations: [] }, [{ id: "b", units: -40n }])
    assert.deepStrictEqual(booked.closed, ["b"])
  })
})

const broken = (units: bigint, since: number, more: Partial<ReconciliationBreak> = {}): ReconciliationBreak => ({
  id: `${units}`,
  place: "p",
  currency: "EUR",
  units,
  since,
  sinceBlock: null,
  candidates: [],
  about: null,
  explanation: null,
  alarmedAt: null,
  toldAt: null,
  closedAt: null,
  ...more
})

describe("alarming", () => {
  const rule = { tolerance: 5n, afterMs: 100 }

  it("is what is above the tolerance and old enough, and nobody has explained", () => {
    assert.deepStrictEqual(alarming([broken(5n, 0)], rule, 1_000), [])
    assert.deepStrictEqual(alarming([broken(6n, 950)], rule, 1_000), [])
    assert.lengthOf(alarming([broken(6n, 900)], rule, 1_000), 1)
    const explanation = { by: "alice", note: "a fee", at: 1 }
    assert.deepStrictEqual(alarming([broken(6n, 0, { explanation })], rule, 1_000), [])
  })

  it("small losses add up, and what is too much elsewhere does not make up for them", () => {
    assert.lengthOf(alarming([broken(3n, 0), broken(4n, 0)], rule, 1_000), 2)
    assert.lengthOf(alarming([broken(6n, 0), broken(-9n, 0)], rule, 1_000), 2)
  })
})
