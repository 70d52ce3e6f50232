import { monotonicIds, RandomBytes, uuidV7 } from "@bursar/core/engine/Ids"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import fc from "fast-check"

const moment = fc.integer({ min: 0, max: 2 ** 48 - 1 })

const bytes = fc.uint8Array({ minLength: 10, maxLength: 10 })

describe("uuidV7", () => {
  it("is the example of RFC 9562", () => {
    // appendix A.6: rand_a 0xCC3, rand_b 0x18C4DC0C0C07398F
    const random = Uint8Array.from([0x0c, 0xc3, 0x18, 0xc4, 0xdc, 0x0c, 0x0c, 0x07, 0x39, 0x8f])
    assert.strictEqual(uuidV7(0x017f22e279b0, random), "017f22e2-79b0-7cc3-98c4-dc0c0c07398f")
  })

  it("has the form, version and variant of a UUIDv7, for any moment and any bytes", () => {
    fc.assert(
      fc.property(moment, bytes, (now, random) => {
        assert.match(uuidV7(now, random), /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u)
      })
    )
  })

  it("tells its moment, and sorts by it", () => {
    fc.assert(
      fc.property(moment, moment, bytes, bytes, (left, right, one, other) => {
        const [first, second] = [uuidV7(left, one), uuidV7(right, other)]
        assert.strictEqual(Number.parseInt(first.slice(0, 13).replace("-", ""), 16), left)
        if (left < right) assert.isTrue(first < second)
      })
    )
  })

  it("differs wherever its random bits do", () => {
    const ids = Array.from({ length: 80 }, (_, bit) =>
      uuidV7(
        1,
        Uint8Array.from({ length: 10 }, (_, byte) => (byte === bit >> 3 ? 1 << (bit & 7) : 0))
      )
    )
    // six of the eighty bits give way to the version and the variant
    assert.strictEqual(new Set(ids).size, 74 + 1)
  })

  it.effect("takes its random bytes from the platform by default", () =>
    Effect.gen(function* () {
      const random = yield* RandomBytes
      assert.strictEqual(random(10).length, 10)
      assert.notDeepEqual(random(10), random(10))
    })
  )

  it.effect("gives no byte of the platform's out twice, and keeps none that it has given", () =>
    Effect.gen(function* () {
      const random = yield* RandomBytes
      const given = Array.from({ length: 2_000 }, (_, index) => random(8 + (index % 57)))
      const copies = given.map((bytes) => Buffer.from(bytes).toString("hex"))
      assert.strictEqual(new Set(copies).size, given.length)
      // eight bytes at any place of one are nowhere else
      const seen = new Set<string>()
      for (const copy of copies)
        for (let at = 0; at + 16 <= copy.length; at += 16) {
          assert.isFalse(seen.has(copy.slice(at, at + 16)))
          seen.add(copy.slice(at, at + 16))
        }
      // what was given is the caller's: nobody else writes to it
      for (const bytes of given) bytes.fill(0)
      assert.isTrue(random(64).some((byte) => byte !== 0))
      assert.strictEqual(random(5_000).length, 5_000)
    })
  )
})

/** What an id says: its moment, the counter within it, and the random bits behind them. */
const readId = (id: string) => {
  const hex = id.replaceAll("-", "")
  return {
    at: Number.parseInt(hex.slice(0, 12), 16),
    counter: Number.parseInt(hex.slice(13, 16), 16),
    rest: hex.slice(17)
  }
}

describe("monotonicIds", () => {
  it("begins to count in the lower half, goes on by one, and begins anew in the next millisecond", () => {
    // of the first two bytes of each ten, the lower eleven bits are where the counter begins
    const drawn = [0xfa, 0xbc, 1, 2, 3, 4, 5, 6, 7, 8]
    const newIdAt = monotonicIds((length) => Uint8Array.from({ length }, (_, index) => drawn[index % 10] ?? 0))
    const read = [7, 7, 6, 8, 8].map((now) => readId(newIdAt(now)))
    assert.deepStrictEqual(
      read.map(({ at, counter }) => [at, counter]),
      [
        [7, 0x2bc],
        [7, 0x2bd],
        [7, 0x2be],
        [8, 0x2bc],
        [8, 0x2bd]
      ]
    )
  })

  it("lets the time run ahead by one where a millisecond is used up, and counts from nothing there", () => {
    const newIdAt = monotonicIds((length) => new Uint8Array(length))
    const ids = Array.from({ length: 0x1002 }, () => readId(newIdAt(7)))
    assert.deepStrictEqual(
      [0, 1, 0xfff, 0x1000, 0x1001].map((index) => [ids[index]?.at, ids[index]?.counter]),
      [
        [7, 0],
        [7, 1],
        [7, 0xfff],
        [8, 0],
        [8, 1]
      ]
    )
    // the clock has not come so far yet: the same moment is counted on
    assert.deepStrictEqual(readId(newIdAt(8)), { ...ids[0x1001], at: 8, counter: 2 })
  })

  it("draws for a hundred ids at once, ten bytes for each, of which none is used twice", () => {
    const lengths: Array<number> = []
    let next = 0
    const newIdAt = monotonicIds((length) => {
      lengths.push(length)
      return Uint8Array.from({ length }, () => next++ % 251)
    })
    const ids = Array.from({ length: 201 }, () => readId(newIdAt(7)))
    assert.deepStrictEqual(lengths, [1_000, 1_000, 1_000])
    for (const [index, { rest }] of ids.entries()) {
      const bytes = Array.from({ length: 7 }, (_, at) => (10 * index + 3 + at) % 251)
      assert.strictEqual(rest.slice(1), Buffer.from(bytes).toString("hex"))
    }
  })

  it("never goes back, within a millisecond, past the end of its counter, or when the clock does", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1_000, max: 1_005 }), { minLength: 1, maxLength: 50 }),
        bytes,
        (times, random) => {
          const newIdAt = monotonicIds((length) => Uint8Array.from({ length }, (_, index) => random[index % 10] ?? 0))
          const ids = [...times, ...Array.from({ length: 5_000 }, () => 1_003)].map(newIdAt)
          for (const [index, id] of ids.entries()) assert.isTrue(index === 0 || ids[index - 1]! < id)
        }
      ),
      { numRuns: 20 }
    )
  })
})
