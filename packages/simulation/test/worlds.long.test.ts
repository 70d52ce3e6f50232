import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { mistakes } from "../src/plant/mistakes.ts"
import { runWorld } from "../src/run/runWorld.ts"

/** Worlds in which something was wrong once, before there were any in which transactions expire, each with how many seconds partners asked for things. */
const once: ReadonlyArray<readonly [seed: number, active: number, what: string]> = [
  [82_825_903, 165, "a transaction that a node had lost was not sent again, since no replacement could be afforded"],
  [2_916_770_574, 130, "a sweep waited for coin that a reorganisation had taken"],
  [
    2_639_289_820,
    110,
    "a payment in a block that replaced the one at which its address was registered was not credited"
  ],
  [2_882_704_557, 161, "money that came in another currency and went back at once left its transfer open"],
  [440_378_132, 116, "two bodies under one key, one of them without an answer"],
  [
    2_922_464_951,
    122,
    "entries were written behind the beginning of a signer's store, of which a full disk had taken a part"
  ],
  [
    742_995_282,
    147,
    "a sweep waited for ever for what its address would pay the fee with, which a reorganisation had taken"
  ],
  [4_081_767_645, 87, "a sweep of which a reorganisation had taken all counted for possibly in flight for ever"],
  [
    157_364_654,
    98,
    "a transfer of which its bank told two amounts was flagged, and nothing that operators could say ended it"
  ],
  [
    3_928_314_131,
    76,
    "what a tenant moved on from its own address was credited while a second node was asked about what it came from, which was credited too"
  ],
  [
    2_515_261_793,
    93,
    "coin that moved on from a tenant's own address was credited before what it came from, and with it"
  ]
]

/** A world whose partners ask for things for a minute. */
const short = (seed: number) => ({ seed, activeMs: 60_000 })

describe("a world", () => {
  for (const [seed, active, what] of once) {
    it.live(
      `is right again: ${what} (world ${seed})`,
      () =>
        Effect.gen(function* () {
          assert.deepStrictEqual((yield* runWorld({ seed, activeMs: active * 1_000, expires: false })).violations, [])
        }),
      60_000
    )
  }

  it.live(
    "on whose network transactions expire is right again: a payout whose transaction had expired, and whose key was revoked then, could not be rejected",
    () =>
      Effect.gen(function* () {
        const { violations, world } = yield* runWorld({ seed: 82_825_903, activeMs: 89_000, expires: true })
        assert.deepStrictEqual(violations, [])
        assert.strictEqual(world.config.network, "tron")
      }),
    60_000
  )

  it.live(
    "whose fibers give way at any step is right again: two reports of one endpoint were one too many, and an event was never sent",
    () =>
      Effect.gen(function* () {
        const { violations } = yield* runWorld({ seed: 822_744_750, activeMs: 92_000, pauseWithin: 8 })
        assert.deepStrictEqual(violations, [])
      }),
    60_000
  )

  it.live(
    "that ends while partners are still at work waits for what they ask for",
    () =>
      Effect.gen(function* () {
        const { violations, world } = yield* runWorld({ seed: 3_808_043_084, activeMs: 10_000 })
        assert.deepStrictEqual(violations, [])
        assert.isTrue(world.records.asked.every(({ settled }) => settled))
      }),
    60_000
  )

  it.live(
    "has the same history for the same seed",
    () =>
      Effect.gen(function* () {
        const [one, other] = [yield* runWorld(short(6)), yield* runWorld(short(6))]
        assert.strictEqual(one.digest, other.digest)
        assert.notStrictEqual((yield* runWorld(short(30))).digest, one.digest)
      }),
    60_000
  )

  it.live(
    "of bitcoin is right, pays by outputs, and has the same history for the same seed",
    () =>
      Effect.gen(function* () {
        const { digest, violations, world } = yield* runWorld(short(16))
        assert.deepStrictEqual(violations, [])
        assert.strictEqual(world.config.network, "bitcoin")
        assert.isTrue(world.chain.seen().some(({ payments }) => payments.length > 1))
        assert.strictEqual((yield* runWorld(short(16))).digest, digest)
      }),
    60_000
  )

  it.live(
    "of bitcoin has a thief, who tries much and is given nothing (worlds 168 and 717)",
    () =>
      Effect.gen(function* () {
        const tried = new Set<string>()
        for (const seed of [168, 717]) {
          const { violations, world } = yield* runWorld(short(seed))
          assert.deepStrictEqual(violations, [])
          for (const place of world.faults.places.keys()) if (place.startsWith("thief.asks")) tried.add(place)
        }
        assert.includeMembers(
          [...tried],
          ["change to another", "lies about what outputs hold"].map((wish) => `thief.asks bitcoin: ${wish}`)
        )
        assert.isAtLeast(tried.size, 4)
      }),
    60_000
  )

  it.live(
    "of bitcoin with two nodes is right, and wrong where one of them is believed alone",
    () =>
      Effect.gen(function* () {
        const { violations, world } = yield* runWorld({ seed: 1354 })
        assert.deepStrictEqual(violations, [])
        assert.strictEqual(world.config.network, "bitcoin")
        assert.isTrue([...world.faults.struck.keys()].some((kind) => kind.startsWith("second.")))
        const plant = mistakes["deposit credited by the word of one node"]
        const { violations: found } = yield* runWorld({ seed: 1354, plant })
        assert.match(found.join(), /depth: the deposit of [0-9a-f]+ was confirmed before/u)
      }),
    60_000
  )

  it.live(
    "takes over the keys that partners hand over, with the coins that stand there, and is right",
    () =>
      Effect.gen(function* () {
        const { violations, world } = yield* runWorld(short(5))
        assert.deepStrictEqual(violations, [])
        assert.isAbove(world.coverage.commands.get("ImportDepositKey done") ?? 0, 1)
      }),
    60_000
  )

  it.live(
    "is right, and came by something",
    () =>
      Effect.gen(function* () {
        const { violations, world } = yield* runWorld(short(27))
        assert.deepStrictEqual(violations, [])
        assert.isAbove(world.coverage.transitions.size, 5)
        assert.isAbove(world.faults.struck.size, 5)
      }),
    60_000
  )
})
