import { Queries } from "@bursar/core/store/Queries"
import { assert } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { adjust, emitting, looking, writing } from "../../fixtures/commands.ts"
import { newTenant } from "../../fixtures/tenants.ts"
import { TwoWriters } from "../harness.ts"
import type { StorageIt } from "./services.ts"
import { putRecord, readGroup, readNewest, readRecord } from "@bursar/core/engine/Records"
import type { View } from "@bursar/core/engine/View"
import { Xpub, XpubUse, xpubUseGroup } from "@bursar/core/address/Xpub"
import { AssetReservation } from "@bursar/core/operation/AssetReservation"
import { newXpubText } from "../../fixtures/xpubs.ts"
import { WebhookEndpoint } from "@bursar/core/webhook/WebhookEndpoint"

/** What holds when many commit at once, from two processes. */
export const concurrencyTests = (it: StorageIt, timeoutMs: number): void => {
  it.effect(
    "a thousand concurrent adjustments from two processes lose no update",
    () =>
      Effect.gen(function* () {
        const { id } = yield* newTenant()
        const { first, second } = yield* TwoWriters
        const amounts = Array.from({ length: 1_000 }, (_, index) =>
          index % 3 === 2 ? -BigInt(index) : BigInt(index + 1)
        )
        const exits = yield* Effect.forEach(
          amounts,
          (units, index) => Effect.exit((index % 2 === 0 ? first : second).submit(id, adjust(units))),
          { concurrency: 16 }
        )
        const accepted = amounts.filter((_, index) => exits[index]?._tag === "Success")
        const failures = exits.filter(Exit.isFailure).map((exit) => JSON.stringify(exit))
        assert.isTrue(
          failures.every((text) => text.includes("insufficient_balance")),
          failures[0] ?? ""
        )

        const queries = yield* Queries
        const { closing, movements, opening, truncated } = yield* queries.statement(id, {
          currency: "ETH",
          limit: 10_000
        })
        assert.isFalse(truncated)
        assert.strictEqual(movements.length, accepted.length)
        let units = opening
        for (const [index, { leg }] of movements.entries()) {
          units += leg.direction === "CREDIT" ? leg.units : -leg.units
          assert.deepStrictEqual([leg.balance, leg.version], [units, index + 1])
          assert.isTrue(units >= 0n)
        }
        assert.strictEqual(
          units,
          accepted.reduce((sum, amount) => sum + amount, 0n)
        )
        assert.strictEqual(closing, units)
        assert.deepStrictEqual(yield* queries.float(id), [
          { account: "float:available", currency: "ETH", units, version: accepted.length }
        ])
        assert.deepStrictEqual(
          movements.map(({ leg }) => leg.postingSeq),
          movements.map((_, index) => index + 1)
        )
      }),
    timeoutMs
  )

  it.effect(
    "of two that read one value and write back what it makes, none is overwritten",
    () =>
      Effect.gen(function* () {
        const { id } = yield* newTenant()
        const { first, second } = yield* TwoWriters
        const endpointId = crypto.randomUUID()
        const increment = writing(
          (view) => [
            putRecord(WebhookEndpoint, {
              id: endpointId,
              tenantId: id,
              url: `https://example.com/${Number(view.get(WebhookEndpoint, endpointId)?.url.split("/").at(-1) ?? 0) + 1}`,
              kinds: null,
              secret: "sealed",
              nextSecret: null,
              enabled: true,
              disabledReason: null,
              createdAt: view.now
            })
          ],
          [readRecord(WebhookEndpoint, endpointId)]
        )
        yield* Effect.forEach(
          Array.from({ length: 200 }),
          (_, index) => (index % 2 === 0 ? first : second).submit(id, increment),
          { concurrency: 32, discard: true }
        )
        const url = yield* first.submit(
          id,
          looking([readRecord(WebhookEndpoint, endpointId)], (view) => view.get(WebhookEndpoint, endpointId)?.url)
        )
        assert.strictEqual(url, "https://example.com/200")
      }),
    timeoutMs
  )

  it.effect(
    "of two that change the tenant itself, each builds on what the other has committed",
    () =>
      Effect.gen(function* () {
        const { id } = yield* newTenant()
        const { first, second } = yield* TwoWriters
        const count = ({ tenant }: Pick<View, "tenant">) => Number(tenant.name)
        const rename = (name: (view: View) => number) =>
          writing((view) => [{ _tag: "TenantPut", tenant: { ...view.tenant, name: String(name(view)) } }])
        yield* first.submit(
          id,
          rename(() => 0)
        )
        yield* Effect.forEach(
          Array.from({ length: 200 }),
          (_, index) =>
            (index % 2 === 0 ? first : second).submit(
              id,
              rename((view) => count(view) + 1)
            ),
          { concurrency: 32, discard: true }
        )
        assert.strictEqual(yield* second.submit(id, looking([], count)), 200)
      }),
    timeoutMs
  )

  it.effect(
    "a limit on what the records of a group add up to is not passed by two processes",
    () =>
      Effect.gen(function* () {
        const { id } = yield* newTenant()
        const { first, second } = yield* TwoWriters
        const account = "chain:ethereum:payouts"
        const group = readGroup(AssetReservation, account)
        const sum = (view: Pick<View, "group">) =>
          view.group(AssetReservation, account).reduce((units, one) => units + one.units, 0n)
        /** Adds ten of a currency of its own to the group while all of it stays within a hundred. */
        const add = (currency: string) =>
          writing(
            (view) => (sum(view) > 90n ? [] : [putRecord(AssetReservation, { account, currency, units: 10n })]),
            [group]
          )
        const added = yield* Effect.forEach(
          Array.from({ length: 40 }),
          (_, index) => (index % 2 === 0 ? first : second).submit(id, add(`C${index}`)),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(added.flat().length, 10)
        assert.strictEqual(yield* second.submit(id, looking([group], sum)), 100n)
      }),
    timeoutMs
  )

  it.effect(
    "the number after the newest of a group is given once, though two processes ask for it",
    () =>
      Effect.gen(function* () {
        const { id } = yield* newTenant()
        const { first, second } = yield* TwoWriters
        const canonical = newXpubText()
        const group = xpubUseGroup("ethereum", canonical)
        const next = writing(
          (view) => [
            putRecord(Xpub, {
              id: view.newId(),
              tenantId: id,
              network: "ethereum",
              xpub: canonical,
              canonical,
              indexFrom: 0,
              indexTo: 1_000,
              nextIndex: (view.newest(XpubUse, group)?.nextIndex ?? 0) + 1,
              retiredAt: view.now,
              createdAt: view.now
            })
          ],
          [readNewest(XpubUse, group)]
        )
        const given = yield* Effect.forEach(
          Array.from({ length: 40 }),
          (_, index) => (index % 2 === 0 ? first : second).submit(id, next),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(
          given.flatMap((puts) => puts.map(({ record }) => record.nextIndex)).toSorted((one, other) => one - other),
          given.map((_, index) => index + 1)
        )
      }),
    timeoutMs
  )

  it.effect(
    "tenants do not wait for one another, and their counters are their own",
    () =>
      Effect.gen(function* () {
        const tenants = yield* Effect.forEach(Array.from({ length: 8 }), () => newTenant())
        const { first, second } = yield* TwoWriters
        const ids = yield* Effect.forEach(
          tenants.flatMap(({ id }) => [id, id, id]),
          (id, index) => (index % 2 === 0 ? first : second).submit(id, emitting()),
          { concurrency: "unbounded" }
        )
        for (const [index] of tenants.entries()) {
          assert.deepStrictEqual(ids.slice(index * 3, index * 3 + 3).toSorted(), [1, 2, 3])
        }
      }),
    timeoutMs
  )
}
