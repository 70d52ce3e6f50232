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

describe("monotonicIds", () => {
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
