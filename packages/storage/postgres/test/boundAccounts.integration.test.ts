import { createHash } from "node:crypto"
import { recordIncoming } from "@bursar/core/account/recordIncoming"
import { idLengthMax } from "@bursar/core/base/storable"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { of } from "@bursar/core/money/Amount"
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

/** A text that hardly compresses, of characters of three bytes. */
const incompressible = (length: number): string => {
  const bytes = Array.from({ length: Math.ceil(length / 64) }, (_, block) =>
    createHash("sha512").update(String(block)).digest()
  ).flatMap((digest) => [...digest])
  return String.fromCodePoint(...bytes.map((byte) => 0x4e00 + byte)).slice(0, length)
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

    it.effect("one whose id no index takes does not stop the upgrade of the others", () =>
      Effect.gen(function* () {
        const bound = yield* made({ providerAccountId: crypto.randomUUID(), createdAt: past })
        yield* made({ providerAccountId: incompressible(4_000), createdAt: past, status: "REJECTED" })
        yield* upgrade
        const late = yield* made({ providerAccountId: null, createdAt: past + 1, status: "PENDING" })
        assert.strictEqual(yield* ownerAfter(late, bound.account.providerAccountId ?? ""), bound.account.id)
      }).pipe(Effect.scoped)
    )
  })
})

describe("what the fiat provider tells under the longest ids that are stored", () => {
  layer(Layer.provideMerge(Writer.layer, ports()), { excludeTestServices: true })((it) => {
    it.effect("is stored: an account, and a payment on it, whose key holds both", () =>
      Effect.gen(function* () {
        const id = incompressible(idLengthMax)
        const { account, tenantId } = yield* made({ providerAccountId: null, createdAt: past, status: "PENDING" })
        const { submit } = yield* Writer.Writer
        const told = done({ ...details, iban: id, providerAccountId: id, status: "ACTIVE" as const })
        assert.strictEqual((yield* submit(tenantId, recordAccount(account, told)))?._tag, "Taken")
        const payment = { id, providerAccountId: id, amount: of(100n, "EUR"), description: "", arrivedAt: 0 }
        const taken = yield* submit(tenantId, recordIncoming(account, payment, defaultCurrencies))
        assert.strictEqual(taken._tag, "Booked")
      })
    )

    it.effect("is not where they are longer: nothing fails by it", () =>
      Effect.gen(function* () {
        const id = incompressible(4_000)
        const { account, tenantId } = yield* made({ providerAccountId: null, createdAt: past, status: "PENDING" })
        const { submit } = yield* Writer.Writer
        const told = { ...details, providerAccountId: crypto.randomUUID(), status: "ACTIVE" as const }
        const unread = yield* submit(tenantId, recordAccount(account, done({ ...told, providerAccountId: id })))
        assert.strictEqual(unread?._tag, "Unread")
        assert.strictEqual(
          (yield* submit(tenantId, recordAccount(account, done({ ...told, iban: id }))))?._tag,
          "Taken"
        )
        const payment = { ...told, id, amount: of(100n, "EUR"), description: "", arrivedAt: 0 }
        const taken = yield* submit(tenantId, recordIncoming(account, payment, defaultCurrencies))
        assert.strictEqual(taken._tag, "UnstorableId")
      })
    )
  })
})
