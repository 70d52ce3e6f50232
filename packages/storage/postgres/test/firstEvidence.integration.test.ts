import { putRecord } from "@bursar/core/engine/Records"
import { Operation } from "@bursar/core/operation/Operation"
import { evidenceKey, PayoutEvidence } from "@bursar/core/payout/PayoutEvidence"
import { Payout } from "@bursar/core/payout/Payout"
import { Queries } from "@bursar/core/store/Queries"
import { writing } from "@bursar/testkit/fixtures/commands"
import { bareOperation } from "@bursar/testkit/fixtures/records"
import { commitAt, newTenant, past } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { firstEvidence } from "../src/migrations/firstEvidence.ts"
import { client } from "./client.ts"
import { migratedDatabase } from "./database.ts"

const { ports, url } = await migratedDatabase()

describe("what evidence of several payouts says of its transaction after the upgrade", () => {
  layer(ports(), { excludeTestServices: true })((it) => {
    it.effect("is how much of it is not denied, and which payout bore the cost, if one did", () =>
      Effect.gen(function* () {
        const tenant = yield* newTenant()
        const told = (hash: string, fee: string | null) =>
          bareOperation(
            { newId: () => crypto.randomUUID(), now: past, tenant },
            {
              ...{ kind: "CHAIN_PAYOUT", status: "SETTLED", network: "base", txHash: hash },
              details: { proven_by: { tx_hash: hash, given_by: "ann", ...(fee !== null && { network_fee: fee }) } }
            }
          )
        const [bore, free, alone, unknown] = [told("0x1", "7"), told("0x1", "0"), told("0x2", "9"), told("0x3", null)]
        const [denied, withMemo] = [told("0x5", null), told("0x4", null)]
        const payout: Payout = {
          ...{ operationId: withMemo.id, network: "base", currency: "ETH_BASE", contract: null, units: 1n, to: "t" },
          ...{ transactionId: null, earlierTransactions: [], attempts: 0, alone: false, waits: null },
          ...{ madeBy: "maker", reviewedBy: null, cancelledBy: null },
          memo: { type: "id", value: "5" }
        }
        const given = (txHash: string, operationId: string, shared = ""): PayoutEvidence => ({
          ...{ key: evidenceKey("base", txHash, "") + shared, operationId, network: "base", txHash, note: "" },
          ...{ givenBy: "ann", givenAt: past, verdict: null, found: null, fee: null, checkedAt: null },
          ...{ sharedCount: 0, costBorneBy: null }
        })
        const all = [
          given("0x1", free.id),
          given("0x1", bore.id, "|t||"),
          { ...given("0x1", denied.id, "|u||"), verdict: "NOT_PROVEN" as const, found: "", checkedAt: past },
          given("0x4", withMemo.id),
          given("0x2", alone.id),
          given("0x3", unknown.id)
        ]
        yield* commitAt(
          tenant.id,
          past,
          writing(() => [
            ...[bore, free, alone, unknown, denied, withMemo].map((one) => putRecord(Operation, one)),
            putRecord(Payout, payout),
            ...all.map((one) => putRecord(PayoutEvidence, one))
          ])
        )
        const sql = yield* client(url)
        // the columns are there
        yield* Effect.forEach(firstEvidence.statements(sql).slice(1), (statement) => statement, { discard: true })
        const after = Effect.fnUntraced(function* ({ id }: Operation) {
          const [one] = yield* (yield* Queries).records(tenant.id, PayoutEvidence, id)
          return [one?.sharedCount, one?.costBorneBy]
        })
        assert.deepStrictEqual(yield* after(free), [1, bore.id])
        assert.deepStrictEqual(yield* after(bore), [0, null])
        assert.deepStrictEqual(yield* after(alone), [0, alone.id])
        assert.deepStrictEqual(yield* after(unknown), [0, null])
        assert.deepStrictEqual(yield* after(withMemo), [null, null])
      })
    )
  })
})
