import { addressSubject, subjectOf, xpubSubject } from "@bursar/core/address/AddressProof"
import { serviceHoldsKey } from "@bursar/core/address/DepositAddress"
import { isProofTimely, proofLifetimeMs, proofMessage, proofSkewMs } from "@bursar/core/address/proofMessage"
import { retireAddress } from "@bursar/core/address/retireAddress"
import { scanAddress, type ScanStart } from "@bursar/core/address/scanAddress"
import { registerXpub } from "@bursar/core/address/registerXpub"
import { retireXpub } from "@bursar/core/address/retireXpub"
import { watchNow } from "@bursar/core/address/watchNow"
import { Queries } from "@bursar/core/store/Queries"
import { WatchState } from "@bursar/core/store/WatchState"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { xpubItem } from "@bursar/testkit/fixtures/xpubs"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { addressOf, ports, refusalOf, registered, said, submit } from "./world.ts"

const tenant = Effect.map(newTenant(), ({ id }) => id)

const watched = Effect.fnUntraced(function* (id: TenantId) {
  const result = yield* registered(id, addressOf(crypto.randomUUID()))
  return result.status === "registered" ? result.address : yield* Effect.die(new Error(said(result)))
})

layer(ports)("the past of an address", (it) => {
  const now = 5_000_000

  it.effect("is read again from a moment that is past, or from a block", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(now)
      const id = yield* tenant
      const { address, id: addressId } = yield* watched(id)
      const starts: ReadonlyArray<readonly [ScanStart, number | null, number]> = [
        [{ _tag: "Moment", at: now - 10 }, null, now - 10],
        [{ _tag: "Moment", at: now }, null, now],
        [{ _tag: "Block", number: 7 }, 7, now]
      ]
      for (const [start, fromBlock, fromTime] of starts) {
        const backfill = yield* submit(id, scanAddress(addressId, start))
        const { id: jobId } = backfill
        assert.deepStrictEqual(backfill, {
          id: jobId,
          tenantId: id,
          network: "ethereum",
          addresses: [address],
          fromBlock,
          fromTime,
          createdAt: now
        })
        const jobs = yield* (yield* WatchState).backfills("ethereum", 1_000)
        assert.include(
          jobs.map((job) => job.id),
          jobId
        )
      }
    })
  )

  it.effect("is not read from the future, of what is retired, or of what the tenant does not have", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(now)
      const [id, stranger] = [yield* tenant, yield* tenant]
      const { id: addressId } = yield* watched(id)
      const from = (at: number) => scanAddress(addressId, { _tag: "Moment", at })
      assert.strictEqual(yield* refusalOf(id, from(now + 1)), "invalid_request")
      assert.strictEqual(yield* refusalOf(stranger, from(now)), "not_found")
      yield* submit(id, retireAddress(addressId))
      assert.strictEqual(yield* refusalOf(id, from(now)), "state_conflict")
    })
  )
})

layer(ports)("watching an address", (it) => {
  it.effect("can be asked for every minute of the next hour, and a repeat restarts the hour", () =>
    Effect.gen(function* () {
      const [id, stranger] = [yield* tenant, yield* tenant]
      const { id: addressId } = yield* watched(id)
      for (const at of [1_000, 9_000]) {
        yield* TestClock.setTime(at)
        const { watchNowUntil } = yield* submit(id, watchNow(addressId))
        assert.strictEqual(watchNowUntil, at + 3_600_000)
        const all = yield* (yield* Queries).addresses(id, { includeRetired: false, limit: 9 })
        assert.strictEqual(all[0]?.watchNowUntil, watchNowUntil)
      }
      assert.strictEqual(yield* refusalOf(stranger, watchNow(addressId)), "not_found")
    })
  )

  it.effect("ends once, and what was asked for ends with it", () =>
    Effect.gen(function* () {
      const [id, stranger] = [yield* tenant, yield* tenant]
      const { id: addressId } = yield* watched(id)
      yield* submit(id, watchNow(addressId))
      yield* TestClock.setTime(20_000)
      const retired = yield* submit(id, retireAddress(addressId))
      assert.deepInclude(retired, { retiredAt: 20_000, watchNowUntil: null })
      yield* TestClock.setTime(30_000)
      assert.deepStrictEqual(yield* submit(id, retireAddress(addressId)), retired)
      assert.strictEqual(yield* refusalOf(stranger, retireAddress(addressId)), "not_found")
    })
  )

  it.effect("of an extended public key begins and ends with an event that names it", () =>
    Effect.gen(function* () {
      const id = yield* tenant
      const xpub = yield* submit(id, registerXpub(xpubItem({ indexFrom: 5, indexTo: 9 })))
      for (let twice = 0; twice < 2; twice++) yield* submit(id, retireXpub(xpub.id))
      const data = {
        xpub_id: xpub.id,
        network: "ethereum",
        xpub: xpub.xpub,
        index_from: 5,
        index_to: 9,
        next_index: 5
      }
      assert.deepStrictEqual(
        (yield* (yield* Queries).events(id, 0, 9)).map((event) => [event.kind, event.data]),
        [
          ["xpub.registered", data],
          ["xpub.retired", data]
        ]
      )
    })
  )
})

describe("the keys of addresses", () => {
  it("are the service's where it has issued them or was given them, and else the tenant's to prove", () => {
    const about = (origin: Parameters<typeof serviceHoldsKey>[0], xpubId: string | null = null) => [
      serviceHoldsKey(origin),
      subjectOf({ address: "0xa", origin, xpubId }, "evm")
    ]
    assert.deepStrictEqual(about("ISSUED"), [true, undefined])
    assert.deepStrictEqual(about("IMPORTED"), [true, undefined])
    assert.deepStrictEqual(about("REGISTERED"), [false, addressSubject("evm", "0xa")])
    assert.deepStrictEqual(about("REGISTERED", "x"), [false, addressSubject("evm", "0xa")])
    assert.deepStrictEqual(about("DERIVED", "x"), [false, xpubSubject("x")])
    assert.deepStrictEqual(about("DERIVED"), [false, addressSubject("evm", "0xa")])
    assert.notStrictEqual(addressSubject("evm", "0xa"), addressSubject("tron", "0xa"))
    assert.notStrictEqual(addressSubject("evm", "0xa"), addressSubject("evm", "0xb"))
    assert.notStrictEqual(xpubSubject("x"), xpubSubject("y"))
  })

  it("are proven by a text that says who gives what to whom, where and when", () => {
    const message = proofMessage({
      serviceName: "Bursar of Example",
      tenantId: TenantId("tenant-7"),
      network: "base",
      address: "0xabc",
      issuedAt: Date.UTC(2026, 1, 3, 4, 5, 6)
    })
    assert.strictEqual(
      message,
      [
        "I hold the key of this address and give its deposits to the tenant named here (Bursar of Example).",
        "Tenant: tenant-7",
        "Network: base",
        "Address: 0xabc",
        "Issued: 2026-02-03T04:05:06.000Z"
      ].join("\n")
    )
  })

  it("are proven within an hour, and by a challenge of a clock that is a minute ahead at most", () => {
    const issuedAt = 10_000_000
    assert.deepStrictEqual([proofLifetimeMs, proofSkewMs], [3_600_000, 60_000])
    const timely = (offset: number) => isProofTimely(issuedAt, issuedAt + offset)
    assert.deepStrictEqual([-60_001, -60_000, 0, 3_599_999, 3_600_000].map(timely), [false, true, true, true, false])
  })
})
