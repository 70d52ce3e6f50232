import {
  base62,
  formatKey,
  idOfShown,
  parseKey,
  parseShown,
  randomCharacters,
  shownPrefix
} from "@bursar/core/access/KeyFormat"
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

const random = fc.string({
  unit: fc.constantFrom(...alphabet),
  minLength: randomCharacters,
  maxLength: randomCharacters
})

const prefix = fc.stringMatching(/^[a-z][a-z0-9]{1,15}$/u)

const environment = fc.constantFrom("live" as const, "test" as const)

const key = formatKey("bursar", "live", `AbCdEfGh${"x".repeat(43)}`)

describe("KeyFormat", () => {
  it("reads back every key that it builds", () => {
    fc.assert(
      fc.property(prefix, environment, random, (prefix, environment, random) => {
        const parts = parseKey(formatKey(prefix, environment, random))
        assert.deepStrictEqual(parts, { prefix, environment, id: random.slice(0, 8) })
      })
    )
  })

  it("notices any one character that was changed", () => {
    fc.assert(
      fc.property(random, fc.nat(), fc.constantFrom(...alphabet), (random, place, other) => {
        const good = formatKey("bursar", "test", random)
        const index = "bursar_test_".length + (place % (good.length - "bursar_test_".length))
        fc.pre(good[index] !== other && good[index] !== "_")
        assert.isUndefined(parseKey(good.slice(0, index) + other + good.slice(index + 1)))
      })
    )
  })

  it("takes no junk for a key", () => {
    const form = fc.stringMatching(/^[a-z]{2,16}_(live|test)_[0-9A-Za-z]{8}_[0-9A-Za-z]{49}$/u)
    fc.assert(
      fc.property(fc.oneof(form, fc.string()), (junk) => {
        assert.isUndefined(parseKey(junk))
      })
    )
  })

  it.each([
    "",
    key.slice(1),
    key.slice(0, -1),
    `${key}a`,
    `${key}\n`,
    ` ${key}`,
    key.toUpperCase(),
    key.replace("live", "prod"),
    key.replaceAll("_", "-"),
    key.replace("live", "test")
  ])("does not read %j", (text) => {
    assert.isUndefined(parseKey(text))
  })

  it("shows everything before the secret and nothing of it", () => {
    const parts = parseKey(key)
    assert.strictEqual(parts === undefined ? "" : shownPrefix(parts), "bursar_live_AbCdEfGh")
  })

  it("reads what it shows of a key, and finds its id", () => {
    fc.assert(
      fc.property(prefix, environment, random, (prefix, environment, random) => {
        const parts = { prefix, environment, id: random.slice(0, 8) }
        assert.deepStrictEqual(parseShown(shownPrefix(parts)), parts)
        assert.strictEqual(idOfShown(shownPrefix(parts)), parts.id)
      })
    )
  })

  const shown = "bursar_live_AbCdEfGh"

  it.each([
    "",
    key,
    `${shown}x`,
    shown.slice(0, -1),
    ` ${shown}`,
    `x ${shown}`,
    `${shown}\n`,
    shown.replace("live", "prod"),
    `_${shown}`,
    `1${shown}`
  ])("does not read %j for what is shown of a key", (text) => {
    assert.isUndefined(parseShown(text))
  })

  it("has a checksum that others can make: CRC-32 of all before it, in base 62", () => {
    // the standard's check value is cbf43926 for "123456789"; these were made with zlib
    assert.strictEqual(key.slice(-6), "1bb93m")
    assert.strictEqual(formatKey("ab1", "test", "0".repeat(51)).slice(-6), "2oIw5V")
  })

  it("refuses to build a key of too few random characters", () => {
    assert.throws(() => formatKey("bursar", "live", "short"), /51/u)
  })

  it("maps bytes to base 62 without bias, and says when there are too few", () => {
    const counts = new Map<string, number>()
    for (const character of base62(
      Uint8Array.from({ length: 256 }, (_, byte) => byte),
      248
    )) {
      counts.set(character, (counts.get(character) ?? 0) + 1)
    }
    assert.deepStrictEqual([...counts.keys()].toSorted().join(""), [...alphabet].toSorted().join(""))
    assert.isTrue([...counts.values()].every((count) => count === 4))
    assert.throws(() => base62(new Uint8Array(10).fill(255), 1), /not enough/u)
  })
})
