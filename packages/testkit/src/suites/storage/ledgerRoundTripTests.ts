import { placeReads } from "@bursar/core/ledger/coverShortfall"
import type { View } from "@bursar/core/engine/View"
import { Writer } from "@bursar/core/engine/Writer"
import type { Event } from "@bursar/core/event/Event"
import { IdempotencyRecord } from "@bursar/core/idempotency/IdempotencyRecord"
import { Queries } from "@bursar/core/store/Queries"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { writing } from "../../fixtures/commands.ts"
import { bareOperation, difficultText, fullOperation, hugeUnits } from "../../fixtures/records.ts"
import { newTenant } from "../../fixtures/tenants.ts"
import { roundTrip } from "./roundTrip.ts"
import type { StorageIt } from "./services.ts"
import { isPut, putRecord, readRecord } from "@bursar/core/engine/Records"
import { Operation } from "@bursar/core/operation/Operation"

/** Operations, postings, events and claims come back as they were written, with all their fields. */
export const ledgerRoundTripTests = (it: StorageIt, timeoutMs: number): void => {
  it.effect(
    "operations round-trip, and a second put replaces the first",
    () =>
      Effect.gen(function* () {
        const tenant = yield* newTenant()
        const queries = yield* Queries
        const { seen, written } = yield* roundTrip(
          tenant,
          writing((view) =>
            [fullOperation(view), bareOperation(view)].map((operation) => putRecord(Operation, operation))
          ),
          (changes) => changes.map(({ record }) => readRecord(Operation, record.id)),
          (view, changes) => changes.map(({ record }) => view.get(Operation, record.id))
        )
        assert.deepStrictEqual(
          seen,
          written.map(({ record }) => record)
        )
        for (const { record: operation } of written) {
          assert.deepStrictEqual(yield* queries.operation(tenant.id, operation.id), operation)
          const swapped = {
            ...(operation.toAmount === null ? fullOperation : bareOperation)({
              newId: () => operation.id,
              now: operation.createdAt,
              tenant
            })
          }
          yield* (yield* Writer).submit(
            tenant.id,
            writing(() => [putRecord(Operation, swapped)])
          )
          assert.deepStrictEqual(yield* queries.operation(tenant.id, operation.id), swapped)
        }
        assert.strictEqual((yield* queries.register(tenant.id, { limit: 10 })).length, 2)
      }),
    timeoutMs
  )

  it.effect(
    "postings of huge amounts round-trip with running balances and versions, below zero too",
    () =>
      Effect.gen(function* () {
        const tenant = yield* newTenant()
        const balanceReads = (["float:available", "chain:ethereum:tenant", "account:a-1"] as const).map(
          (account) => ({ _tag: "Balance", account, currency: "ETH" }) as const
        )
        const { seen, written } = yield* roundTrip(
          tenant,
          writing(
            (view) => {
              const operation = fullOperation(view)
              const leg = { currency: "ETH", units: hugeUnits, what: "principal" } as const
              return [
                putRecord(Operation, operation),
                {
                  _tag: "Posted",
                  operationId: operation.id,
                  legs: [
                    { ...leg, account: "chain:ethereum:tenant", direction: "DEBIT" },
                    { ...leg, account: "float:available", direction: "CREDIT", units: hugeUnits - 5n },
                    { ...leg, account: "account:a-1", direction: "CREDIT", units: 5n, what: "fee" }
                  ]
                },
                {
                  _tag: "Posted",
                  operationId: operation.id,
                  mayOverdraw: true,
                  legs: [
                    { ...leg, account: "float:available", direction: "DEBIT", units: hugeUnits, what: "reversal" },
                    { ...leg, account: "chain:ethereum:tenant", direction: "CREDIT", what: "reversal" }
                  ]
                }
              ]
            },
            [...balanceReads, ...placeReads("chain:ethereum:tenant", "ETH")]
          ),
          () => balanceReads,
          (view) => balanceReads.map(({ account }) => view.balance(account, "ETH"))
        )
        assert.deepStrictEqual(seen, [
          { account: "float:available", currency: "ETH", units: -5n, version: 2 },
          { account: "chain:ethereum:tenant", currency: "ETH", units: 0n, version: 2 },
          { account: "account:a-1", currency: "ETH", units: 5n, version: 1 }
        ])
        const operation = written.flatMap((change) => (isPut(Operation, change) ? [change.record] : []))[0]
        const legs = yield* (yield* Queries).legs(tenant.id, operation?.id ?? "")
        const common = { currency: "ETH", operationId: operation?.id, postedAt: operation?.createdAt, units: hugeUnits }
        assert.deepStrictEqual(
          legs.map((leg) => ({ ...leg })),
          [
            {
              ...common,
              account: "chain:ethereum:tenant",
              direction: "DEBIT",
              what: "principal",
              postingSeq: 1,
              ordinal: 0,
              balance: hugeUnits,
              version: 1
            },
            {
              ...common,
              account: "float:available",
              direction: "CREDIT",
              what: "principal",
              units: hugeUnits - 5n,
              postingSeq: 1,
              ordinal: 1,
              balance: hugeUnits - 5n,
              version: 1
            },
            {
              ...common,
              account: "account:a-1",
              direction: "CREDIT",
              what: "fee",
              units: 5n,
              postingSeq: 1,
              ordinal: 2,
              balance: 5n,
              version: 1
            },
            {
              ...common,
              account: "float:available",
              direction: "DEBIT",
              what: "reversal",
              postingSeq: 2,
              ordinal: 0,
              balance: -5n,
              version: 2
            },
            {
              ...common,
              account: "chain:ethereum:tenant",
              direction: "CREDIT",
              what: "reversal",
              postingSeq: 2,
              ordinal: 1,
              balance: 0n,
              version: 2
            }
          ]
        )
      }),
    timeoutMs
  )

  it.effect(
    "events and claims round-trip",
    () =>
      Effect.gen(function* () {
        const tenant = yield* newTenant()
        const queries = yield* Queries
        const idempotencyRecord = (
          view: View,
          key: string,
          outcome: IdempotencyRecord["outcome"],
          resourceId: string | null
        ): IdempotencyRecord => ({
          key,
          endpoint: "POST /v1/withdrawals",
          fingerprint: "f".repeat(64),
          outcome,
          resourceId,
          recordedAt: view.now
        })
        const detail = { text: difficultText, list: ["1.10", 2.5, null, { deep: [] }], "": true }
        const { seen, written } = yield* roundTrip(
          tenant,
          writing((view) => {
            const event = (data: Event["data"]): Event => ({
              id: view.nextEventId(),
              kind: "deposit.reorged",
              resourceId: view.newId(),
              occurredAt: view.now,
              data
            })
            return [
              { _tag: "EventEmitted", event: event({}) } as const,
              { _tag: "EventEmitted", event: event({ ...detail, amount_units: hugeUnits.toString() }) } as const,
              putRecord(
                IdempotencyRecord,
                idempotencyRecord(view, difficultText, { _tag: "Done", body: detail }, view.newId())
              ),
              putRecord(IdempotencyRecord, idempotencyRecord(view, "k-2", { _tag: "Done", body: null }, null)),
              putRecord(IdempotencyRecord, idempotencyRecord(view, "k-3", { _tag: "Done", body: difficultText }, null)),
              putRecord(
                IdempotencyRecord,
                idempotencyRecord(
                  view,
                  "k-4",
                  { _tag: "Refused", code: "not_found", message: difficultText, detail },
                  null
                )
              ),
              putRecord(
                IdempotencyRecord,
                idempotencyRecord(view, "k-5", { _tag: "Refused", code: "x", message: "", detail: null }, null)
              )
            ]
          }),
          (changes) =>
            changes.flatMap((change) =>
              isPut(IdempotencyRecord, change) ? [readRecord(IdempotencyRecord, change.record.key)] : []
            ),
          (view, changes) =>
            changes.flatMap((change) =>
              isPut(IdempotencyRecord, change) ? [view.get(IdempotencyRecord, change.record.key)] : []
            )
        )
        const idempotencyRecords = written.flatMap((change) =>
          isPut(IdempotencyRecord, change) ? [change.record] : []
        )
        assert.deepStrictEqual(seen, idempotencyRecords)
        for (const one of idempotencyRecords)
          assert.deepStrictEqual(yield* queries.idempotencyRecord(tenant.id, one.key), one)
        const events = written.flatMap((change) => (change._tag === "EventEmitted" ? [change.event] : []))
        assert.deepStrictEqual(yield* queries.events(tenant.id, 0, 10), events)
      }),
    timeoutMs
  )
}
