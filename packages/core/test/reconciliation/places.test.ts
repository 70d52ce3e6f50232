import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import type { Operation } from "@bursar/core/operation/Operation"
import { chainMovements } from "@bursar/core/reconciliation/chainMovements"
import { providerPlace } from "@bursar/core/reconciliation/Place"
import { providerMovements } from "@bursar/core/reconciliation/providerMovements"
import { TenantId } from "@bursar/core/tenant/Tenant"
import type { OutboundPayment, OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import { assert, describe, it } from "@effect/vitest"

const tenantId = TenantId("t1")
const asked = 1_000

const operation = (kind: Operation["kind"], more: Partial<Operation>): Operation => ({
  id: "op-1",
  tenantId,
  kind,
  status: "PROCESSING",
  amount: { units: 40n, currency: "EUR" },
  customerFee: { units: 1n, currency: "EUR" },
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
  createdAt: 5,
  settledAt: null,
  ...more
})

/** What is in flight of an operation: between what and what, by currency. */
const flying = (kind: "custodian" | "bank", one: Operation) =>
  providerMovements(providerPlace(kind, "kraken"), [one], { asked, networkFeeBorneBy: "RECEIVER" }).map(
    ({ currency, inFlight: { least, most } }) => [currency, least, most]
  )

const fee = { units: 3n, currency: "ETH" }
const late = { status: "SETTLED", settledAt: asked } as const

describe("what is in flight at a provider", () => {
  it("of a withdrawal is its amount and the fee, unless the receiver has borne that", () => {
    const withdrawal = (more: Partial<Operation>) => flying("custodian", operation("WITHDRAWAL", more))
    assert.deepStrictEqual(withdrawal({}), [["EUR", 0n, 40n]])
    assert.deepStrictEqual(withdrawal({ networkFee: fee }), [
      ["EUR", 0n, 40n],
      ["ETH", 0n, 3n]
    ])
    const borne = { network_fee_borne_by: "RECEIVER" } as const
    assert.deepStrictEqual(withdrawal({ networkFee: fee, details: borne }), [
      ["EUR", 0n, 40n],
      ["ETH", 0n, 3n]
    ])
    assert.deepStrictEqual(withdrawal({ ...late, networkFee: fee, details: borne }), [["EUR", -40n, 0n]])
    assert.deepStrictEqual(withdrawal({ ...late, networkFee: fee, details: { network_fee_borne_by: "SERVICE" } }), [
      ["EUR", -40n, 0n],
      ["ETH", -3n, 0n]
    ])
  })

  it("of a swap is what was sold and what it brought; before that is told, up to twice what was quoted, and a tenth as a fee beside", () => {
    const swap = (more: Partial<Operation>) => flying("custodian", operation("SWAP", more))
    const quoted = { toAmountQuoted: { units: 50n, currency: "USD" } }
    assert.deepStrictEqual(swap({ ...quoted, details: { to_currency: "USD" } }), [
      ["EUR", 0n, 40n],
      ["USD", -100n, 0n],
      ["EUR", 0n, 4n]
    ])
    const told = { to_currency: "USD", received: "48", fees_beside: [{ currency: "ETH", units: "2" }] }
    assert.deepStrictEqual(swap({ ...quoted, ...late, details: told }), [
      ["EUR", -40n, 0n],
      ["USD", 0n, 48n],
      ["ETH", -2n, 0n]
    ])
    assert.deepStrictEqual(swap({ details: { to_currency: "USD" } }), [
      ["EUR", 0n, 40n],
      ["EUR", 0n, 4n]
    ])
  })

  it("of a transfer is what it moves, less what has come back", () => {
    const transfer = (kind: Operation["kind"], more: Partial<Operation> = {}) => flying("bank", operation(kind, more))
    assert.deepStrictEqual(transfer("OFF_RAMP"), [["EUR", 0n, 40n]])
    assert.deepStrictEqual(transfer("ON_RAMP"), [["EUR", -40n, 0n]])
    assert.deepStrictEqual(transfer("BANK_TRANSFER", { ...late, status: "RETURNED", details: { returned: "15" } }), [
      ["EUR", -25n, 0n]
    ])
  })

  it("is nothing of what was not sent, or ended before the provider was asked", () => {
    const withdrawal = (more: Partial<Operation>) => flying("custodian", operation("WITHDRAWAL", more))
    for (const more of [
      { status: "ACCEPTED" },
      { status: "IN_REVIEW" },
      { status: "SETTLED", settledAt: asked - 1 },
      { status: "FAILED" }
    ] as const)
      assert.deepStrictEqual(withdrawal(more), [], more.status)
    assert.deepStrictEqual(withdrawal({ status: "FAILED", settledAt: asked }), [["EUR", 0n, 40n]])
  })

  it("names the operation, and since when it is there", () => {
    const [movement] = providerMovements(providerPlace("custodian", "kraken"), [operation("WITHDRAWAL", {})], {
      asked,
      networkFeeBorneBy: "RECEIVER"
    })
    assert.deepStrictEqual(
      [movement?.place, movement?.cause],
      ["custodian:kraken", { kind: "operation", id: "op-1", tenantId, at: 5 }]
    )
  })
})

const payment = (units: bigint, more: Partial<OutboundPayment> = {}): OutboundPayment => ({
  operationId: null,
  to: "outside",
  contract: null,
  units,
  memo: null,
  ...more
})

const transaction = (more: Partial<OutboundTransaction> = {}): OutboundTransaction => ({
  id: "tx",
  network: "bitcoin",
  purpose: "PAYOUT",
  walletId: "w",
  from: "wallet",
  guard: { _tag: "Utxos", utxos: [{ txHash: "a", vout: 0, units: 100n, address: "coin" }] },
  counterId: null,
  payments: [payment(90n)],
  trustlines: [],
  drain: false,
  salt: 1,
  phase: "BROADCAST",
  outcome: null,
  hashes: ["h"],
  feeMax: 10n,
  cancelled: [],
  givenUpAfter: null,
  signingUntil: null,
  problem: null,
  reservedAt: 5,
  signedAt: 6,
  sentAt: 7,
  asked: null,
  lastSentAt: 7,
  blockNumber: null,
  fee: null,
  freed: [],
  endedAt: null,
  ...more
})

/** What is in flight of a transaction where these addresses were read up to block 10: between what and what, by place. */
const onChain = (one: OutboundTransaction, ...read: ReadonlyArray<string>) =>
  chainMovements(
    { deposits: [], transfers: [], transactions: [{ transaction: one, tenantId }] },
    defaultCurrencies,
    (address) => (read.includes(address) ? 10 : undefined)
  ).map(({ inFlight: { least, most }, place }) => [place.split(":").at(-1), least, most])

describe("what is in flight on a network", () => {
  const swept = { purpose: "SWEEP", drain: true, payments: [payment(100n, { to: "wallet" })] } as const
  const final = { phase: "FINAL", outcome: "done", fee: 4n, blockNumber: 11 } as const

  it("of UTXOs is known by the address of the coin, and the most that the fee can be counts", () => {
    assert.deepStrictEqual(onChain(transaction(), "coin"), [
      ["payouts", 0n, 10n],
      ["payouts", 0n, 90n]
    ])
    assert.deepStrictEqual(onChain(transaction(), "wallet"), [])
    const account = transaction({ guard: { _tag: "Expiry" } })
    assert.deepStrictEqual(onChain(account, "wallet"), [
      ["payouts", 0n, 10n],
      ["payouts", 0n, 90n]
    ])
    assert.deepStrictEqual(onChain(account, "coin"), [])
  })

  it("of coins that are drained is all that they hold less the fee, whatever that is", () => {
    assert.deepStrictEqual(onChain(transaction(swept), "coin", "wallet"), [
      ["deposits", 0n, 10n],
      ["deposits", 0n, 100n],
      ["payouts", -100n, 0n]
    ])
    assert.deepStrictEqual(onChain(transaction({ ...swept, ...final }), "coin", "wallet"), [
      ["deposits", -4n, -4n],
      ["deposits", -96n, -96n],
      ["payouts", 96n, 96n]
    ])
    assert.deepStrictEqual(onChain(transaction({ ...swept, ...final, guard: { _tag: "Expiry" } }), "wallet")[1], [
      "deposits",
      -100n,
      -100n
    ])
  })

  it("of a final transaction is what it did in a block that was not read, and its fee alone where it reverted", () => {
    const paid = [
      ["payouts", -4n, -4n],
      ["payouts", -90n, -90n]
    ]
    assert.deepStrictEqual(onChain(transaction(final), "coin"), paid)
    assert.deepStrictEqual(onChain(transaction(final)), paid)
    assert.deepStrictEqual(onChain(transaction({ ...final, blockNumber: null }), "coin"), paid)
    assert.deepStrictEqual(onChain(transaction({ ...final, blockNumber: 10 }), "coin"), [])
    assert.deepStrictEqual(onChain(transaction({ ...final, outcome: "reverted" }), "coin"), [["payouts", -4n, -4n]])
    for (const outcome of ["replaced", "expired", "released"] as const)
      assert.deepStrictEqual(onChain(transaction({ ...final, outcome }), "coin"), [], outcome)
  })

  it("of one that is not final is nothing before it is signed, or where its block was not read", () => {
    assert.deepStrictEqual(onChain(transaction({ phase: "RESERVED" }), "coin"), [])
    const included = (blockNumber: number) => onChain(transaction({ phase: "INCLUDED", blockNumber }), "coin")
    assert.deepStrictEqual(included(11), [])
    assert.lengthOf(included(10), 2)
    assert.lengthOf(onChain(transaction({ phase: "SIGNED", blockNumber: 11 }), "coin"), 2)
  })

  it("of a payment that was cancelled meanwhile is all or nothing, also once it is final", () => {
    const cancelled = { payments: [payment(90n, { operationId: "op" })], cancelled: ["op"] }
    assert.deepStrictEqual(onChain(transaction({ ...cancelled, ...final }), "coin"), [
      ["payouts", -4n, -4n],
      ["payouts", -90n, 0n]
    ])
    assert.deepStrictEqual(onChain(transaction({ ...cancelled, ...final, cancelled: ["other"] }), "coin")[1], [
      "payouts",
      -90n,
      -90n
    ])
  })

  it("stays with the wallets where a channel account is funded, and goes to the addresses where one is topped up", () => {
    const gift = (purpose: OutboundTransaction["purpose"]) =>
      onChain(transaction({ ...final, purpose, payments: [payment(90n, { to: "given" })] }), "coin", "given")
    assert.deepStrictEqual(gift("CHANNEL")[2], ["payouts", 90n, 90n])
    assert.deepStrictEqual(gift("TOP_UP")[2], ["deposits", 90n, 90n])
    assert.isUndefined(gift("CANCEL")[2])
  })

  it("is nothing of what has no currency", () => {
    const foreign = transaction({ ...final, payments: [payment(90n, { contract: "nobody's" })] })
    assert.deepStrictEqual(onChain(foreign, "coin"), [["payouts", -4n, -4n]])
  })
})
