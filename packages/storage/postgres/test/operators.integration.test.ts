import { putRecord, type RecordPut } from "@bursar/core/engine/Records"
import type { View } from "@bursar/core/engine/View"
import { verifyChain } from "@bursar/core/checker/verifyChain"
import { OperatorAudit } from "@bursar/core/port/OperatorAudit"
import { bareOperation } from "@bursar/testkit/fixtures/records"
import { writing } from "@bursar/testkit/fixtures/commands"
import { commitAt, newTenant, past } from "@bursar/testkit/fixtures/tenants"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { inspect } from "node:util"
import { client } from "./client.ts"
import { migratedDatabase } from "./database.ts"
import { Destination } from "@bursar/core/destination/Destination"
import { Payout } from "@bursar/core/payout/Payout"
import { FloatAdjustment } from "@bursar/core/adjustment/FloatAdjustment"
import { Resolution } from "@bursar/core/resolution/Resolution"
import { Operation } from "@bursar/core/operation/Operation"

const { ports, url } = await migratedDatabase()

const destination = (view: View, verifiedBy: string): RecordPut =>
  putRecord(Destination, {
    id: view.newId(),
    currency: "ETH",
    network: "ethereum",
    address: "a",
    memo: null,
    label: "l",
    proposedBy: "alice",
    verifiedBy,
    verifiedAt: view.now,
    usableFrom: view.now,
    rejectedAt: null,
    rejectedReason: null,
    createdAt: view.now
  })

const payout =
  (operationId: string) =>
  (_view: View, reviewedBy: string): RecordPut =>
    putRecord(Payout, {
      operationId,
      network: "ethereum",
      currency: "ETH",
      contract: null,
      units: 1n,
      to: "t",
      memo: null,
      transactionId: null,
      earlierTransactions: [],
      attempts: 0,
      alone: false,
      waits: null,
      madeBy: "alice",
      reviewedBy,
      cancelledBy: null
    })

const adjustment =
  (operationId: string) =>
  (view: View, decidedBy: string): RecordPut =>
    putRecord(FloatAdjustment, {
      id: view.newId(),
      amount: { units: 1n, currency: "ETH" },
      against: "custodian",
      from: null,
      assigns: null,
      corrects: null,
      reason: "r",
      proposedBy: "alice",
      state: "BOOKED",
      decidedBy,
      rejectedReason: null,
      operationId,
      createdAt: view.now,
      decidedAt: view.now
    })

const resolution =
  (operationId: string) =>
  (view: View, decidedBy: string): RecordPut =>
    putRecord(Resolution, {
      id: view.newId(),
      operationId,
      outcome: "FAILED",
      basis: "PROVIDER",
      reference: "r",
      source: "s",
      text: "t",
      providerReference: null,
      txHash: null,
      received: null,
      networkFee: null,
      proposedBy: "alice",
      said: null,
      noted: [],
      state: "APPLIED",
      decidedBy,
      rejectedReason: null,
      createdAt: view.now,
      decidedAt: view.now
    })

layer(ports(), { excludeTestServices: true })("the database itself", (it) => {
  it.effect("refuses whatever is decided by who made it", () =>
    Effect.gen(function* () {
      const { id } = yield* newTenant()
      let operationId = ""
      yield* commitAt(
        id,
        past,
        writing((view) => {
          const operation = bareOperation(view, { kind: "CHAIN_PAYOUT" })
          operationId = operation.id
          return [putRecord(Operation, operation)]
        })
      )
      const cases = [
        ["destination_four_eyes", destination],
        ["payout_maker_is_no_checker", payout(operationId)],
        ["float_adjustment_four_eyes", adjustment(operationId)],
        ["resolution_four_eyes", resolution(operationId)]
      ] as const
      for (const [constraint, record] of cases) {
        const decide = (by: string) =>
          commitAt(
            id,
            past,
            writing((view) => [record(view, by)])
          )
        const refused = yield* Effect.flip(decide("alice"))
        // the constraint stands in the driver's error, below that of the client and that of the port
        assert.include(inspect(refused, { depth: 8 }), constraint)
        yield* decide("bob")
      }
    })
  )

  it.effect("only adds to what operators did", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const audit = yield* OperatorAudit
        const sql = yield* client(url)
        yield* audit.append({
          actionId: crypto.randomUUID(),
          at: past,
          operator: "alice",
          role: "admin",
          method: "POST",
          route: "/",
          params: {},
          status: 200,
          requestId: "r",
          address: "",
          content: null
        })
        for (const statement of [
          sql`update operator_audit set operator = 'mallory'`,
          sql`delete from operator_audit`,
          sql`truncate operator_audit`
        ]) {
          const { reason } = yield* Effect.flip(statement)
          assert.match(String(reason.cause), /operator_audit is only added to/u)
        }
        assert.lengthOf(yield* audit.after(0, 10), 1)
        // the owner of the schema can: what cannot be read of a record then hides no other, and is found
        yield* sql`alter table operator_audit disable trigger operator_audit_kept`
        for (const params of ["null", '["x"]', '{"a":1}']) {
          yield* sql`update operator_audit set params = ${params}::json`
          const [record] = yield* audit.before(undefined, 10)
          assert.deepStrictEqual(record?.params, { unreadable: params })
          assert.match((yield* verifyChain(undefined)).firstWrong ?? "", /^Record 1 was changed/u)
        }
      })
    )
  )
})
