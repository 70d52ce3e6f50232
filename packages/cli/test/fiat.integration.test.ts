import { checkTenant } from "@bursar/core/checker/checkTenant"
import { createCustomer } from "@bursar/core/customer/createCustomer"
import { recordCheck, recordOpenedCheck } from "@bursar/core/customer/checkCommands"
import * as Writer from "@bursar/core/engine/Writer"
import { LedgerSnapshot } from "@bursar/core/checker/LedgerSnapshot"
import { makeNetworks, Networks } from "@bursar/core/port/Networks"
import { FiatProvider } from "@bursar/core/port/FiatProvider"
import { SecretBox } from "@bursar/core/port/SecretBox"
import { Tenants } from "@bursar/core/port/Tenants"
import { Vault } from "@bursar/core/port/Vault"
import { defaultPolicy, TenantId } from "@bursar/core/tenant/Tenant"
import { addApiKey } from "@bursar/core/access/tenantCommands"
import { TestDatabase } from "@bursar/simulator-postgres"
import { postgresUrl } from "@bursar/simulator-postgres/testing/postgresUrl"
import { layer as layerPostgres, migrate } from "@bursar/postgres"
import { SandboxFiat, SandboxStore } from "@bursar/sandbox"
import { ServerConfig } from "@bursar/server/config/ServerConfig"
import { makeKey } from "@bursar/server/keys/makeKey"
import * as PartnerServer from "@bursar/server/PartnerServer"
import { toWebHandler } from "@bursar/server/toWebHandler"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger, Redacted } from "effect"
import { fiatCorruptions } from "./support/fiatCorruptions.ts"
import { fiatTenant, writeFiatHistory } from "./support/fiatHistory.ts"
import { migratedDatabase, sqlOn } from "./support/world.ts"
import { localCurrencies } from "./support/localCurrencies.ts"
import { withTotals } from "./support/withTotals.ts"

const database = TestDatabase.make(postgresUrl(), {
  name: "cli_fiat_2",
  prepare: (url) => Effect.andThen(migrate({ url: Redacted.make(url) }), writeFiatHistory(url))
})

const check = (url: string) =>
  Effect.flatMap(LedgerSnapshot, (ledger) => ledger.snapshot(fiatTenant, checkTenant)).pipe(
    Effect.map((results) => results.filter(({ firstWrong }) => firstWrong !== null)),
    Effect.provide(layerPostgres({ url: Redacted.make(url), maxConnections: 2 })),
    Effect.scoped
  )

describe("the checker, of a tenant that has customers", () => {
  it.live("finds nothing in books that are right", () =>
    Effect.gen(function* () {
      const { url } = yield* database
      assert.deepStrictEqual(yield* check(url), [])
    })
  )

  for (const { also = [], invariant, statement, what } of fiatCorruptions) {
    it.live(`finds ${what}, by ${[invariant, ...also].join(" and ")}, and names it`, () =>
      Effect.gen(function* () {
        const { url } = yield* database
        const sql = yield* sqlOn(url)
        const rows = yield* sql.unsafe<Readonly<Record<string, string>>>(statement)
        assert.lengthOf(rows, 1)
        yield* withTotals(sql)
        const [named = "nothing"] = Object.values(rows[0] ?? {})
        const found = yield* check(url)
        assert.sameMembers(
          found.map((result) => result.invariant),
          [invariant, ...also],
          JSON.stringify(found.map((result) => `${result.invariant}: ${result.firstWrong}`))
        )
        assert.include(found.find((result) => result.invariant === invariant)?.firstWrong, named)
      })
    )
  }
})

const person = {
  first_name: "Ottoline",
  last_name: "Quillfeather",
  date_of_birth: "1987-03-29",
  document_kind: "PASSPORT",
  document_number: "X9920417Z",
  document_country: "PT",
  residence_street: "Rua do Segredo 7",
  email: "q.uill@example.com",
  phone: "+351210000077"
}

const secrets = ["Ottoline", "Quillfeather", "1987-03-29", "X9920417Z", "Segredo", "q.uill", "351210000077"]

const pepper = Redacted.make("pepper-pepper-pepper-pepper-pepper")

const settings = Layer.succeed(ServerConfig, {
  serviceName: "service",
  keyPrefix: "bsr",
  publicAuthorities: ["api.example.test"],
  trustedProxies: [],
  keyPepper: pepper,
  cursorSecret: pepper,
  operatorToken: pepper,
  currencies: localCurrencies,
  directoryTtl: 0
})

/** What registering a person does not use. */
const unused = Layer.mergeAll(
  Layer.succeed(Networks, makeNetworks([])),
  Layer.mock(SecretBox, {}),
  Layer.mock(Vault, {})
)

describe("who a person is", () => {
  it.live("stands in no row of the database and no line of the log once it was forwarded", () =>
    Effect.gen(function* () {
      const { url } = yield* migratedDatabase
      const logged: Array<string> = []
      const fiat = yield* SandboxFiat.make({ store: SandboxStore.memory() })
      const services = yield* Layer.build(
        Layer.mergeAll(
          Writer.layer.pipe(Layer.provideMerge(layerPostgres({ url: Redacted.make(url), maxConnections: 4 }))),
          Layer.succeed(FiatProvider, fiat.provider),
          settings,
          unused,
          Logger.layer([Logger.map(Logger.formatJson, (line) => void logged.push(line))])
        )
      )
      const id = TenantId(crypto.randomUUID())
      const { key, customer } = yield* Effect.provideContext(
        Effect.gen(function* () {
          const tenants = yield* Tenants
          const writer = yield* Writer.Writer
          const policy = { ...defaultPolicy, ipAllowlist: null }
          const tenant = { id, slug: "t", name: "T", kind: "SANDBOX", status: "ACTIVE", policy, createdAt: 0 } as const
          yield* tenants.create(tenant)
          const made = yield* makeKey({
            prefix: "bsr",
            tenant,
            label: "t",
            scopes: ["customers:write"],
            pepper
          })
          yield* writer.submit(id, addApiKey(made.record))
          const request = { externalId: "user-1", isBusiness: false, displayName: null, country: null }
          const { id: customer } = yield* writer.submit(id, createCustomer(request))
          yield* writer.submit(id, recordOpenedCheck(customer, "x", { applicantId: "a", status: "PENDING" }))
          const check = {
            capabilities: [],
            expiresAt: null,
            environment: null,
            decidedAt: 1,
            status: "APPROVED"
          } as const
          yield* writer.submit(id, recordCheck(customer, "a", check))
          return { key: Redacted.value(made.secret), customer }
        }),
        services
      )
      const web = toWebHandler(PartnerServer.routes, Layer.succeedContext(services))
      yield* Effect.addFinalizer(() => Effect.promise(web.dispose))
      const register = (body: unknown) =>
        Effect.promise(() =>
          web.handler(
            new Request(`https://api.example.test/v1/customers/${customer}/provider-registration`, {
              method: "POST",
              headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
              body: JSON.stringify(body)
            }),
            { clientAddress: "192.0.2.1" }
          )
        )
      assert.strictEqual((yield* register(person)).status, 201)
      assert.strictEqual((yield* register({ ...person, date_of_birth: "29.03.1987 Quillfeather" })).status, 422)
      assert.strictEqual((yield* register({ ...person, document_number: 7 })).status, 422)
      const sql = yield* sqlOn(url)
      const tables = yield* sql<{ readonly name: string }>`select table_name as name from information_schema.tables
        where table_schema = 'public'`
      const rows: Array<string> = []
      for (const { name } of tables) {
        const found = yield* sql<{ readonly row: string }>`select t::text as row from ${sql(name)} t`
        rows.push(...found.map(({ row }) => row))
      }
      const all = rows.join("\n")
      assert.include(all, "cus_", "the rows are what is looked through")
      assert.include(logged.join("\n"), "provider-registration")
      for (const secret of secrets) {
        assert.notInclude(all, secret)
        assert.notInclude(logged.join("\n"), secret)
      }
    }).pipe(Effect.scoped)
  )
})
