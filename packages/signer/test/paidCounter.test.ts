import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import type { Entry } from "../src/store/Entry.ts"
import { makeRegister } from "../src/store/Register.ts"

const minute = 60_000
const network = "stellar"
const none = { keys: [], uses: [] }

/** What is asked of the signer: to pay a request by a number, so many minutes after the last. */
const step = fc.record({
  after: fc.integer({ min: 0, max: 3 }),
  request: fc.constantFrom("a", "b"),
  number: fc.integer({ min: 1, max: 3 }),
  /** How many of the earlier ones the chain proves void, where it is asked. */
  proven: fc.integer({ min: 0, max: 3 })
})

/** A signer on a network whose transactions have a number and expire after three minutes: its memory, and all that it wrote. */
const signer = () => {
  const register = makeRegister()
  const entries: Array<Entry> = []
  const open = new Map<string, string>()
  const add = (entry: Entry) => {
    entries.push(entry)
    register.add(entry, entries.length)
  }
  return {
    entries,
    /** The requests for which something was signed that is not void. */
    requests: () => new Set(open.values()),
    counted: () => register.paidSince("t", { network, contract: null }, 0, none),
    ask: (request: string, number: number, now: number, proven: number) => {
      const spent = { key: request, digest: "d", text: request }
      const [uses, unsigned] = [[`channel:${number}`], `u${entries.length}`]
      const candidate = { network, unsigned, uses, requests: [{ ...spent, created: now }] }
      const first = register.judge(candidate, now)
      if (first._tag === "Unproven")
        for (const { hash, validUntil } of first.earlier.slice(0, proven)) {
          if (validUntil === null || now < validUntil) break
          add({ _tag: "Voided", at: now, network, hash })
          open.delete(hash)
        }
      const verdict = register.judge(candidate, now)
      if (verdict._tag !== "Free") return
      const hash = `h${entries.length}`
      add({
        _tag: "Signed",
        at: now,
        tenantId: "t",
        network,
        requests: [spent],
        uses,
        unsigned,
        hash,
        raw: Uint8Array.of(1),
        validUntil: now + 3 * minute,
        feeMax: 1n,
        from: "w",
        paid: verdict.fresh.length === 0 ? [] : [{ contract: null, units: 100n }],
        progress: { changeSeq: 1n, eventId: 1n, postingSeq: 1n }
      })
      open.set(hash, request)
    }
  }
}

describe("what the signer counts against limits", () => {
  it("is what each request pays that may have taken effect, once, however it was replaced, and the same after a restart", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 16 }), (steps) => {
        const { ask, counted, entries, requests } = signer()
        let now = 0
        for (const { after, number, proven, request } of steps) {
          now += after * minute
          ask(request, number, now, proven)
          assert.strictEqual(counted(), 100n * BigInt(requests().size))
        }
        const restarted = makeRegister()
        for (const [at, entry] of entries.entries()) restarted.add(entry, at)
        assert.strictEqual(restarted.paidSince("t", { network, contract: null }, 0, none), counted())
      }),
      { numRuns: 2_000 }
    )
  })
})
