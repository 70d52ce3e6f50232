import { putRecord } from "@bursar/core/engine/Records"
import { Operation } from "@bursar/core/operation/Operation"
import { evidenceKey, PayoutEvidence } from "@bursar/core/payout/PayoutEvidence"
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
    it.effect("is that it is shared, and which payout bore the cost, if one did", () =>
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
        const given = (txHash: string, operationId: string, shared = ""): PayoutEvidence => ({
          ...{ key: evidenceKey("base", txHash, "") + shared, operationId, network: "base", txHash, note: "" },
          ...{ givenBy: "ann", givenAt: past, verdict: null, found: null, fee: null, checkedAt: null },
          ...{ isShared: false, costBorneBy: null }
        })
        const all = [
          given("0x1", free.id),
          given("0x1", bore.id, "|t||"),
          given("0x2", alone.id),
          given("0x3", unknown.id)
        ]
        yield* commitAt(
          tenant.id,
          past,
          writing(() => [
            ...[bore, free, alone, unknown].map((one) => putRecord(Operation, one)),
            ...all.map((one) => putRecord(PayoutEvidence, one))
          ])
        )
        const sql = yield* client(url)
        // the columns are there
        yield* Effect.forEach(firstEvidence.statements(sql).slice(1), (statement) => statement, { discard: true })
        const after = Effect.fnUntraced(function* ({ id }: Operation) {
          const [one] = yield* (yield* Queries).records(tenant.id, PayoutEvidence, id)
          return [one?.isShared, one?.costBorneBy]
        })
        assert.deepStrictEqual(yield* after(free), [true, bore.id])
        assert.deepStrictEqual(yield* after(bore), [false, null])
        assert.deepStrictEqual(yield* after(alone), [false, alone.id])
        assert.deepStrictEqual(yield* after(unknown), [false, null])
      })
    )
  })
})
