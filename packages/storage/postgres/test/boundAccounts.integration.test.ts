import { FiatAccount } from "@bursar/core/account/FiatAccount"
import { recordAccount } from "@bursar/core/account/recordAccount"
import { putRecord } from "@bursar/core/engine/Records"
import * as Writer from "@bursar/core/engine/Writer"
import { done } from "@bursar/core/port/ProviderResult"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { writing } from "@bursar/testkit/fixtures/commands"
import { commitAt, newTenant, past } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { boundAccounts } from "../src/migrations/boundAccounts.ts"
import { client } from "./client.ts"
import { migratedDatabase } from "./database.ts"

const { ports, url } = await migratedDatabase()

const details = {
  holderName: null,
  iban: null,
  accountNumber: null,
  sortCode: null,
  bic: null,
  bankName: null,
  expiresAt: null
}

interface Made {
  readonly tenantId: TenantId
  readonly account: FiatAccount
}

/** An account as the service left it before an account of the provider was one's only. */
const made = Effect.fnUntraced(function* (
  more: Pick<FiatAccount, "providerAccountId" | "createdAt"> & Partial<FiatAccount>,
  tenantId?: TenantId
) {
  const account: FiatAccount = {
    id: crypto.randomUUID(),
    customerId: crypto.randomUUID(),
    currency: "EUR",
    country: null,
    status: "ACTIVE",
    provider: "fake",
    providerCustomerId: "cus",
    details,
    lastIncoming: null,
    changedAt: past,
    ...more
  }
  const one: Made = { tenantId: tenantId ?? (yield* newTenant()).id, account }
  yield* commitAt(
    one.tenantId,
    past,
    writing(() => [putRecord(FiatAccount, account)])
  )
  return one
})

const upgrade = Effect.gen(function* () {
  const sql = yield* client(url)
  yield* Effect.forEach(boundAccounts.statements(sql), (statement) => statement, { discard: true })
})

/** Who has the account of the provider once it is told of one of ours: that one, or the owner that is in its way. */
const ownerAfter = Effect.fnUntraced(function* ({ account, tenantId }: Made, providerAccountId: string) {
  const told = done({ ...details, providerAccountId, status: "ACTIVE" as const })
  const taken = yield* (yield* Writer.Writer).submit(tenantId, recordAccount(account, told))
  if (taken?._tag === "Taken") return account.id
  return taken?._tag === "Another" ? taken.owner : assert.fail(`it is ${taken?._tag}`)
})

describe("accounts that were bound before an account of the provider was one's only", () => {
  layer(Layer.provideMerge(Writer.layer, ports()), { excludeTestServices: true })((it) => {
    for (const isOneTenant of [false, true])
      for (const status of ["ACTIVE", "CLOSED"] as const)
        it.effect(`the oldest has it, here ${status}, of ${isOneTenant ? "one tenant" : "two"}`, () =>
          Effect.gen(function* () {
            const providerAccountId = crypto.randomUUID()
            const young = yield* made({ providerAccountId, createdAt: past + 1 })
            const old = yield* made(
              { providerAccountId, createdAt: past, status },
              isOneTenant ? young.tenantId : undefined
            )
            yield* upgrade
            // the younger is looked at first
            assert.strictEqual(yield* ownerAfter(young, providerAccountId), old.account.id)
            assert.strictEqual(yield* ownerAfter(old, providerAccountId), old.account.id)
          }).pipe(Effect.scoped)
        )

    it.effect("one that is not bound yet does not get what another was bound to", () =>
      Effect.gen(function* () {
        const providerAccountId = crypto.randomUUID()
        const waiting = yield* made({ providerAccountId: null, createdAt: past, status: "PENDING" })
        const bound = yield* made({ providerAccountId, createdAt: past + 1 })
        yield* upgrade
        assert.strictEqual(yield* ownerAfter(waiting, providerAccountId), bound.account.id)
      }).pipe(Effect.scoped)
    )

    it.effect("one id at two providers names two accounts", () =>
      Effect.gen(function* () {
        const providerAccountId = crypto.randomUUID()
        const one = yield* made({ providerAccountId, createdAt: past })
        const other = yield* made({ providerAccountId, createdAt: past + 1, provider: "other" })
        yield* upgrade
        for (const provider of ["fake", "other"]) {
          const mine = provider === "fake" ? one : other
          const late = yield* made({ providerAccountId: null, createdAt: past + 2, provider })
          assert.strictEqual(yield* ownerAfter(late, providerAccountId), mine.account.id)
        }
      }).pipe(Effect.scoped)
    )

    it.effect("what has been told of since stays whose it is", () =>
      Effect.gen(function* () {
        const providerAccountId = crypto.randomUUID()
        const old = yield* made({ providerAccountId, createdAt: past })
        const young = yield* made({ providerAccountId, createdAt: past + 1 })
        assert.strictEqual(yield* ownerAfter(young, providerAccountId), young.account.id)
        yield* upgrade
        assert.strictEqual(yield* ownerAfter(old, providerAccountId), young.account.id)
      }).pipe(Effect.scoped)
    )
  })
})
