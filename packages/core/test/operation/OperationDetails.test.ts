import { of, zero } from "@bursar/core/money/Amount"
import { isKind, ofKind, type Operation, type OperationKind, operationKinds } from "@bursar/core/operation/Operation"
import {
  CorruptDetails,
  decodeDetails,
  detailsFields,
  type OperationDetails
} from "@bursar/core/operation/OperationDetails"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

/** Details of a kind of which any field may be absent. */
const schemaOf = (kind: OperationKind) => {
  const fields: Readonly<Record<string, Schema.Codec<unknown>>> = detailsFields[kind]
  return Schema.Struct(
    Object.fromEntries(Object.entries(fields).map(([field, schema]) => [field, Schema.optionalKey(schema)]))
  )
}

/** Fields that another version may have written. */
const Later = Schema.Record(Schema.Literals(["later_1", "later_2", "toString", "constructor"]), Schema.Json)

const refusalOf = (kind: OperationKind, stored: unknown): unknown => {
  try {
    decodeDetails("one", kind, stored)
  } catch (error) {
    return error
  }
  return undefined
}

const assertRefused = (kind: OperationKind, stored: unknown, field: string | null) => {
  const refusal = refusalOf(kind, stored)
  if (!(refusal instanceof CorruptDetails)) return assert.fail(`${kind} ${JSON.stringify(stored)} is not refused`)
  assert.deepStrictEqual([refusal.operationId, refusal.kind, refusal.field], ["one", kind, field])
  const what = field === null ? "details" : `details.${field}`
  assert.strictEqual(refusal.message, `${what} of the ${kind} one cannot be read`)
}

for (const kind of operationKinds) {
  describe(`the details of a ${kind}`, () => {
    it.effect.prop(
      "are read as they were written, with the fields that are not known",
      [schemaOf(kind), Later],
      ([known, later]) =>
        Effect.sync(() => {
          // V8 14 reads the name "\u0000" as "\\" where it has read an object with that one before: what was read is compared, not the text
          const stored: unknown = JSON.parse(JSON.stringify({ ...known, ...later }))
          const written = JSON.stringify(stored)
          assert.strictEqual(JSON.stringify(decodeDetails("one", kind, stored)), written)
        })
    )

    it("are refused by name where a field is of no type that it has", () => {
      for (const field of Object.keys(detailsFields[kind])) assertRefused(kind, { later: 1, [field]: [0] }, field)
    })

    it("are refused wherever the schema of a field refuses", () => {
      const values = [
        null,
        true,
        0,
        1.5,
        "",
        "text",
        "12",
        {},
        { since: 1 },
        { at: 1 },
        { at: "1", said: 1 },
        { address: null },
        ["x"]
      ]
      for (const [field, schema] of Object.entries<Schema.Schema<unknown>>(detailsFields[kind]))
        for (const value of values)
          if (Schema.is(schema)(value)) assert.isUndefined(refusalOf(kind, { [field]: value }))
          else assertRefused(kind, { [field]: value }, field)
    })

    it("are refused where they are no object", () => {
      for (const stored of [undefined, null, 1, "text", true, []]) assertRefused(kind, stored, null)
    })
  })
}

it("a value that looks right and is of another type is refused", () => {
  const wrong: ReadonlyArray<readonly [OperationKind, string, unknown]> = [
    ["SWAP", "received", 12],
    ["SWAP", "fees_beside", [{ currency: "EUR", units: 1 }]],
    ["ON_RAMP", "arrived", 1.5],
    ["ON_RAMP", "suspended", "true"],
    ["ON_RAMP", "refunded", null],
    ["OFF_RAMP", "payee", "DE89370400440532013000"],
    ["CHAIN_PAYOUT", "destination", "0x1"],
    ["CHAIN_PAYOUT", "destination", { memo: "1" }],
    ["CHAIN_PAYOUT", "review", { state: "MAYBE", by: null, at: null, reason: null }],
    ["CHAIN_PAYOUT", "new_address", 1],
    ["WITHDRAWAL", "sent_at", "2026-01-01"],
    ["WITHDRAWAL", "network_fee_borne_by", "NOBODY"],
    ["DEPOSIT", "origin", "ELSEWHERE"],
    ["ADJUSTMENT", "moved", { from: "custodian" }],
    ["ADJUSTMENT", "taken_over", "one"],
    ["REFUND", "refund_of", 1]
  ]
  for (const [kind, field, value] of wrong) assertRefused(kind, { [field]: value }, field)
})

it("a field of another kind is no field of this one, and stays as it is", () => {
  const stored: unknown = JSON.parse('{"deposit_id":1,"origin":"REGISTERED"}')
  assert.strictEqual<unknown>(decodeDetails("one", "SWAP", stored), stored)
})

const operation = (kind: OperationKind, details: Operation["details"]): Operation => ({
  id: "one",
  tenantId: TenantId("t"),
  kind,
  status: "SETTLED",
  amount: of(1n, "ETH"),
  customerFee: zero("ETH"),
  toAmount: null,
  toAmountQuoted: null,
  customerId: null,
  actsFor: "TENANT",
  network: null,
  provider: null,
  providerReference: null,
  partnerReference: null,
  networkFee: null,
  txHash: null,
  unresolved: false,
  details,
  createdAt: 1,
  settledAt: null
})

it("an operation is narrowed to its kind, and taken for no other", () => {
  const swap = operation("SWAP", { received: "1" })
  assert.isTrue(isKind(swap, "WITHDRAWAL", "SWAP"))
  assert.isFalse(isKind(swap, "WITHDRAWAL"))
  assert.strictEqual(ofKind(swap, "SWAP").details.received, "1")
  assert.throws(() => ofKind(swap, "WITHDRAWAL", "DEPOSIT"), /is a SWAP, not a WITHDRAWAL or DEPOSIT/u)
})

it("the types admit no field that no kind has, and none of another kind", () => {
  const swap = ofKind(operation("SWAP", { received: "1" }), "SWAP")
  // @ts-expect-error no kind has it
  assert.isUndefined(swap.details.recieved)
  // @ts-expect-error no kind has it
  assert.isUndefined(swap.details["recieved"])
  // @ts-expect-error a swap has no deposit
  const mixed: OperationDetails<"SWAP"> = { deposit_id: "1" }
  // @ts-expect-error amounts are text
  const amount: OperationDetails<"SWAP"> = { received: 1 }
  // @ts-expect-error no kind has both
  const both: OperationDetails = { deposit_id: "1", received: "1" }
  assert.lengthOf([mixed, amount, both], 3)
})
