import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import {
  type GrantedDestination,
  grantDestination,
  proposeDestination,
  rejectDestination,
  verifyDestination
} from "@bursar/core/destination/destinationCommands"
import {
  Destination,
  destinationState,
  shownDestinations,
  usableDestination
} from "@bursar/core/destination/Destination"
import { acceptedDestination } from "@bursar/core/destination/acceptedDestination"
import { destinationDigest } from "@bursar/core/destination/destinationDigest"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import fc from "fast-check"
import { proposed, refusalOf, store, submit, verified, withdraw, withdrawer } from "../withdrawal/world.ts"

/** Where a withdrawal would go, and which destination is shown to the tenant. */
const seen = Effect.fnUntraced(function* (id: TenantId) {
  const all = yield* (yield* Queries).records(id, Destination)
  const now = yield* Clock.currentTimeMillis
  return [
    usableDestination(all, "USDC_BASE", now)?.address ?? "nowhere",
    shownDestinations(all, now)
      .map(({ address }) => address)
      .join()
  ]
})

const reject = (id: TenantId, destination: { readonly id: string }) =>
  submit(id, rejectDestination(destination.id, "no"))

describe("the destination of withdrawals", () => {
  it.effect("is the one that is shown, whatever is proposed beside it", () =>
    Effect.gen(function* () {
      const id = yield* withdrawer({ destinationCoolingHours: 24 })
      const first = yield* proposed(id, "0xA")
      assert.deepStrictEqual(yield* seen(id), ["nowhere", "0xA"])
      yield* reject(id, first)
      yield* verified(id, "0xB")
      assert.deepStrictEqual(yield* seen(id), ["nowhere", "0xB"])
      yield* TestClock.adjust("24 hours")
      assert.deepStrictEqual(yield* seen(id), ["0xB", "0xB"])
      const next = yield* proposed(id, "0xC")
      assert.deepStrictEqual(yield* seen(id), ["0xB", "0xB"])
      yield* reject(id, next)
      assert.deepStrictEqual(yield* seen(id), ["0xB", "0xB"])
      yield* verified(id, "0xD")
      assert.deepStrictEqual(yield* seen(id), ["0xB", "0xB"])
      yield* TestClock.adjust("24 hours")
      assert.deepStrictEqual(yield* seen(id), ["0xD", "0xD"])
    }).pipe(Effect.provide(store))
  )

  it.effect("never comes back to life once another has taken its place, or it was rejected", () =>
    Effect.gen(function* () {
      const id = yield* withdrawer()
      yield* verified(id, "0xA")
      yield* TestClock.adjust("1 hour")
      const second = yield* verified(id, "0xB")
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual(yield* seen(id), ["0xB", "0xB"])
      yield* reject(id, second)
      assert.deepStrictEqual(yield* seen(id), ["nowhere", "0xB"])
      assert.strictEqual(yield* withdraw(id, 1_000_000n), "destination_not_verified")
      yield* verified(id, "0xC")
      assert.deepStrictEqual(yield* seen(id), ["0xC", "0xC"])
    }).pipe(Effect.provide(store))
  )

  it.effect("stays where its successor is rejected before it could receive", () =>
    Effect.gen(function* () {
      const id = yield* withdrawer({ destinationCoolingHours: 24 })
      yield* verified(id, "0xA")
      yield* TestClock.adjust("24 hours")
      const second = yield* verified(id, "0xB")
      yield* TestClock.adjust("23 hours")
      yield* reject(id, second)
      assert.deepStrictEqual(yield* seen(id), ["0xA", "0xA"])
      yield* TestClock.adjust("2 hours")
      assert.deepStrictEqual(yield* seen(id), ["0xA", "0xA"])
    }).pipe(Effect.provide(store))
  )
})

describe("who decides on a destination", () => {
  it.effect("is somebody else than who proposed it", () =>
    Effect.gen(function* () {
      const id = yield* withdrawer()
      const proposal = yield* proposed(id, "0xA")
      assert.strictEqual(yield* refusalOf(id, verifyDestination(proposal.id, "alice")), "state_conflict")
      assert.strictEqual(yield* withdraw(id, 1_000_000n), "destination_not_verified")
      const { address, currency, memo, network } = proposal
      const seen = { address, currency, memo, network }
      for (const other of [{ address: "0xB" }, { currency: "ETH" }, { memo: "7" }, { network: "bsc" }])
        assert.strictEqual(
          yield* refusalOf(id, verifyDestination(proposal.id, "bob", { ...seen, ...other })),
          "state_conflict"
        )
      assert.isNull(yield* refusalOf(id, verifyDestination(proposal.id, "bob", seen)))
    }).pipe(Effect.provide(store))
  )

  it.effect("decides once, on what was proposed", () =>
    Effect.gen(function* () {
      const id = yield* withdrawer()
      assert.strictEqual(yield* refusalOf(id, verifyDestination("none", "bob")), "not_found")
      assert.strictEqual(yield* refusalOf(id, rejectDestination("none", "no")), "not_found")
      const one = yield* verified(id, "0xA")
      // who verifies it again would begin its waiting time anew, and put it in the place of those verified since
      assert.strictEqual(yield* refusalOf(id, verifyDestination(one.id, "bert")), "state_conflict")
      const other = yield* proposed(id, "0xB")
      yield* reject(id, other)
      assert.strictEqual(yield* refusalOf(id, verifyDestination(other.id, "bob")), "state_conflict")
      assert.strictEqual(yield* refusalOf(id, rejectDestination(other.id, "no")), "state_conflict")
      assert.deepStrictEqual(yield* seen(id), ["0xA", "0xA"])
    }).pipe(Effect.provide(store))
  )

  it.effect("has one open proposal of each currency before her", () =>
    Effect.gen(function* () {
      const id = yield* withdrawer()
      const other = { network: "tron", address: "T1", memo: null, label: "t", by: "alice" } as const
      const proposal = yield* proposed(id, "0xA")
      const again = proposeDestination({ ...other, currency: "USDC_BASE", network: "base" })
      assert.strictEqual(yield* refusalOf(id, again), "state_conflict")
      assert.isNull(yield* refusalOf(id, proposeDestination({ ...other, currency: "USDT_TRON" })))
      yield* submit(id, verifyDestination(proposal.id, "bob"))
      assert.isNull(yield* refusalOf(id, again))
      for (const one of yield* (yield* Queries).records(id, Destination))
        if (one.verifiedAt === null) yield* reject(id, one)
      assert.isNull(yield* refusalOf(id, again))
    }).pipe(Effect.provide(store))
  )
})

describe("a destination that was granted", () => {
  const given = (address: string, usableFrom: number, more: Partial<GrantedDestination> = {}): GrantedDestination => ({
    id: `00000000-0000-4000-8000-0000000000${address.slice(-2)}`,
    currency: "USDC_BASE",
    network: "base",
    address,
    memo: null,
    label: address,
    by: "alice",
    grantedBy: "grant 7",
    proposedAt: 0,
    usableFrom,
    ...more
  })
  const [a, b, c] = ["0xaa", "0xbb", "0xcc"] as const

  it.effect("receives from when the grant says, and stays as it was first granted", () =>
    Effect.gen(function* () {
      const id = yield* withdrawer()
      const made = yield* submit(id, grantDestination(given(a, 1_000)))
      assert.deepInclude(made, {
        address: a,
        verifiedBy: "grant 7",
        proposedBy: "alice",
        usableFrom: 1_000,
        verifiedAt: 0
      })
      assert.deepStrictEqual(yield* seen(id), ["nowhere", a])
      yield* TestClock.adjust(1_000)
      assert.deepStrictEqual(yield* seen(id), [a, a])
      const again = yield* submit(id, grantDestination(given(a, 5_000, { grantedBy: "grant 8" })))
      assert.deepStrictEqual(again, made)
    }).pipe(Effect.provide(store))
  )

  it.effect("says what was proposed under its id, or is refused", () =>
    Effect.gen(function* () {
      const id = yield* withdrawer()
      const proposal = yield* proposed(id, a)
      const same = given(a, 1_000, { id: proposal.id, grantedBy: "grant 7", by: "somebody else" })
      for (const other of [{ address: b }, { network: "ethereum" }, { memo: "7" }, { currency: "USDT_ETH" }] as const)
        assert.strictEqual(yield* refusalOf(id, grantDestination({ ...same, ...other })), "state_conflict")
      const made = yield* submit(id, grantDestination(same))
      assert.deepStrictEqual(made, { ...proposal, verifiedBy: "grant 7", verifiedAt: 0, usableFrom: 1_000 })
    }).pipe(Effect.provide(store))
  )

  it.effect("is refused under no UUID, and where it was rejected", () =>
    Effect.gen(function* () {
      const id = yield* withdrawer()
      const uuid = given(a, 1).id
      for (const text of ["", "x", `${uuid}0`, `0${uuid}`, uuid.slice(1), uuid.replace("aa", "AA")])
        assert.strictEqual(yield* refusalOf(id, grantDestination(given(a, 1, { id: text }))), "state_conflict")
      yield* submit(id, grantDestination(given(a, 1)))
      yield* reject(id, { id: uuid })
      assert.strictEqual(yield* refusalOf(id, grantDestination(given(a, 1))), "state_conflict")
    }).pipe(Effect.provide(store))
  )

  it.effect("takes the place of one that was granted in the same moment, whatever their ids", () =>
    Effect.gen(function* () {
      const id = yield* withdrawer()
      yield* submit(id, grantDestination(given(b, 1_000)))
      const newer = yield* submit(id, grantDestination(given(a, 1_001)))
      yield* TestClock.adjust(2_000)
      assert.deepStrictEqual(yield* seen(id), [a, a])
      yield* reject(id, newer)
      assert.strictEqual((yield* seen(id))[0], "nowhere")
    }).pipe(Effect.provide(store))
  )

  it.effect("waits for as long as the tenant's row says, but one that was verified before", () =>
    Effect.gen(function* () {
      const id = yield* withdrawer({ destinationCoolingHours: 24 })
      const hours = 24 * 3_600_000
      yield* TestClock.adjust(hours)
      assert.strictEqual(yield* refusalOf(id, grantDestination(given(a, hours, { proposedAt: 1 }))), "state_conflict")
      assert.isNull(yield* refusalOf(id, grantDestination(given(a, hours, { proposedAt: 0 }))))
      assert.isNull(yield* refusalOf(id, grantDestination(given(a, hours, { proposedAt: hours }))))
    }).pipe(Effect.provide(store))
  )

  it.effect("is the newest of its currency: none comes before one that stands", () =>
    Effect.gen(function* () {
      const id = yield* withdrawer()
      yield* submit(id, grantDestination(given(a, 1_000)))
      for (const usableFrom of [0, 999, 1_000])
        assert.strictEqual(yield* refusalOf(id, grantDestination(given(b, usableFrom))), "state_conflict")
      assert.isNull(yield* refusalOf(id, grantDestination(given(c, 10, { currency: "USDT_ETH", network: "ethereum" }))))
      assert.isNull(yield* refusalOf(id, grantDestination(given(b, 1_001))))
      yield* TestClock.adjust(2_000)
      assert.deepStrictEqual(yield* seen(id), [b, `${b},${c}`])
    }).pipe(Effect.provide(store))
  )

  it.effect("may come before one that was rejected", () =>
    Effect.gen(function* () {
      const id = yield* withdrawer()
      yield* submit(id, grantDestination(given(a, 1_000)))
      yield* reject(id, given(a, 1_000))
      assert.isNull(yield* refusalOf(id, grantDestination(given(b, 500))))
    }).pipe(Effect.provide(store))
  )
})

describe("where a destination stands", () => {
  const day = 86_400_000
  const made = (
    id: string,
    verifiedAt: number | null,
    usableFrom: number | null,
    more: Partial<Destination> = {}
  ): Destination => ({
    id,
    currency: "USDC_BASE",
    network: "base",
    address: `0x${id}`,
    memo: null,
    label: id,
    proposedBy: "alice",
    verifiedBy: verifiedAt === null ? null : "bob",
    verifiedAt,
    usableFrom,
    rejectedAt: null,
    rejectedReason: null,
    createdAt: 0,
    ...more
  })
  const all = [
    made("1", day, 2 * day),
    made("2", 3 * day, 4 * day),
    made("3", 5 * day, 9 * day),
    made("4", null, null),
    made("5", 2 * day, 3 * day, { rejectedAt: 4 * day }),
    made("6", day, 2 * day, { currency: "USDT_ETH", network: "ethereum" })
  ]
  const states = (now: number) => all.map((one) => destinationState(one, all, now)).join(" ")

  it("follows from when each was verified and may be used", () => {
    assert.strictEqual(states(2 * day - 1), "COOLING COOLING COOLING PROPOSED REJECTED COOLING")
    assert.strictEqual(states(2 * day), "RECEIVING COOLING COOLING PROPOSED REJECTED RECEIVING")
    assert.strictEqual(states(4 * day), "REPLACED RECEIVING COOLING PROPOSED REJECTED RECEIVING")
    assert.strictEqual(states(9 * day), "REPLACED REPLACED RECEIVING PROPOSED REJECTED RECEIVING")
  })

  it("is one that receives of each currency at most, in whatever order they are told", () => {
    const times = fc.integer({ min: 0, max: 5 })
    const some = fc.array(
      fc.record({
        currency: fc.constantFrom("USDC_BASE", "USDT_ETH"),
        verified: fc.option(fc.tuple(times, times)),
        rejected: fc.option(times),
        createdAt: times
      }),
      { maxLength: 6 }
    )
    const destinations = some.map((rows) =>
      rows.map(({ createdAt, currency, rejected, verified: when }, index) =>
        made(String(index), when && when[0], when && when[0] + when[1], { createdAt, currency, rejectedAt: rejected })
      )
    )
    const shuffled = destinations.chain((rows) =>
      fc.tuple(fc.constant(rows), fc.shuffledSubarray(rows, { minLength: rows.length }))
    )
    fc.assert(
      fc.property(shuffled, times, ([rows, others], now) => {
        assert.deepStrictEqual(shownDestinations(others, now), shownDestinations(rows, now))
        const shown = shownDestinations(rows, now).map(({ currency }) => currency)
        assert.deepStrictEqual(shown, [...new Set(rows.map(({ currency }) => currency))].toSorted())
        for (const currency of ["USDC_BASE", "USDT_ETH"]) {
          const usable = usableDestination(rows, currency, now)
          assert.deepStrictEqual(usableDestination(others, currency, now), usable)
          const receiving = rows.filter(
            (one) => one.currency === currency && destinationState(one, rows, now) === "RECEIVING"
          )
          assert.deepStrictEqual(receiving, usable === undefined ? [] : [usable])
          if (usable === undefined) continue
          assert.isTrue(usable.verifiedAt !== null && usable.usableFrom !== null && usable.usableFrom <= now)
          assert.isNull(usable.rejectedAt)
          assert.include(shownDestinations(rows, now), usable)
        }
      }),
      { numRuns: 500 }
    )
  })

  it("shows the newest proposal where nothing receives", () => {
    const older = made("1", null, null, { createdAt: 1 })
    const newer = made("0", null, null, { createdAt: 2 })
    assert.deepStrictEqual(shownDestinations([newer, older], 9), [newer])
    assert.deepStrictEqual(shownDestinations([older, newer], 9), [newer])
  })

  it("is nobody's place where it was rejected before its waiting time was over", () => {
    const one = made("1", day, 2 * day)
    const rejected = (rejectedAt: number) => [one, made("2", 2 * day, 4 * day, { rejectedAt })]
    assert.strictEqual(usableDestination(rejected(4 * day - 1), "USDC_BASE", 9 * day), one)
    assert.isUndefined(usableDestination(rejected(4 * day), "USDC_BASE", 9 * day))
  })

  it.effect("has a digest of all that decides where money goes, and of nothing else", () =>
    Effect.gen(function* () {
      const one = made("1", day, 2 * day)
      const digest = yield* destinationDigest(one)
      assert.match(digest, /^[0-9a-f]{64}$/u)
      const same = { ...one, label: "other", rejectedAt: 9 * day, rejectedReason: "no", createdAt: 7 }
      assert.strictEqual(yield* destinationDigest(same), digest)
      const others = [
        { id: "2" },
        { currency: "USDC_ETH" },
        { network: "ethereum" as const },
        { address: "0x2" },
        { memo: "7" },
        { proposedBy: "bob" },
        { verifiedBy: "alice" },
        { verifiedBy: null },
        { verifiedAt: 0 },
        { verifiedAt: null },
        { usableFrom: 0 },
        { usableFrom: null }
      ]
      const digests = yield* Effect.forEach(others, (other) => destinationDigest({ ...one, ...other }))
      assert.strictEqual(new Set([digest, ...digests]).size, others.length + 1)
      // noted digests stay: the text that is hashed does not change
      assert.strictEqual(digest, "4b820488e650e4333c955d3dd6e671ff03238ad09287e35daa085c184fb9a647")
    })
  )

  it.effect("is kept with the withdrawal that it was accepted for", () =>
    Effect.gen(function* () {
      const id = yield* withdrawer()
      yield* verified(id, "0xA")
      const operation = yield* withdraw(id, 1_000_000n)
      if (typeof operation === "string") assert.fail(operation)
      assert.deepStrictEqual(acceptedDestination(operation), { address: "0xA", memo: null })
      assert.isUndefined(acceptedDestination({ details: {} }))
      assert.deepStrictEqual(acceptedDestination({ details: { destination: { address: "r", memo: "7" } } as never }), {
        address: "r",
        memo: "7"
      }) // of its kind
    }).pipe(Effect.provide(store))
  )
})
