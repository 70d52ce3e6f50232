import { DepositAddress } from "@bursar/core/address/DepositAddress"
import { putRecord } from "@bursar/core/engine/Records"
import { SignedRegistration } from "@bursar/core/signature/SignedRegistration"
import { Queries } from "@bursar/core/store/Queries"
import { writing } from "@bursar/testkit/fixtures/commands"
import { bareAddress } from "@bursar/testkit/fixtures/records"
import { commitAt, newTenant, past } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { namedRegistrations } from "../src/migrations/namedRegistrations.ts"
import { client } from "./client.ts"
import { migratedDatabase } from "./database.ts"

const { ports, url } = await migratedDatabase()

describe("the request that an address named before the upgrade", () => {
  layer(ports(), { excludeTestServices: true })((it) => {
    it.effect("is named with the key that has signed it, if it is kept", () =>
      Effect.gen(function* () {
        const tenant = yield* newTenant()
        const [kept, lost] = [crypto.randomUUID(), crypto.randomUUID()]
        const context = { newId: () => crypto.randomUUID(), now: past, tenant }
        const [signed, unsigned, gone] = [bareAddress(context), bareAddress(context), bareAddress(context)]
        yield* commitAt(
          tenant.id,
          past,
          writing(() => [
            ...[signed, unsigned, gone].map((one) => putRecord(DepositAddress, one)),
            putRecord(SignedRegistration, {
              ...{ id: kept, keyid: "k", signatureBase: "b", signature: "s", body: "b", recordedAt: past }
            })
          ])
        )
        const sql = yield* client(url)
        yield* sql`alter table address drop column registrations, add column registration_id uuid`
        for (const [{ id }, registrationId] of [
          [signed, kept],
          [gone, lost]
        ] as const)
          yield* sql`update address set registration_id = ${registrationId} where address_id = ${id}`
        yield* Effect.forEach(namedRegistrations.statements(sql), (statement) => statement, { discard: true })
        const after = Effect.fnUntraced(function* ({ id }: DepositAddress) {
          return (yield* (yield* Queries).record(tenant.id, DepositAddress, id))?.registrations
        })
        assert.deepStrictEqual(yield* after(signed), [{ id: kept, keyid: "k" }])
        assert.deepStrictEqual(yield* after(unsigned), [])
        assert.deepStrictEqual(yield* after(gone), [{ id: lost, keyid: "" }])
      })
    )
  })
})
