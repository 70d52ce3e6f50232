import { makeRegister } from "@bursar/signer/store/Register"
import { assert, describe, it } from "@effect/vitest"
import { signedAt, tenant } from "./support/storedView.ts"

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const now = 100 * day

const paying = () => {
  const register = makeRegister()
  let number = 0
  return {
    register,
    pay: (at: number, units: bigint, validUntil: number | null = null) => {
      number += 1
      const signed = { ...signedAt(number, at), validUntil, paid: [{ contract: null, units }] }
      register.add(signed, number)
      return signed
    },
    paidSince: (at: number) =>
      register.paidSince(tenant, { network: "ethereum", contract: null }, at, { uses: [], keys: [] })
  }
}

describe("what was paid within a day", () => {
  for (const ahead of [2, 12, 23, 26])
    it(`is counted, though the clock was ${ahead} hours ahead for a while the day before`, () => {
      const { paidSince, pay } = paying()
      const wrong = now + ahead * hour
      for (let past = 0; past < 120; past++) pay(wrong + past * minute, 1n)
      // and by the right clock from then on: the most in the minutes that the wrong one had named
      const paid: Array<bigint> = []
      for (let at = now + 2 * hour; at < now + 30 * hour; at += minute) {
        const units = at >= wrong && at < wrong + 2 * hour ? 1_000n : 1n
        pay(at, units)
        paid.push(units)
        const ofDay = paid.slice(-1_441).reduce((sum, one) => sum + one, 0n)
        const counted = paidSince(at - day)
        assert.isTrue(counted >= ofDay, `${ofDay} was paid within a day, and ${counted} is counted`)
      }
    })

  it("is not less for what is proven void whose minute, by a wrong clock, was forgotten and named anew", () => {
    const { paidSince, pay, register } = paying()
    const then = now + 30 * hour
    const wrong = pay(then, 1_000n, then + hour)
    for (let at = now; at < then; at += minute) pay(at, 1n)
    pay(then, 7n)
    register.add({ _tag: "Voided", at: then + hour, network: wrong.network, hash: wrong.hash }, 0)
    assert.strictEqual(paidSince(then), 7n)
  })
})
