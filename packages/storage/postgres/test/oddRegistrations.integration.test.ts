import { DepositAddress } from "@bursar/core/address/DepositAddress"
import { putRecord } from "@bursar/core/engine/Records"
import { Queries } from "@bursar/core/store/Queries"
import { writing } from "@bursar/testkit/fixtures/commands"
import { bareAddress } from "@bursar/testkit/fixtures/records"
import { commitAt, newTenant, past } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { client } from "./client.ts"
import { migratedDatabase } from "./database.ts"

const { ports, url } = await migratedDatabase()

const named = { id: crypto.randomUUID(), keyid: "k" }

/** What somebody who writes the table puts there, and the requests that the address names then. */
const odd: ReadonlyArray<readonly [unknown, DepositAddress["registrations"]]> = [
  [7, []],
  [{ a: 1 }, []],
  ["x", []],
  [null, []],
  [[null], []],
  [[{ id: "no uuid", keyid: "k" }], []],
  [[{ id: named.id }], []],
  [[{ id: 7, keyid: "k" }, named, named.id], [named]]
]

describe("an address whose row names requests in another form", () => {
  layer(ports(), { excludeTestServices: true })((it) => {
    for (const [form, registrations] of odd)
      it.effect(`is read as one that they have not registered: ${JSON.stringify(form)}`, () =>
        Effect.gen(function* () {
          const tenant = yield* newTenant()
          const address = bareAddress({ newId: () => crypto.randomUUID(), now: past, tenant })
          yield* commitAt(
            tenant.id,
            past,
            writing(() => [putRecord(DepositAddress, address)])
          )
          const sql = yield* client(url)
          yield* sql`update address set registrations = ${JSON.stringify(form)}::json where address_id = ${address.id}`
          const { record } = yield* Queries
          assert.deepStrictEqual((yield* record(tenant.id, DepositAddress, address.id))?.registrations, registrations)
        })
      )
  })
})
